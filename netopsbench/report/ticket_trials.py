"""Trials of tickets in full: what was asked, what was answered, and what would have been right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from netopsbench.core.kept import kept_name
from netopsbench.records.trial import ToolCall
from netopsbench.report.naming import Shorten
from netopsbench.report.text import one_line, seconds
from netopsbench.report.trial_view import Excerpt, excerpt
from netopsbench.tickets.axes import Axis, Identifies, NoAnomaly, NoFaultyDevices, NotIdentifies, Says
from netopsbench.tickets.fixing import deciding_checks
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import TicketScore
from netopsbench.tickets.question import read_answer
from netopsbench.tickets.record import TicketRow, TicketTrial, row_of

_AS_GOOD_AS_RIGHT = 0.995


@dataclass(frozen=True)
class AxisLine:
    """One axis of a ticket, judged."""

    wanted: str
    pool: str
    is_met: bool
    why: str


@dataclass(frozen=True)
class Key:
    """What would have been right."""

    verdict: str
    cause: str
    """Empty where nothing is wrong."""
    blamed: str
    """Innocent devices that the ticket blames."""
    untrue: tuple[str, ...]
    """Claims of the ticket that don't hold."""
    checks: tuple[str, ...]
    """What a good fix is judged by."""
    remedy: tuple[str, ...]
    """A fix that works."""


@dataclass(frozen=True)
class TicketTrialView:
    """Everything a reader may ask of one trial of a ticket."""

    anchor: str
    record: str
    """Its file, in the run's folder."""
    row: TicketRow
    trial: TicketTrial
    grade: str
    said: str
    diagnosis: Excerpt
    key: Key | None
    """None where the run's plan isn't kept."""
    axes: tuple[AxisLine, ...]
    calls: tuple[tuple[str, bool], ...]
    """Every call in a line, and whether it ended with an error."""
    elapsed: str


def ticket_trials(
    trials: Sequence[TicketTrial], tickets: Sequence[Ticket], shorten: Shorten
) -> tuple[TicketTrialView, ...]:
    """Trials in the given order, numbered from 1."""
    by_id = {ticket.id: ticket for ticket in tickets}
    return tuple(_view(number, trial, by_id, shorten) for number, trial in enumerate(trials, start=1))


def call_line(call: ToolCall) -> str:
    """A call with its arguments: `exec_shell device=r1, command=ip route`."""
    arguments = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
    return one_line(f"{call.tool} {arguments}".rstrip())


def _view(number: int, trial: TicketTrial, by_id: Mapping[str, Ticket], shorten: Shorten) -> TicketTrialView:
    ticket = by_id.get(trial.ticket_id)
    # Which devices there are matters for commands of a fix alone, and those are in the record.
    told = read_answer(trial.answer, ()) if trial.answer else None
    return TicketTrialView(
        anchor=f"trial-{number}",
        record=f"trials/{kept_name(trial.ticket_id, trial.agent)}",
        row=row_of(trial).model_copy(update={"agent": shorten(trial.agent)}),
        trial=trial,
        grade=_grade(trial.score),
        said=_verdict(told.is_anomaly, told.devices) if told else _unanswered(trial.score),
        diagnosis=excerpt(told.text if told else ""),
        key=_key(ticket) if ticket else None,
        axes=tuple(_axes(trial.score)) if trial.score else (),
        calls=tuple((call_line(call), call.is_error) for call in trial.calls),
        elapsed=seconds(trial.elapsed_s),
    )


def _grade(score: TicketScore | None) -> str:
    if score is None:
        return "none"
    if score.outcome >= _AS_GOOD_AS_RIGHT:
        return "right"
    return "partial" if score.outcome > 0 else "wrong"


def _verdict(is_anomaly: bool | None, devices: Sequence[str]) -> str:
    """A verdict with the devices that are named: `something is broken: r1, r2`."""
    verdict = "no verdict" if is_anomaly is None else "something is broken" if is_anomaly else "healthy"
    return f"{verdict}: {', '.join(devices)}" if devices else verdict


def _unanswered(score: TicketScore | None) -> str:
    """What a trial without a kept answer says."""
    return _verdict(score.is_anomaly, ()) if score is not None and score.is_answered else "no answer"


def _key(ticket: Ticket) -> Key:
    fault = ticket.fault
    return Key(
        verdict=_verdict(fault is not None, sorted(ticket.culprits)),
        cause=fault.cause if fault else "",
        blamed=", ".join(ticket.blamed),
        untrue=tuple(claim.says for claim in ticket.claims if not claim.is_true),
        checks=tuple(deciding_checks(ticket)),
        remedy=tuple(f"{command.on}: {command.run}" for command in fault.fix) if fault else (),
    )


def _axes(score: TicketScore) -> Iterator[AxisLine]:
    for result in score.axes:
        wanted, pool = _wanted(result.axis)
        yield AxisLine(wanted=wanted, pool=pool, is_met=result.is_met, why=result.why)


def _wanted(axis: Axis) -> tuple[str, str]:
    """What an axis asks for, and its pool."""
    match axis:
        case NoAnomaly():
            return "The answer says that nothing is wrong", "must"
        case NoFaultyDevices():
            return "The answer names no device", "must"
        case Identifies():
            return f"The answer names {axis.device}", "must"
        case NotIdentifies():
            return f"The answer doesn't name {axis.device}", "must"
        case Says():
            return f"Diagnosis: {axis.text}", axis.pool
