"""The fix that an agent proposes, carried out on the faulty lab; checks on both sides decide."""

import time
from collections.abc import Iterator, Sequence
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.tickets.conditions import in_words
from netopsbench.tickets.model import Check, Command, Ticket
from netopsbench.tickets.proving import SETTLE_S, Inspect, Lab, looks, run_command

MOST_COMMANDS = 50
"""Of a fix; further ones aren't run."""
LONGEST_S = 120.0
"""How long all commands of a fix may take; those that are left then aren't run."""
NO_CHECK = "the ticket has no check that tells whether its fault is gone"
NO_REMEDY = "imported tickets have no commands that fix them, so there is none to carry out"
_POLL_S = 0.5

Harm = Literal["none", "disturbed", "destroyed"]


class FixResult(Model):
    """What a fix did."""

    score: float | None
    """1: the fault's own checks are met and the lab is healthy; 0.5: they are, but something else is wrong now; 0: the
    fault is still there. None where there is nothing to judge."""
    why: str = ""
    """What decided, in words."""
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
        is_last = time.monotonic() >= deadline
        unmet = _unmet(ticket, lab)
        # While the fault is there, what else is wrong needn't be known yet.
        findings = tuple(inspect()) if is_last or not unmet else ()
        if is_last or not (unmet or findings):
            break
        time.sleep(_POLL_S)
    score, why = _judged(ticket, fix, unmet, findings)
    # While the fault is there, what it breaks isn't the agent's doing. Without a check nobody knows whether it is.
    is_harmed = bool(findings) and not unmet and (ticket.fault is None or bool(_deciding(ticket)))
    return FixResult(
        score=score,
        why=why,
        findings=findings,
        failed=failed,
        commands=tuple(_told(command) for command in fix),
        harm="disturbed" if is_harmed else "none",
    )


def _judged(
    ticket: Ticket, fix: Sequence[Command], unmet: Sequence[str], findings: Sequence[str]
) -> tuple[float | None, str]:
    """The score and what decided."""
    if ticket.fault is None:
        return (0.0, "what was well isn't any more") if findings else (None, "nothing was broken")
    if not _deciding(ticket):
        return None, NO_CHECK
    if unmet:
        return 0.0, f"{'' if fix else 'no commands were proposed; '}{unmet[0]}"
    if findings:
        return 0.5, "the fault is gone, and something else is wrong now"
    return 1.0, "the fault is gone, and the lab is healthy"


def with_telling_checks(ticket: Ticket, lab: Lab) -> Ticket:
    """The ticket as its fixes are judged, by a look at the lab before anything is broken.

    A published check may be a control that holds in a healthy lab as well, and so tells nothing about a fix. Tickets of
    this package were proven to have none of that kind.
    """
    if ticket.fault is None or ticket.fault.fixed:
        return ticket
    telling = tuple(check for check in ticket.fault.effect if not looks(lab, check)[0])
    return ticket.model_copy(update={"fault": ticket.fault.model_copy(update={"effect": telling})})


def destroyed(fix: Sequence[Command], why: str) -> FixResult:
    """What becomes of an agent's work when the lab can't be looked at any more after it."""
    finding = f"the lab can't be looked at any more: {why}"
    commands = tuple(_told(command) for command in fix)
    return FixResult(score=0.0, why=finding, findings=(finding,), commands=commands, harm="destroyed")


def _failures(fix: Sequence[Command], lab: Lab) -> Iterator[str]:
    deadline = time.monotonic() + LONGEST_S
    for number, command in enumerate(fix):
        if number >= MOST_COMMANDS or time.monotonic() >= deadline:
            yield f"{_told(command)} (not run: a fix has {MOST_COMMANDS} commands and {LONGEST_S:g} s)"
        elif not run_command(lab, command).is_ok:
            yield _told(command)


def _told(command: Command) -> str:
    return f"{command.on}: {command.run}"


def deciding_checks(ticket: Ticket) -> list[str]:
    """What has to be so after a good fix, in words."""
    told = [f"on {check.on}, `{check.run}` {_wanted(check, is_wanted)}" for check, is_wanted in _deciding(ticket)]
    # What a fault's effect must not be any more is often what its fix has to show.
    return list(dict.fromkeys(told))


def _wanted(check: Check, is_wanted: bool) -> str:
    words = in_words(check.expect)
    turned = {"no output": "some output", "some output": "no output"}
    if is_wanted or words in turned:
        return f"shows {words if is_wanted else turned[words]}"
    return f"no longer shows {words}"


def _deciding(ticket: Ticket) -> list[tuple[Check, bool]]:
    """The checks that tell whether the fault is gone, each with what it has to come to then."""
    fault = ticket.fault
    return [*((each, True) for each in fault.fixed), *((each, False) for each in fault.effect)] if fault else []


def _unmet(ticket: Ticket, lab: Lab) -> list[str]:
    """Checks by which the fault is still there: that of a fix doesn't hold, or that of the effect does."""
    return [
        f"on {check.on}, `{check.run}` {'should show' if is_wanted else 'still shows'} {in_words(check.expect)}"
        f"{' and does not' if is_wanted else ''}"
        for check, is_wanted in _deciding(ticket)
        if looks(lab, check)[0] is not is_wanted
    ]
