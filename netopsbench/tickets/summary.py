"""A set of ticket scores in figures: by class, by persona, and personas against each other."""

from collections.abc import Iterable, Sequence

from netopsbench.core.model import Model
from netopsbench.scoring.paired import Comparison, compare_values
from netopsbench.scoring.statistics import mean
from netopsbench.tickets.model import CLASSES, PERSONAS, Persona
from netopsbench.tickets.outcome import TicketScore


class Figures(Model):
    """One group of tickets. Figures are None where nothing is there to take a mean of."""

    tickets: int
    answered: int
    timeouts: int
    outcome: float | None
    """Mean over answered tickets."""
    outcome_with_timeouts: float | None
    """Mean over all, timeouts as 0."""
    outcome_published: float | None
    """Mean over answered tickets, devices matched by substring."""
    outcome_judged: float | None
    """Mean over answered tickets that a judge has seen."""
    over_diagnosis: float | None
    """Share of the answered false-premise tickets in which an anomaly was found."""
    exact: float | None
    """Share of the answered tickets with the right verdict and exactly the culprits."""
    precision: float | None
    recall: float | None
    fix: float | None
    """Mean over answered tickets that have a fix."""
    fix_with_timeouts: float | None


class GroupRow(Model):
    """Figures of one agent for one group."""

    agent: str
    group: str
    figures: Figures


class TicketSummary(Model):
    """All of it for the agents of a run."""

    by_class: tuple[GroupRow, ...]
    by_persona: tuple[GroupRow, ...]
    """Over false-premise tickets, which alone are rewritten."""
    overall: tuple[GroupRow, ...]
    contrasts: tuple[Comparison, ...]
    """Every two personas of one agent, on the tickets that both answered; `a` and `b` are `agent: persona`."""


def summarize(scores: Sequence[TicketScore]) -> TicketSummary:
    """Figures of every agent, in the order of classes and personas."""
    agents = list(dict.fromkeys(score.agent for score in scores))
    standard = [score for score in scores if score.persona == "standard"]
    premises = [score for score in scores if score.ticket_class == "false-premise"]
    return TicketSummary(
        by_class=_rows(agents, [(name, [s for s in standard if s.ticket_class == name]) for name in CLASSES]),
        by_persona=_rows(agents, [(name, [s for s in premises if s.persona == name]) for name in PERSONAS]),
        overall=_rows(agents, [("all", list(scores))]),
        contrasts=tuple(each for agent in agents for each in persona_contrasts(agent, premises)),
    )


def figures(scores: Sequence[TicketScore]) -> Figures:
    """One group."""
    answered = [score for score in scores if score.is_answered]
    premises = [score for score in answered if score.ticket_class == "false-premise"]
    fixes = [score.fix for score in answered if score.fix is not None]
    fixable = [score for score in scores if not score.is_answered and score.ticket_class != "false-premise"]
    return Figures(
        tickets=len(scores),
        answered=len(answered),
        timeouts=len(scores) - len(answered),
        outcome=_mean(score.outcome for score in answered),
        outcome_with_timeouts=_mean(score.outcome for score in scores),
        outcome_published=_mean(score.outcome_published for score in answered),
        outcome_judged=_mean(score.outcome_judged for score in answered if score.outcome_judged is not None),
        over_diagnosis=_mean(float(score.is_over_diagnosed) for score in premises),
        exact=_mean(float(score.is_exact) for score in answered),
        precision=_mean(score.precision for score in answered if score.precision is not None),
        recall=_mean(score.recall for score in answered if score.recall is not None),
        fix=_mean(fixes),
        fix_with_timeouts=_mean([*fixes, *(0.0 for _ in fixable)]),
    )


def persona_contrasts(agent: str, scores: Iterable[TicketScore]) -> tuple[Comparison, ...]:
    """Each two personas of an agent, paired by the ticket that both are rewrites of."""
    by_persona: dict[Persona, list[tuple[str, float]]] = {}
    for score in scores:
        if score.agent == agent and score.is_answered:
            by_persona.setdefault(score.persona, []).append((score.parent, score.outcome))
    names = [name for name in PERSONAS if name in by_persona]
    pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]
    found = (compare_values(f"{agent}: {a}", by_persona[a], f"{agent}: {b}", by_persona[b]) for a, b in pairs)
    return tuple(each for each in found if each is not None)


def _rows(agents: Iterable[str], groups: Sequence[tuple[str, Sequence[TicketScore]]]) -> tuple[GroupRow, ...]:
    return tuple(
        GroupRow(agent=agent, group=name, figures=figures(own))
        for name, members in groups
        for agent in agents
        if (own := [score for score in members if score.agent == agent])
    )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return mean(found) if found else None
