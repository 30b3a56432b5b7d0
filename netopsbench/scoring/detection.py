"""How well an agent tells a faulty network from a healthy one."""

import math
from collections.abc import Iterable

from netopsbench.core.model import Model
from netopsbench.records.score import Score
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.statistics import Estimate, rate


class Detection(Model):
    """Verdicts against truths, counted in trials; ratios are None where they would divide by nothing.

    No verdict (inconclusive, no answer, a failed agent) counts as the wrong one, so the four counts add up.
    """

    hits: int
    """Faulty, and the verdict says so."""
    misses: int
    """Faulty, and the verdict doesn't say so."""
    all_clears: int
    """Healthy, and the verdict says so."""
    wrong_on_healthy: int
    """Healthy, and the verdict doesn't say so."""
    false_alarms: int
    """Those of `wrong_on_healthy` in which the agent claimed a fault."""
    accuracy: Estimate | None
    precision: float | None
    recall: float | None
    f1: float | None
    specificity: float | None
    balanced_accuracy: float | None
    mcc: float | None
    """Matthews correlation, −1 to 1; 0 for a constant answer; None when one kind of case is missing."""


def detection(scored: Iterable[tuple[TrialFacts, Score]]) -> Detection:
    """Verdict counts and ratios of the scored trials of one agent."""
    pairs = list(scored)
    faulty = [score.is_detected for trial, score in pairs if trial.truth.is_faulty]
    healthy = [score.is_detected for trial, score in pairs if not trial.truth.is_faulty]
    hits, misses = sum(faulty), len(faulty) - sum(faulty)
    all_clears, wrong = sum(healthy), len(healthy) - sum(healthy)
    recall = _ratio(hits, hits + misses)
    specificity = _ratio(all_clears, all_clears + wrong)
    has_both = recall is not None and specificity is not None
    return Detection(
        hits=hits,
        misses=misses,
        all_clears=all_clears,
        wrong_on_healthy=wrong,
        false_alarms=sum(_is_false_alarm(trial, score) for trial, score in pairs),
        accuracy=rate((score.case_id, float(score.is_detected)) for _, score in pairs),
        precision=_ratio(hits, hits + wrong),
        recall=recall,
        f1=_ratio(2 * hits, 2 * hits + wrong + misses),
        specificity=specificity,
        balanced_accuracy=(recall + specificity) / 2 if recall is not None and specificity is not None else None,
        mcc=_matthews(hits, misses, all_clears, wrong) if has_both else None,
    )


def _is_false_alarm(trial: TrialFacts, score: Score) -> bool:
    has_failed = trial.error is not None and trial.error.side == "agent"
    return (
        not trial.truth.is_faulty
        and not score.is_detected
        and not has_failed
        and trial.answer is not None
        and trial.answer.verdict == "fault_detected"
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _matthews(hits: int, misses: int, all_clears: int, wrong: int) -> float:
    spread = (hits + wrong) * (hits + misses) * (all_clears + wrong) * (all_clears + misses)
    return (hits * all_clears - wrong * misses) / math.sqrt(spread) if spread else 0.0
