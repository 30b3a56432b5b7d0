"""What an agent took for its score: time, calls, tokens, money."""

from collections.abc import Callable, Iterable, Sequence

from netopsbench.core.model import Model
from netopsbench.records.usage import Usage
from netopsbench.scoring.counts import CUT_SHORT
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.statistics import case_means, mean


class Effort(Model):
    """Means per scored case and totals over all attempts; None is unknown, never 0."""

    time_s: float | None
    """The agent's own time in seconds, tools excluded."""
    tool_time_s: float | None
    tool_calls: float | None
    tokens: float | None
    """None as soon as one trial doesn't tell them."""
    cost_usd: float | None
    total_time_s: float
    """Of all planned trials that were read, set-up and failed attempts included."""
    total_tokens: int | None
    total_cost_usd: float | None
    attempts: int
    """Tries of all trials together."""
    invalid_attempts: int
    """Tries that came to nothing because the trial was invalid, and were made once more."""
    cut_short: int
    """Tries that ended because the run was interrupted or killed."""


class ParetoPoint(Model):
    """An agent's score against what it took for a case."""

    agent: str
    score: float
    time_s: float | None
    tool_calls: float | None
    tokens: float | None
    cost_usd: float | None
    best_by: tuple[str, ...]
    """Of `time_s`, `tool_calls`, `tokens`, `cost_usd`: those by which no other agent scores as much for less."""


_RESOURCES: dict[str, Callable[[Effort], float | None]] = {
    "time_s": lambda effort: effort.time_s,
    "tool_calls": lambda effort: effort.tool_calls,
    "tokens": lambda effort: effort.tokens,
    "cost_usd": lambda effort: effort.cost_usd,
}


def effort(trials: Sequence[TrialFacts]) -> Effort:
    """What the trials of one agent took."""
    scored = [trial for trial in trials if trial.end == "scored"]
    usages = [usage for trial in trials if trial.was_question_asked for usage in trial.all_usage]
    earlier = [attempt for trial in trials for attempt in trial.earlier]
    cut_short = sum(attempt.reason in CUT_SHORT for attempt in earlier)
    return Effort(
        time_s=_mean(scored, lambda trial: trial.agent_time_s),
        tool_time_s=_mean(scored, lambda trial: trial.tool_time_s),
        tool_calls=_mean(scored, lambda trial: float(trial.tool_calls)),
        tokens=_mean(scored, lambda trial: trial.usage.tokens if trial.usage else None),
        cost_usd=_mean(scored, lambda trial: trial.usage.cost_usd if trial.usage else None),
        total_time_s=sum(trial.total_time_s for trial in trials),
        total_tokens=_tokens(usages),
        total_cost_usd=_cost(usages),
        attempts=len(trials) + len(earlier),
        invalid_attempts=len(earlier) - cut_short,
        cut_short=cut_short,
    )


def pareto(efforts: Iterable[tuple[str, float, Effort]]) -> tuple[ParetoPoint, ...]:
    """Points of all agents, (name, score, effort) each, and by what each of them is unbeaten."""
    known = list(efforts)

    def is_unbeaten(score: float, own: Effort, amount_of: Callable[[Effort], float | None]) -> bool:
        amount = amount_of(own)
        if amount is None:
            return False
        rivals = [(other_score, rival) for _, other_score, other in known if (rival := amount_of(other)) is not None]
        return not any(
            (other_score >= score and rival < amount) or (other_score > score and rival <= amount)
            for other_score, rival in rivals
        )

    return tuple(
        ParetoPoint(
            agent=name,
            score=score,
            time_s=own.time_s,
            tool_calls=own.tool_calls,
            tokens=own.tokens,
            cost_usd=own.cost_usd,
            best_by=tuple(each for each, amount_of in _RESOURCES.items() if is_unbeaten(score, own, amount_of)),
        )
        for name, score, own in known
    )


def _mean(trials: Iterable[TrialFacts], amount: Callable[[TrialFacts], float | None]) -> float | None:
    """Mean over cases; None when one trial doesn't tell, or there is none."""
    amounts = [(trial.case_id, amount(trial)) for trial in trials]
    known = [(case_id, value) for case_id, value in amounts if value is not None]
    return mean(list(case_means(known).values())) if known and len(known) == len(amounts) else None


def _tokens(usages: Sequence[Usage | None]) -> int | None:
    known = [usage.tokens for usage in usages if usage is not None and usage.tokens is not None]
    return sum(known) if known and len(known) == len(usages) else None


def _cost(usages: Sequence[Usage | None]) -> float | None:
    known = [usage.cost_usd for usage in usages if usage is not None and usage.cost_usd is not None]
    return sum(known) if known and len(known) == len(usages) else None
