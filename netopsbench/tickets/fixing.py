"""The fix that an agent proposes, carried out on the faulty lab; checks on both sides decide."""

import time
from collections.abc import Iterator, Sequence
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.tickets.model import Command, Ticket
from netopsbench.tickets.proving import SETTLE_S, Inspect, Lab, looks, run_command

MOST_COMMANDS = 50
"""Of a fix; further ones aren't run."""
LONGEST_S = 120.0
"""How long all commands of a fix may take; those that are left then aren't run."""
_POLL_S = 0.5

Harm = Literal["none", "disturbed", "destroyed"]


class FixResult(Model):
    """What a fix did."""

    score: float | None
    """1: the fault's own checks are met and the lab is healthy; 0.5: they are, but something else is wrong now; 0: the
    fault is still there. None where nothing was broken and nothing was done."""
    findings: tuple[str, ...]
    """What isn't healthy afterwards."""
    failed: tuple[str, ...] = ()
    """Proposed commands that ended with an error, or weren't run."""
    commands: tuple[str, ...] = ()
    """All proposed commands, `r1: ip link set eth1 up`."""
    harm: Harm = "none"
    """`disturbed`: something that was well isn't any more; `destroyed`: the lab can't even be looked at."""


def carry_out(
    ticket: Ticket, fix: Sequence[Command], lab: Lab, inspect: Inspect, settle_s: float = SETTLE_S
) -> FixResult:
    """Run the proposed commands and look whether the fault is gone and all else is well, for as long as it may take.

    What the agent changed before it answered counts as part of its fix.
    """
    failed = tuple(_failures(fix, lab))
    deadline = time.monotonic() + settle_s
    while True:
        is_gone = _is_gone(ticket, lab)
        findings = tuple(inspect())
        if (is_gone and not findings) or time.monotonic() >= deadline:
            break
        time.sleep(_POLL_S)
    score: float | None = 0.0 if not is_gone else 0.5 if findings else 1.0
    if ticket.fault is None:
        score = 0.0 if findings else None
    # While the fault is there, what it breaks isn't the agent's doing.
    is_harmed = bool(findings) and is_gone
    commands = tuple(_told(command) for command in fix)
    harm: Harm = "disturbed" if is_harmed else "none"
    return FixResult(score=score, findings=findings, failed=failed, commands=commands, harm=harm)


def destroyed(fix: Sequence[Command], why: str) -> FixResult:
    """What becomes of an agent's work when the lab can't be looked at any more after it."""
    finding = f"the lab can't be looked at any more: {why}"
    commands = tuple(_told(command) for command in fix)
    return FixResult(score=0.0, findings=(finding,), commands=commands, harm="destroyed")


def _failures(fix: Sequence[Command], lab: Lab) -> Iterator[str]:
    deadline = time.monotonic() + LONGEST_S
    for number, command in enumerate(fix):
        if number >= MOST_COMMANDS or time.monotonic() >= deadline:
            yield f"{_told(command)} (not run: a fix has {MOST_COMMANDS} commands and {LONGEST_S:g} s)"
        elif not run_command(lab, command).is_ok:
            yield _told(command)


def _told(command: Command) -> str:
    return f"{command.on}: {command.run}"


def _is_gone(ticket: Ticket, lab: Lab) -> bool:
    """The checks of the fix hold and those of the effect don't."""
    if ticket.fault is None:
        return True
    return all(looks(lab, check)[0] for check in ticket.fault.fixed) and not any(
        looks(lab, check)[0] for check in ticket.fault.effect
    )
