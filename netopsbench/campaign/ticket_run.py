"""All chosen tickets of a lab with some agents, and what came out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from netopsbench.agent.run import Examination, examine
from netopsbench.agent.spec import is_spec, parse_spec
from netopsbench.campaign.contestants import ORACLE, Entry, check_names
from netopsbench.campaign.ticket_trial import TicketTerms, run_ticket
from netopsbench.core.errors import Problem, SpecError
from netopsbench.records.answers import Answer, Finding, Location, Question
from netopsbench.scoring.judge import JudgeSettings
from netopsbench.scoring.judge_client import asking
from netopsbench.tickets.axes import Says
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.outcome import score_ticket
from netopsbench.tickets.question import FIX, read_answer
from netopsbench.tickets.record import TicketTrial
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tickets.text_judge import TextJudge

_SEEDED = "random-device"
_OWN_TOOLS_ONLY = frozenset({"believer", "checks-first", _SEEDED, "baseline"})


def check_agents(agents: Sequence[str], terms: TicketTerms) -> None:
    """Raises SpecError for agents that aren't known, or can't work with the tools' published names."""
    check_names(agents, "tickets")
    wanted = "an agent that reads what tools there are; this one knows ours: leave out --tools published"
    strange = [each for each in agents if terms.tools == "published" and each in _OWN_TOOLS_ONLY]
    if strange:
        raise SpecError([Problem("tickets run", "--agent", each, wanted) for each in strange])


def run_tickets(
    tickets: Sequence[Ticket], agents: Sequence[str], lab: StandingLab, terms: TicketTerms
) -> Iterator[TicketTrial]:
    """Each ticket with each agent, the agents of one ticket one after the other."""
    for ticket in tickets:
        for agent in agents:
            entry = entry_of(agent, ticket)

            def examined(question: Question, socket: Path, entry: Entry = entry) -> Examination:
                return examine(entry.agent, question, socket, options=entry.options)

            trial = run_ticket(ticket, agent, examined, lab, terms)
            yield judged(trial, ticket, lab, terms.judge) if terms.judge else trial


def judged(trial: TicketTrial, ticket: Ticket, lab: StandingLab, settings: JudgeSettings) -> TicketTrial:
    """The trial with a judge's opinion on its texts; a judge that fails has seen nothing met."""
    if trial.score is None or trial.answer is None:
        return trial
    judge = TextJudge(asking(settings), settings.times)
    answer = read_answer(trial.answer, [node.name for node in lab.plan.nodes])
    score = score_ticket(ticket, answer, trial.agent, trial.score.fix, judge)
    return trial.model_copy(update={"score": score, "judged": tuple(judge.judged)})


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
