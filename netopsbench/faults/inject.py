"""Faults made and unmade on a running fabric, and injections that only look like it."""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Literal

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.fabric import queries
from netopsbench.fabric.engine import Fabric
from netopsbench.faults.catalog import KINDS, change_of
from netopsbench.faults.combine import combined
from netopsbench.faults.commands import read_back, run_steps, said, save, spelled
from netopsbench.faults.contract import WIRE, Change, Effect, Step
from netopsbench.faults.decoy import decoy_fault
from netopsbench.faults.needs import require
from netopsbench.faults.snapshot import Snapshot, as_open, disturbances
from netopsbench.faults.witness import EFFECT_DEADLINE_S, SECOND_LOOK_S, Witness, check_effect, gate_effect, poll, shown
from netopsbench.records.faults import FaultSpec
from netopsbench.records.trial import Receipt

_SAVED_SWITCHES = 8


class Injection:
    """A fault, or nothing, that is held on a fabric."""

    def __init__(
        self, receipts: Sequence[Receipt], recheck: Callable[[], Receipt], undone: Sequence[Receipt] = ()
    ) -> None:
        self.receipts = tuple(receipts)
        self.undone = undone
        """Filled when the block is over: what was commanded then."""
        self.recheck = recheck
        """See again, after the agent, what the gate saw; InfraError when it is no longer so."""
        self.commanded_ns = self.receipts[0].t_ns
        self.since_ns = now_ns()
        """The window of the fault starts when its effect is seen, not when the command is given."""


def inject(fabric: Fabric, fault: FaultSpec, *, seed: int = 0, beside: Sequence[FaultSpec] = ()) -> Receipt:
    """Make the fault. Doing it twice leaves one fault. `beside` are those that are held already.

    Raises SpecError when it doesn't fit the fabric, InfraError("injection_failed") when a command fails.
    """
    change = change_of(fault, fabric.plan)
    begun_ns = now_ns()
    run_steps(fabric, change.do, "injection_failed")
    _save_many(fabric, (change, *(change_of(each, fabric.plan) for each in beside)), seed)
    return _commanded("inject", change.do, begun_ns)


def clear(fabric: Fabric, fault: FaultSpec) -> Receipt:
    """Unmake the fault, from its spec and the plan alone. Doing it twice does no harm.

    Raises SpecError when it doesn't fit the fabric, InfraError("not_restored") when a command fails.
    """
    change = change_of(fault, fabric.plan)
    begun_ns = now_ns()
    run_steps(fabric, change.undo, "not_restored")
    save(fabric, _savable(change), "not_restored")
    return _commanded("undo", change.undo, begun_ns)


@contextmanager
def injected(
    fabric: Fabric,
    faults: Sequence[FaultSpec],
    witness: Witness,
    *,
    seed: int,
    deadline_s: float = EFFECT_DEADLINE_S,
) -> Iterator[Injection]:
    """Hold `faults` on `fabric` for the block, seen by the witness before it begins, then undo them, the last first.

    Raises SpecError when they don't fit the fabric or each other, UnsupportedError when this machine can't make one,
    InfraError: "injection_failed", "effect_not_seen", "not_restored".
    """
    changes = [change_of(fault, fabric.plan) for fault in faults]
    effect = combined(changes, fabric.plan)
    for change in changes:
        require(fabric, change)
    rest = _pace(max(KINDS[fault.kind].settles_s for fault in faults), seed)
    undone: list[Receipt] = []
    with ExitStack() as undoing:
        receipts: list[Receipt] = []
        for number, (fault, change) in enumerate(zip(faults, changes, strict=True)):
            undoing.enter_context(_undone(partial(_clear_into, undone, fabric, fault)))
            receipts.append(inject(fabric, fault, seed=seed, beside=faults[:number]))
            receipts.append(_read_back(fabric, change))
        receipts.append(gate_effect(witness, effect, deadline_s=deadline_s))
        rest()
        yield Injection(receipts, lambda: _recheck(fabric, changes, witness, effect), undone)


def _clear_into(undone: list[Receipt], fabric: Fabric, fault: FaultSpec) -> None:
    undone.append(clear(fabric, fault))


