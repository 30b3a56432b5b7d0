"""All chosen tickets of a lab with some agents, and what came out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from netopsbench.agent.run import Examination, examine
from netopsbench.agent.spec import is_spec, parse_spec
from netopsbench.campaign.contestants import ORACLE, Entry
from netopsbench.campaign.ticket_trial import TicketTrial, run_ticket
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer, Budget, Finding, Location, Question
from netopsbench.tickets.axes import Says
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.question import FIX
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tickets.summary import TicketSummary, summarize

_SEEDED = "random-device"


class TicketReport(Model):
    """The trials of a run and their figures."""

    lab: str
    lab_digest: str
    budget: Budget
    trials: tuple[TicketTrial, ...]
    summary: TicketSummary


def run_tickets(
    tickets: Sequence[Ticket], agents: Sequence[str], lab: StandingLab, budget: Budget
) -> Iterator[TicketTrial]:
    """Each ticket with each agent, the agents of one ticket one after the other."""
    for ticket in tickets:
        for agent in agents:
            entry = entry_of(agent, ticket)

            def examined(question: Question, socket: Path, entry: Entry = entry) -> Examination:
                return examine(entry.agent, question, socket, options=entry.options)

            yield run_ticket(ticket, agent, examined, lab, budget)


def ticket_report(lab: StandingLab, budget: Budget, trials: Sequence[TicketTrial]) -> TicketReport:
    """The trials with their figures; invalid ones are in no figure."""
    return TicketReport(
        lab=lab.plan.name,
        lab_digest=lab.plan.digest,
        budget=budget,
        trials=tuple(trials),
        summary=summarize([trial.score for trial in trials if trial.score is not None]),
    )


def entry_of(agent: str, ticket: Ticket) -> Entry:
    """What is run for an agent; `oracle` answers from the ticket's key, which no agent can reach."""
    if agent == ORACLE:
        return Entry(agent="constant", options={"answer": _true_answer(ticket).model_dump(mode="json")})
    if is_spec(agent):
        choice = parse_spec(agent)
        return Entry(agent=choice.agent, options=dict(choice.options))
    return Entry(agent=agent, options={"seed": _seed(ticket)} if agent == _SEEDED else {})


def _true_answer(ticket: Ticket) -> Answer:
    said = " ".join(" ".join(group[0] for group in axis.words) or axis.text for axis in _texts(ticket))
    if ticket.fault is None:
        return Answer(verdict="network_healthy", confidence=1.0, reasoning=said)
    cause = ticket.fault.cause
    return Answer(
        verdict="fault_detected",
        findings=tuple(Finding(fault_type=cause, location=Location(device=each)) for each in ticket.fault.devices),
        confidence=1.0,
        reasoning=said,
        metadata={FIX: [command.model_dump() for command in ticket.fault.fix]},
    )


def _texts(ticket: Ticket) -> list[Says]:
    return [axis for axis in ticket.axes if isinstance(axis, Says)]


def _seed(ticket: Ticket) -> int:
    """Differs between tickets, so that chance isn't the same device every time; the same for all voices of one."""
    return sum(map(ord, ticket.parent or ticket.id))
