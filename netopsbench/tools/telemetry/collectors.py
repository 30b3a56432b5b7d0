"""Records of the collectors, and how far they can be trusted."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Protocol, TypeVar

from netopsbench.records.telemetry import CollectorGap, CollectorHealth, Window
from netopsbench.tools.context import ToolContext
from netopsbench.tools.telemetry.collector_results import CollectorView, TimeSpan

_LATE_POLLS = 3
_LONGEST_BEAT_S = 10.0
_GAPS_SHOWN = 5


class Timed(Protocol):
    """A record."""

    @property
    def t_ns(self) -> int: ...


Sort = TypeVar("Sort")


def of_type(records: Sequence[object], sort: type[Sort]) -> list[Sort]:
    """The records that are of one type."""
    return [record for record in records if isinstance(record, sort)]


def whole_time(context: ToolContext) -> Window:
    """From the start of the baseline to the end of the time in question: what led to a fault lies between them."""
    return Window(since_ns=context.baseline.since_ns, until_ns=context.current.until_ns)


def span_of(context: ToolContext) -> TimeSpan:
    """The whole time, told from the start of the time in question."""
    window = whole_time(context)
    return TimeSpan(since_s=at_s(context, window.since_ns), until_s=at_s(context, window.until_ns))


def at_s(context: ToolContext, t_ns: int) -> float:
    """Seconds from the start of the time in question; negative before it."""
    return round((t_ns - context.current.since_ns) / 1e9, 3)


def view_of(context: ToolContext, collector: str, window: Window, device: str | None = None) -> CollectorView:
    """What a collector says of itself in a window; with `device`, only gaps that concern it."""
    health = of_type(context.store.query("collector_health", window, {"collector": collector}), CollectorHealth)
    gaps = [
        gap
        for gap in of_type(context.store.query("collector_gap", window, {"collector": collector}), CollectorGap)
        if device is None or gap.source in (None, device)
    ]
    last_s = (window.until_ns - health[-1].t_ns) / 1e9 if health else None
    shown = [_in_words(gap, window) for gap in gaps[-_GAPS_SHOWN:]]
    return CollectorView(
        collector=collector,
        polls=len(health),
        polls_incomplete=sum(not report.is_complete for report in health),
        last_poll_s=None if last_s is None else round(last_s, 3),
        gaps=tuple(shown),
        gaps_total=len(gaps),
        message=_message(collector, health, last_s, len(gaps)),
    )


def without_collector(collector: str, why: str) -> CollectorView:
    """The view of a collector that doesn't run."""
    return CollectorView(
        collector=collector,
        polls=0,
        polls_incomplete=0,
        last_poll_s=None,
        gaps=(),
        gaps_total=0,
        message=why,
    )


def _message(collector: str, health: Sequence[CollectorHealth], last_s: float | None, gaps: int) -> str:
    if last_s is None:
        return f"no data: the {collector} collector recorded nothing in this time; whether anything happened is unknown"
    if last_s > _LATE_POLLS * _beat_s(health):
        return f"no data since {last_s:.1f} s before the end of this time: the {collector} collector fell silent"
    return f"{gaps} gaps: what is missing is unknown, not quiet" if gaps else ""


def _beat_s(health: Sequence[CollectorHealth]) -> float:
    steps = [(after.t_ns - before.t_ns) / 1e9 for before, after in pairwise(health)]
    return median(steps) if len(steps) > 1 else _LONGEST_BEAT_S


def _in_words(gap: CollectorGap, window: Window) -> str:
    ago_s, length_s = (window.until_ns - gap.t_ns) / 1e9, (gap.t_ns - gap.since_ns) / 1e9
    where = f"{gap.source}: " if gap.source else ""
    return f"{where}{gap.what} ({length_s:.1f} s, until {ago_s:.1f} s before the end)"
