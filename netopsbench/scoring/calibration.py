"""Whether an agent knows when it is right: its confidence against its score."""

from collections.abc import Iterable

from netopsbench.core.model import Model
from netopsbench.records.score import Score
from netopsbench.scoring.facts import TrialFacts
from netopsbench.scoring.statistics import mean

BINS = 10
"""Of equal width, 0 to 1; a confidence on a border belongs to the upper one."""


class ConfidenceBin(Model):
    """Answers whose confidence lies in one range."""

    low: float
    high: float
    answers: int
    mean_confidence: float
    share_right: float
    """Of answers with a strict score of 1."""


class Calibration(Model):
    """Confidence of all answers that told one."""

    answers: int
    without_confidence: int
    """Scored trials in which none was told, failed ones included."""
    expected_error: float
    """ECE: distance of confidence and share right in each bin, weighted by answers; 0 is perfect."""
    brier: float
    """Mean squared distance of confidence and outcome (0 or 1)."""
    bins: tuple[ConfidenceBin, ...]
    """Those that hold answers."""


def calibration(scored: Iterable[tuple[TrialFacts, Score]]) -> Calibration | None:
    """The calibration of one agent; None when it never told a confidence."""
    told: list[tuple[float, bool]] = []
    silent = 0
    for trial, score in scored:
        confidence = trial.answer.confidence if trial.answer else None
        has_failed = trial.error is not None and trial.error.side == "agent"
        if confidence is None or has_failed:
            silent += 1
        else:
            told.append((confidence, score.strict == 1))
    if not told:
        return None
    bins = _bins(told)
    return Calibration(
        answers=len(told),
        without_confidence=silent,
        expected_error=sum(each.answers * abs(each.mean_confidence - each.share_right) for each in bins) / len(told),
        brier=mean([(confidence - is_right) ** 2 for confidence, is_right in told]),
        bins=bins,
    )


def _bins(told: Iterable[tuple[float, bool]]) -> tuple[ConfidenceBin, ...]:
    filled: dict[int, list[tuple[float, bool]]] = {}
    for confidence, is_right in told:
        filled.setdefault(min(int(confidence * BINS), BINS - 1), []).append((confidence, is_right))
    return tuple(
        ConfidenceBin(
            low=number / BINS,
            high=(number + 1) / BINS,
            answers=len(filled[number]),
            mean_confidence=mean([confidence for confidence, _ in filled[number]]),
            share_right=mean([float(is_right) for _, is_right in filled[number]]),
        )
        for number in sorted(filled)
    )
