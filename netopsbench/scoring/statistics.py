"""Means with their uncertainty, where the case and not the trial is what repeats."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import numpy as np

from netopsbench.core.model import Model

Z_95 = 1.959963984540054
"""Two-sided 95 % point of the normal distribution."""
BOOTSTRAP_FROM_CASES = 20
"""Below this a resampled interval is too narrow to be believed."""
BOOTSTRAP_RESAMPLES = 10_000
BOOTSTRAP_SEED = 20_240_601


class Estimate(Model):
    """A mean over cases and its 95 % interval."""

    value: float
    low: float
    high: float
    method: Literal["wilson", "bootstrap"]
    cases: int
    """How many cases the mean is over; trials of one case count as one."""


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value, the same in any order."""
    return math.fsum(values) / len(values)


def case_means(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean of each case out of (case id, value) pairs, in the order of case ids."""
    by_case: dict[str, list[float]] = {}
    for case_id, value in values:
        by_case.setdefault(case_id, []).append(value)
    return {case_id: mean(by_case[case_id]) for case_id in sorted(by_case)}


def rate(values: Iterable[tuple[str, float]]) -> Estimate | None:
    """The mean of yes-or-no outcomes per case, with the Wilson interval for n = cases; None without cases."""
    return _wilson_estimate(case_means(values))


def average(values: Iterable[tuple[str, float]]) -> Estimate | None:
    """The mean of scores in 0–1 per case; None without cases.

    From 20 cases on the interval is a bootstrap over cases. With fewer, or when all cases are worth the
    same (a bootstrap would then have no width at all), it is Wilson's on the per-case means.
    """
    by_case = case_means(values)
    if len(by_case) < BOOTSTRAP_FROM_CASES or len(set(by_case.values())) == 1:
        return _wilson_estimate(by_case)
    low, high = bootstrap_interval(list(by_case.values()))
    return Estimate(value=mean(list(by_case.values())), low=low, high=high, method="bootstrap", cases=len(by_case))


def wilson_interval(share: float, cases: int) -> tuple[float, float]:
    """Wilson's 95 % score interval for a share out of `cases`.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    shrink = 1 + Z_95**2 / cases
    centre = (share + Z_95**2 / (2 * cases)) / shrink
    half = Z_95 / shrink * math.sqrt(share * (1 - share) / cases + Z_95**2 / (4 * cases**2))
    # At 0 and 1 the exact bound is the share itself; rounding must not push it past.
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return low, high


def bootstrap_interval(means: Sequence[float]) -> tuple[float, float]:
    """The 95 % percentile interval of the mean when whole cases are drawn again; always the same draw."""
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    values, counts = np.unique(np.asarray(means, dtype=np.float64), return_counts=True)
    # Cases that are worth the same needn't be told apart: drawing how often each worth comes up is the same draw,
    # and thousands of cases take no gigabytes.
    times = rng.multinomial(len(means), counts / len(means), size=BOOTSTRAP_RESAMPLES)
    drawn = times @ values / len(means)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def macro_average(value_by_scale: Mapping[str, float]) -> float | None:
    """The mean over scales, each counted once whatever its number of cases; None without scales."""
    return mean(list(value_by_scale.values())) if value_by_scale else None


def _wilson_estimate(by_case: Mapping[str, float]) -> Estimate | None:
    if not by_case:
        return None
    share = mean(list(by_case.values()))
    low, high = wilson_interval(share, len(by_case))
    return Estimate(value=share, low=low, high=high, method="wilson", cases=len(by_case))
