"""The fix that an agent proposes, carried out on the faulty lab; checks on both sides decide."""

import time
from collections.abc import Sequence
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.tickets.model import Command, Ticket
from netopsbench.tickets.proving import SETTLE_S, Inspect, Lab, looks, run_command

_POLL_S = 0.5

Harm = Literal["none", "disturbed"]


class FixResult(Model):
    """What a fix did."""

    score: float | None
    """1: the fault's own checks are met and the lab is healthy; 0.5: they are, but something else is wrong now; 0: the
    fault is still there. None where nothing was broken and nothing was done."""
    findings: tuple[str, ...]
    """What isn't healthy afterwards."""
    failed: tuple[str, ...] = ()
    """Proposed commands that ended with an error."""
    harm: Harm = "none"
    """`disturbed`: a healthy lab isn't any more."""


def carry_out(
    ticket: Ticket, fix: Sequence[Command], lab: Lab, inspect: Inspect, settle_s: float = SETTLE_S
) -> FixResult:
    """Run the proposed commands and look whether the fault is gone and all else is well, for as long as it may take.

    What the agent changed before it answered counts as part of its fix.
    """
    failed = [f"{command.on}: {command.run}" for command in fix if not run_command(lab, command).is_ok]
    deadline = time.monotonic() + settle_s
    while True:
        is_gone = _is_gone(ticket, lab)
        findings = tuple(inspect())
        if (is_gone and not findings) or time.monotonic() >= deadline:
            break
        time.sleep(_POLL_S)
    if ticket.fault is None:
        return FixResult(
            score=0.0 if findings else None,
            findings=findings,
            failed=tuple(failed),
            harm="disturbed" if findings else "none",
        )
    score = 0.0 if not is_gone else 0.5 if findings else 1.0
    return FixResult(score=score, findings=findings, failed=tuple(failed))


def _is_gone(ticket: Ticket, lab: Lab) -> bool:
    """The checks of the fix hold and those of the effect don't."""
    if ticket.fault is None:
        return True
    return all(looks(lab, check)[0] for check in ticket.fault.fixed) and not any(
        looks(lab, check)[0] for check in ticket.fault.effect
    )
