"""From counters to what they counted between two moments."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from netopsbench.records.telemetry import InterfaceCounters, NodeCounters, Window

WRAP = 1 << 63
LOOK_BACK_NS = 15_000_000_000
"""How long before a window its first sample may have been taken."""

Sample = TypeVar("Sample", InterfaceCounters, NodeCounters)


def rise(before: int, now: int) -> int:
    """How much was counted between two readings of one counter, at least.

    A counter that fell was set to 0 in between, unless it fell by nearly its whole range: then it wrapped.
    """
    if now >= before:
        return now - before
    return now + WRAP - before if before - now > WRAP // 2 else now


def total_rise(values: Sequence[int]) -> int:
    """How much was counted over a series of readings."""
    return sum(rise(before, now) for before, now in pairwise(values))


def restarts(values: Sequence[int]) -> int:
    """How often the counter was set to 0 in a series of readings."""
    return sum(before > now and before - now <= WRAP // 2 for before, now in pairwise(values))


def reach(window: Window) -> Window:
    """Where the samples of a window lie, the one before it included."""
    return Window(since_ns=window.since_ns - LOOK_BACK_NS, until_ns=window.until_ns)


def samples_of(samples: Sequence[Sample], window: Window) -> list[Sample]:
    """Samples (oldest first) that span the window: the last before it, and those inside; none if there is no span."""
    earlier = [sample for sample in samples if sample.t_ns <= window.since_ns]
    inside = [sample for sample in samples if window.since_ns < sample.t_ns < window.until_ns]
    chosen = earlier[-1:] + inside
    return chosen if len(chosen) > 1 else []