@contextmanager
def sham(
    fabric: Fabric,
    witness: Witness,
    before: Snapshot,
    *,
    seed: int,
    faults: int = 1,
    deadline_s: float = SECOND_LOOK_S,
) -> Iterator[Injection]:
    """Go through the motions of so many faults and change nothing, so that time tells nothing about a case.

    It takes as long as faults drawn by the seed would take, probes where those faults would be probed, and saves
    configurations likewise.
    Raises InfraError("healthy_case_disturbed") when the fabric isn't as in `before`.
    """
    decoys = [decoy_fault(fabric.plan, seed + number) for number in range(faults)]
    # Nothing stops here, so every switch can be saved.
    changes = [change_of(decoy, fabric.plan).model_copy(update={"stops_routing": False}) for decoy in decoys]
    paths = as_open(tuple(claim for change in changes for claim in change.effect.paths))

    def still_healthy() -> Receipt:
        found = poll(lambda: disturbances(witness, before, fabric.plan, paths), deadline_s)
        if found:
            raise InfraError("healthy_case_disturbed", shown(found))
        return Receipt(
            step="sham", t_ns=now_ns(), what="nothing was changed", seen="all is as before", is_as_expected=True
        )

    rest = _pace(max(KINDS[decoy.kind].settles_s for decoy in decoys), seed)
    for change in changes:
        _go_through_the_motions(fabric, change)
        _save_many(fabric, [change], seed)
    seen = still_healthy()
    rest()
    yield Injection((seen,), still_healthy)


@contextmanager
def _undone(undo: Callable[[], object]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # What ended the block matters more than an undo that fails after it, on a fabric that may be gone.
        with contextlib.suppress(InfraError):
            undo()
        raise
    undo()


def _pace(settles_s: float, seed: int) -> Callable[[], None]:
    """Start a clock; the returned function waits until the drawn time is over.

    Faults and sham injections draw from the same distribution, so that the age of a window says nothing.
    """
    end = time.monotonic() + random.Random(f"pace {seed}").uniform(settles_s, 1.5 * settles_s)
    return lambda: time.sleep(max(0.0, end - time.monotonic()))


def _recheck(fabric: Fabric, changes: Sequence[Change], witness: Witness, effect: Effect) -> Receipt:
    seen = check_effect(witness, effect)
    steps = [step for change in changes for step in change.counters]
    figures = (seen.counted, *said(fabric, steps, "injection_failed"))
    return seen.model_copy(update={"counted": "; ".join(filter(None, figures))})


def _savable(change: Change) -> list[str]:
    return [] if change.stops_routing else [step.where for step in change.do if step.where != WIRE]


def _go_through_the_motions(fabric: Fabric, change: Change) -> None:
    """Start as many processes on the switch as the change would: the numbers of later ones must not tell a case."""
    for where in (*(step.where for step in change.do), *(each.where for each in change.read_back)):
        if where != WIRE:
            fabric.exec(where, ["true"])


def _save_many(fabric: Fabric, held: Sequence[Change], seed: int) -> None:
    """Save configurations on several switches, whether or not any was edited.

    Running and saved configuration must not differ where the first of the faults is, nor may file times point at it.
    """
    switches = [node.name for node in queries.switches(fabric.plan)]
    drawn = random.Random(f"save {seed}").sample(switches, min(_SAVED_SWITCHES, len(switches)))
    stopped = {change.place.device for change in held if change.stops_routing}
    save(fabric, [name for name in (*drawn, *_savable(held[0])) if name not in stopped], "injection_failed")


def _read_back(fabric: Fabric, change: Change) -> Receipt:
    # What a device claims of itself is written down and never believed: the gate is the witness.
    missing = read_back(fabric, change.read_back)
    return Receipt(
        step="read_back",
        t_ns=now_ns(),
        what="; ".join(f"{each.where}: {each.shows}" for each in change.read_back) or "nothing that could be read",
        seen=shown(missing) if missing else "as commanded",
        is_as_expected=not missing,
    )


def _commanded(step: Literal["inject", "undo"], steps: Sequence[Step], begun_ns: int) -> Receipt:
    return Receipt(
        step=step,
        t_ns=begun_ns,
        what=spelled(steps),
        seen="every command succeeded",
        is_as_expected=True,
    )
