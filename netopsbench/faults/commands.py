"""Commands given on a running fabric, as an operator would give them."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from netopsbench.core.errors import InfraError
from netopsbench.core.process import TIMED_OUT, Completed
from netopsbench.fabric.engine import Fabric
from netopsbench.faults.contract import WIRE, NodeProcess, ReadBack, Step, Word, vtysh

_STEP_TIMEOUT_S = 10.0
_SAVERS = 4


def run_steps(fabric: Fabric, steps: Sequence[Step], reason: str) -> None:
    """Run them in turn.

    Raises InfraError with this reason at the first that fails.
    """
    said(fabric, steps, reason)


def said(fabric: Fabric, steps: Sequence[Step], reason: str) -> list[str]:
    """Run them in turn; what each of them printed.

    Raises InfraError with this reason at the first that fails.
    """
    printed = []
    for step in steps:
        argv = [_resolved(fabric, word) for word in step.argv]
        done = _once(fabric, step, argv)
        if done.returncode == TIMED_OUT:
            # A missed deadline doesn't mean that nothing was done; steps may be repeated.
            done = _once(fabric, step, argv)
        if not done.is_ok and not _is_done_already(step, done):
            answer = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
            raise InfraError(reason, f"{step.where}: {_told(argv)}: {answer}")
        printed.append(done.stdout.strip())
    return printed


def read_back(fabric: Fabric, wanted: Sequence[ReadBack]) -> tuple[str, ...]:
    """What the commands of a fault have not left behind, in words; empty when all of it is there."""
    missing = []
    for each in wanted:
        step = Step(where=each.where, argv=each.argv)
        done = _once(fabric, step, [_resolved(fabric, word) for word in step.argv])
        if each.shows not in done.stdout:
            missing.append(f"{each.where}: {each.shows!r} is not shown by {' '.join(map(str, each.argv))}")
    return tuple(missing)


def save(fabric: Fabric, switches: Sequence[str], reason: str) -> None:
    """Save the configurations of some switches, several at a time.

    Raises InfraError with this reason when one can't be saved.
    """
    # Saving keeps the previous file beside the new one; after the second time they are equal.
    steps = [vtysh(name, "write memory", "write memory") for name in dict.fromkeys(switches)]
    with ThreadPoolExecutor(_SAVERS) as savers:
        for saved in [savers.submit(run_steps, fabric, [step], reason) for step in steps]:
            saved.result()


def spelled(steps: Sequence[Step]) -> str:
    """Commands as one line, for a receipt."""
    return "; ".join(f"{each.where}: {_told(each.argv)}" for each in steps)


def _told(argv: Sequence[object]) -> str:
    # Records are handed on: where this Python is installed is nobody's business.
    return " ".join("python" if word == sys.executable else str(word) for word in argv)


def _once(fabric: Fabric, step: Step, argv: list[str]) -> Completed:
    if step.where == WIRE:
        return fabric.exec_wire(argv, timeout_s=_STEP_TIMEOUT_S, stdin=step.stdin)
    return fabric.exec(step.where, argv, timeout_s=_STEP_TIMEOUT_S, stdin=step.stdin)


def _is_done_already(step: Step, done: Completed) -> bool:
    return bool(step.done_already) and step.done_already in done.stdout + done.stderr


def _resolved(fabric: Fabric, word: Word) -> str:
    if isinstance(word, str):
        return word
    if isinstance(word, NodeProcess):
        return str(fabric.pid(word.node))
    wire = fabric.wire(word.link)
    return wire.a_end if word.end == "a" else wire.b_end
