"""Proof that a ticket says about a running lab what its file claims: healthy before, broken after, restored again."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

from netopsbench.core.model import Model
from netopsbench.core.process import Completed
from netopsbench.fabric.labs.service_shim import shell_line
from netopsbench.tickets.conditions import holds, parse_condition
from netopsbench.tickets.model import Check, Command, Ticket

COMMAND_TIMEOUT_S = 15.0
SETTLE_S = 30.0
"""How long a fault may take to show, and a fix to help."""
_POLL_S = 0.5
_LONGEST_OUTPUT = 400

Stage = Literal["healthy", "broken", "fixed", "restored"]


class Lab(Protocol):
    """Where commands run."""

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed: ...


Inspect = Callable[[], Sequence[str]]
"""Everything that isn't as in the healthy lab, in words."""


class Observation(Model):
    """One check at one moment."""

    stage: Stage
    what: str
    is_as_expected: bool
    seen: str


class Proof(Model):
    """What came out for one ticket."""

    ticket_id: str
    lab: str
    problems: tuple[str, ...]
    """In the order in which they were found; none when the ticket is valid."""
    observations: tuple[Observation, ...]
    elapsed_s: float

    @property
    def is_valid(self) -> bool:
        return not self.problems


def prove(ticket: Ticket, lab: Lab, inspect: Inspect, settle_s: float = SETTLE_S) -> Proof:
    """Break the lab as the ticket says, look, and mend it.

    Every check of the fault has to fail on the healthy lab and every one of the fix to hold; while the fault is
    there it is the other way round, and each claim is as true as it is marked. After its own fix the lab has to be
    as healthy as before. Raises InfraError when the lab itself can't be looked at.
    """
    started = time.monotonic()
    seen: list[Observation] = []
    problems = [f"not healthy before: {finding}" for finding in inspect()]
    if not problems:
        problems = list(_proven(ticket, lab, inspect, settle_s, seen))
    return Proof(
        ticket_id=ticket.id,
        lab=ticket.lab,
        problems=tuple(problems),
        observations=tuple(seen),
        elapsed_s=round(time.monotonic() - started, 3),
    )


def run_command(lab: Lab, command: Command, timeout_s: float = COMMAND_TIMEOUT_S) -> Completed:
    """Run a ticket's line on its device."""
    return lab.exec(command.on, shell_line(command.run), timeout_s=timeout_s)


def looks(lab: Lab, check: Check) -> tuple[bool, str]:
    """Whether a check holds now, and what its command printed."""
    done = lab.exec(check.on, shell_line(check.run), timeout_s=COMMAND_TIMEOUT_S)
    output = done.stdout + done.stderr
    return holds(parse_condition(check.expect), output), output.strip()[-_LONGEST_OUTPUT:]


class _Moment(NamedTuple):
    """A stage of a proof."""

    stage: Stage
    wait_s: float
    """How long what is expected may take to show."""
    seen: list[Observation]
    """Gets every look."""


def _proven(ticket: Ticket, lab: Lab, inspect: Inspect, settle_s: float, seen: list[Observation]) -> Iterator[str]:
    fault = ticket.fault
    healthy, broken, fixed = (
        _Moment("healthy", 0, seen),
        _Moment("broken", settle_s, seen),
        _Moment("fixed", settle_s, seen),
    )
    if fault is None:
        yield from _claims(ticket, lab, healthy)
        return
    yield from _all_seen(lab, fault.effect, False, healthy)
    yield from _all_seen(lab, fault.fixed, True, healthy)
    yield from _carried_out(lab, fault.inject)
    yield from _all_seen(lab, fault.effect, True, broken)
    yield from _all_seen(lab, fault.fixed, False, broken)
    yield from _claims(ticket, lab, broken)
    yield from _carried_out(lab, fault.fix)
    yield from _all_seen(lab, fault.fixed, True, fixed)
    yield from _all_seen(lab, fault.effect, False, fixed)
    yield from _restored(inspect, settle_s)


def _claims(ticket: Ticket, lab: Lab, moment: _Moment) -> Iterator[str]:
    for claim in ticket.claims:
        for problem in _seen(lab, claim.check, claim.is_true, moment):
            yield f"claim {claim.says!r}: {problem}"


def _all_seen(lab: Lab, checks: Sequence[Check], is_expected: bool, moment: _Moment) -> Iterator[str]:
    for check in checks:
        yield from _seen(lab, check, is_expected, moment)


def _seen(lab: Lab, check: Check, is_expected: bool, moment: _Moment) -> Iterator[str]:
    deadline = time.monotonic() + moment.wait_s
    while True:
        does_hold, output = looks(lab, check)
        if does_hold is is_expected or time.monotonic() >= deadline:
            break
        time.sleep(_POLL_S)
    is_right = does_hold is is_expected
    moment.seen.append(Observation(stage=moment.stage, what=str(check), is_as_expected=is_right, seen=output))
    if not is_right:
        yield f"{moment.stage}: {check} {'holds' if does_hold else 'does not hold'}; printed: {output or 'nothing'}"


def _carried_out(lab: Lab, commands: Sequence[Command]) -> Iterator[str]:
    for command in commands:
        done = run_command(lab, command)
        if not done.is_ok:
            printed = (done.stdout + done.stderr).strip()[-_LONGEST_OUTPUT:]
            yield f"{command.on}: {command.run} ended with {done.returncode}: {printed or 'nothing printed'}"


def _restored(inspect: Inspect, wait_s: float) -> Iterator[str]:
    deadline = time.monotonic() + wait_s
    findings = inspect()
    while findings and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        findings = inspect()
    yield from (f"not restored: {finding}" for finding in findings)
