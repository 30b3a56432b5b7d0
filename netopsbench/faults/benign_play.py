"""Harmless events played on a running fabric, each over before the next."""

import time
from collections.abc import Sequence

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.fabric.engine import Fabric
from netopsbench.faults.benign import BenignEvent
from netopsbench.faults.commands import run_steps, save, spelled
from netopsbench.faults.snapshot import RESTORE_DEADLINE_S, Snapshot, disturbances
from netopsbench.faults.witness import SECOND_LOOK_S, Witness, poll, shown
from netopsbench.records.trial import Receipt


def play(
    fabric: Fabric,
    events: Sequence[BenignEvent],
    witness: Witness,
    before: Snapshot,
    *,
    deadline_s: float = RESTORE_DEADLINE_S,
) -> tuple[Receipt, ...]:
    """Play them in turn; at the end of each the fabric is as in `before`, which is therefore still true.

    Raises InfraError: "injection_failed" when a command fails, "not_restored" naming what an event left behind.
    """
    return tuple(_played(fabric, event, witness, before, deadline_s) for event in events)


def _played(fabric: Fabric, event: BenignEvent, witness: Witness, before: Snapshot, deadline_s: float) -> Receipt:
    time.sleep(event.pause_s)
    t_ns = now_ns()
    if event.is_filter and not fabric.exec(event.switch, ["nft", "list", "tables"]).is_ok:
        seen = "left out: this machine has no packet filters"
        return Receipt(step="benign", t_ns=t_ns, what=event.what, seen=seen, is_as_expected=True)
    try:
        run_steps(fabric, event.do, "injection_failed")
        is_lost = _is_lost(event, witness)
        time.sleep(event.hold_s)
    finally:
        run_steps(fabric, event.undo, "injection_failed")
    save(fabric, event.saves, "injection_failed")
    left = poll(lambda: disturbances(witness, before, fabric.plan, ()), deadline_s)
    if left:
        raise InfraError("not_restored", f"{event.what}: after {deadline_s:g} s {shown(left)}")
    lost = "" if not event.loses else "the session lost, then " if is_lost else "no loss of the session, "
    return Receipt(
        step="benign",
        t_ns=t_ns,
        what=f"{event.what}: {spelled((*event.do, *event.undo))}",
        seen=f"{lost}all as before {(now_ns() - t_ns) / 1e9:.1f} s later",
        is_as_expected=is_lost,
    )


def _is_lost(event: BenignEvent, witness: Witness) -> bool:
    """Whether everything that must be lost for a moment was seen lost."""

    def still_there() -> tuple[str, ...]:
        states = witness.eyes.sessions([event.switch])[event.switch]
        return tuple(
            f"session with {claim.neighbor}"
            for claim in event.loses
            if states.get(str(claim.neighbor)) == "Established"
        )

    return not event.loses or not poll(still_there, SECOND_LOOK_S)
