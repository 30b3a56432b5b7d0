"""Faults made and unmade on a running fabric, and injections that only look like it."""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.fabric import queries
from netopsbench.fabric.engine import Fabric
from netopsbench.faults.catalog import KINDS, change_of
from netopsbench.faults.commands import run_steps, save, spelled
from netopsbench.faults.contract import WIRE, Change, Step
from netopsbench.faults.decoy import decoy_fault
from netopsbench.faults.snapshot import Snapshot, as_open, disturbances
from netopsbench.faults.witness import EFFECT_DEADLINE_S, SECOND_LOOK_S, Witness, check_effect, gate_effect, poll, shown
from netopsbench.records.faults import FaultSpec
from netopsbench.records.trial import Receipt

_SAVED_SWITCHES = 8


class Injection:
    """A fault, or nothing, that is held on a fabric."""

    def __init__(self, receipts: Sequence[Receipt], recheck: Callable[[], Receipt]) -> None:
        self.receipts = tuple(receipts)
        self.recheck = recheck
        """See again, after the agent, what the gate saw; InfraError when it is no longer so."""
        self.since_ns = now_ns()
        """The window of the fault starts when its effect is seen, not when the command is given."""


def inject(fabric: Fabric, fault: FaultSpec, *, seed: int = 0) -> Receipt:
    """Make the fault. Doing it twice leaves one fault.

    Raises SpecError when it doesn't fit the fabric, InfraError("injection_failed") when a command fails.
    """
    change = change_of(fault, fabric.plan)
    run_steps(fabric, change.do, "injection_failed")
    _save_many(fabric, change, seed)
    return _commanded("inject", change.do)


def clear(fabric: Fabric, fault: FaultSpec) -> Receipt:
    """Unmake the fault, from its spec and the plan alone. Doing it twice does no harm.

    Raises SpecError when it doesn't fit the fabric, InfraError("not_restored") when a command fails.
    """
    change = change_of(fault, fabric.plan)
    run_steps(fabric, change.undo, "not_restored")
    save(fabric, _edited(change), "not_restored")
    return _commanded("undo", change.undo)


@contextmanager
def injected(
    fabric: Fabric, fault: FaultSpec, witness: Witness, *, seed: int, deadline_s: float = EFFECT_DEADLINE_S
) -> Iterator[Injection]:
    """Hold `fault` on `fabric` for the block, seen by the witness before it begins, then undo it.

    Raises InfraError: "injection_failed", "effect_not_seen", "not_restored".
    """
    change = change_of(fault, fabric.plan)
    rest = _pace(KINDS[fault.kind].settles_s, seed)
    with _undone(lambda: clear(fabric, fault)):
        commanded = inject(fabric, fault, seed=seed)
        seen = gate_effect(witness, change.effect, deadline_s=deadline_s)
        rest()
        yield Injection((commanded, seen), lambda: check_effect(witness, change.effect))


@contextmanager
def sham(
    fabric: Fabric, witness: Witness, before: Snapshot, *, seed: int, deadline_s: float = SECOND_LOOK_S
) -> Iterator[Injection]:
    """Go through an injection's motions and change nothing, so that time tells nothing about a case.

    It takes as long as a fault drawn by the seed would take, probes where that fault would be probed, and saves
    configurations likewise.
    Raises InfraError("healthy_case_disturbed") when the fabric isn't as in `before`.
    """
    fault = decoy_fault(fabric.plan, seed)
    change = change_of(fault, fabric.plan)
    paths = as_open(change.effect.paths)

    def still_healthy() -> Receipt:
        found = poll(lambda: disturbances(witness, before, fabric.plan, paths), deadline_s)
        if found:
            raise InfraError("healthy_case_disturbed", shown(found))
        return Receipt(
            step="sham", t_ns=now_ns(), what="nothing was changed", seen="all is as before", is_as_expected=True
        )

    rest = _pace(KINDS[fault.kind].settles_s, seed)
    _save_many(fabric, change, seed)
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


def _edited(change: Change) -> list[str]:
    return [step.where for step in change.do if step.where != WIRE]


def _save_many(fabric: Fabric, change: Change, seed: int) -> None:
    """Save configurations on several switches, whether or not any was edited.

    Running and saved configuration must not differ where the fault is, nor may file times point at it.
    """
    switches = [node.name for node in queries.switches(fabric.plan)]
    drawn = random.Random(f"save {seed}").sample(switches, min(_SAVED_SWITCHES, len(switches)))
    save(fabric, [*drawn, *_edited(change)], "injection_failed")


def _commanded(step: Literal["inject", "undo"], steps: Sequence[Step]) -> Receipt:
    return Receipt(
        step=step,
        t_ns=now_ns(),
        what=spelled(steps),
        seen="every command succeeded",
        is_as_expected=True,
    )
