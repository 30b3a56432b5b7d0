"""Two agents on the same cases: how far apart they are, and how many cases it takes to tell."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.records.score import Score
from netopsbench.scoring.statistics import BOOTSTRAP_FROM_CASES, Z_95, bootstrap_interval, case_means, mean

Z_POWER_80 = 0.8416212335729143
"""80 % point of the normal distribution."""
POINTS = (5, 10, 20)
"""Differences in points of 100 for which a number of cases is worked out."""


class Comparison(Model):
    """Strict scores of `a` minus those of `b` on the cases that are valid for both."""

    a: str
    b: str
    cases: int
    only_a: int
    """Cases that are valid for `a` alone: left out."""
    only_b: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    """95 % interval of the difference."""
    method: Literal["bootstrap", "adjusted"]
    """`adjusted`: half a case added to each of better, worse and (twice) equal; below 20 cases."""
    better: int
    worse: int
    equal: int
    deviation: float
    """Paired standard deviation: of the differences per case."""
    cases_needed: dict[int, int]
    """Cases to see a difference of so many points at the 5 % level four times out of five."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def compare_scores(a: str, of_a: Iterable[Score], b: str, of_b: Iterable[Score]) -> Comparison | None:
    """Compare two agents by their scores, repeats of a case averaged; None when they share no valid case."""
    return compare_values(
        a, ((score.case_id, score.strict) for score in of_a), b, ((score.case_id, score.strict) for score in of_b)
    )


def compare_values(
    a: str, of_a: Iterable[tuple[str, float]], b: str, of_b: Iterable[tuple[str, float]]
) -> Comparison | None:
    """Compare two sets of (case id, value in 0–1) pairs, repeats of a case averaged; None without a shared case."""
    first, second = case_means(of_a), case_means(of_b)
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    differences = [first[case_id] - second[case_id] for case_id in shared]
    low, high, method = _interval(differences)
    deviation = _deviation(differences)
    return Comparison(
        a=a,
        b=b,
        cases=len(shared),
        only_a=len(first) - len(shared),
        only_b=len(second) - len(shared),
        mean_a=mean([first[case_id] for case_id in shared]),
        mean_b=mean([second[case_id] for case_id in shared]),
        difference=mean(differences),
        low=low,
        high=high,
        method=method,
        better=sum(each > 0 for each in differences),
        worse=sum(each < 0 for each in differences),
        equal=sum(each == 0 for each in differences),
        deviation=deviation,
        cases_needed={points: cases_needed(deviation, points / 100) for points in POINTS},
    )


def compare_all(scores: Mapping[str, Sequence[Score]]) -> tuple[Comparison, ...]:
    """Every two agents of a run, in the given order, those without a common case left out."""
    names = list(scores)
    pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]
    found = (compare_scores(a, scores[a], b, scores[b]) for a, b in pairs)
    return tuple(each for each in found if each is not None)


def cases_needed(deviation: float, difference: float) -> int:
    """How many cases a paired comparison needs: ((z of 97.5 % + z of 80 %) · deviation / difference)², at least 2."""
    return max(2, math.ceil(((Z_95 + Z_POWER_80) * deviation / difference) ** 2))


def _interval(differences: Sequence[float]) -> tuple[float, float, Literal["bootstrap", "adjusted"]]:
    if len(differences) >= BOOTSTRAP_FROM_CASES and len(set(differences)) > 1:
        low, high = bootstrap_interval(differences)
        return low, high, "bootstrap"
    low, high = _adjusted_interval(differences)
    return low, high, "adjusted"


def _adjusted_interval(differences: Sequence[float]) -> tuple[float, float]:
    """Wald's interval with half a case added to each cell, so that equal differences don't give one without width.

    Source: Agresti and Min, "Simple improved confidence intervals for comparing matched proportions", 2005.
    """
    count = len(differences) + 2
    centre = math.fsum(differences) / count
    spread = (math.fsum(each**2 for each in differences) + 1) / count - centre**2
    half = Z_95 * math.sqrt(spread / count)
    return max(-1.0, centre - half), min(1.0, centre + half)


def _deviation(differences: Sequence[float]) -> float:
    """Sample standard deviation; where all are equal, or there is one, that of the adjusted interval."""
    if len(set(differences)) > 1:
        centre = mean(differences)
        return math.sqrt(math.fsum((each - centre) ** 2 for each in differences) / (len(differences) - 1))
    count = len(differences) + 2
    centre = math.fsum(differences) / count
    return math.sqrt((math.fsum(each**2 for each in differences) + 1) / count - centre**2)
