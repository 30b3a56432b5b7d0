"""BGP and counters over the time of a trial, thinned out for its record."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from netopsbench.campaign.exposure import Spans
from netopsbench.campaign.sampled import Lines, Reals, Steps, sampled_packets, sampled_sessions, whole
from netopsbench.records.telemetry import BgpEvent, Window
from netopsbench.records.trial import Figure, Timelines, Trace
from netopsbench.telemetry.collectors.pace import CollectorPace
from netopsbench.telemetry.rates import LOOK_BACK_NS
from netopsbench.telemetry.store import Store

STEPS_AT_MOST = 100
TRACES_KEPT = 8
"""Of each figure, beside that of the whole fabric."""
EVENTS_KEPT = 40
_POLLS_MISSED = 2.5
"""A poll may come late, and one may be missed, before its answer counts as unknown."""


def timelines_of(store: Store, spans: Spans, pace: CollectorPace, until_ns: int) -> Timelines:
    """From the start of the baseline to `until_ns`: the whole fabric, and what changed most.

    Raises InfraError when the store doesn't answer.
    """
    since_ns = spans.baseline.since_ns
    step_s = max(pace.poll_s, (until_ns - since_ns) / 1e9 / STEPS_AT_MOST)
    ends = np.arange(since_ns + round(step_s * 1e9), until_ns + 1, round(step_s * 1e9), dtype=np.int64)
    window = Window(since_ns=since_ns - LOOK_BACK_NS, until_ns=until_ns)
    polled = Steps(ends, round(_POLLS_MISSED * pace.poll_s * 1e9))
    told = Steps(ends, round(_POLLS_MISSED * pace.snapshot_s * 1e9)) if pace.is_reduced else polled
    sessions, prefixes = sampled_sessions(store, window, told)
    packets, refused = sampled_packets(store, window, polled)
    is_before = ends <= spans.baseline.until_ns
    is_held = (ends > spans.current.since_ns) & (ends <= spans.current.until_ns)
    events = [event for event in store.query("bgp_event", window) if isinstance(event, BgpEvent)]
    return Timelines(
        since_ns=since_ns,
        step_s=step_s,
        traces=(
            *_traces("sessions", sessions, _range),
            *_traces("prefixes", prefixes, _range),
            *_traces("packets", packets, lambda values: abs(_mean(values[is_held]) - _mean(values[is_before]))),
            *_traces("refused", refused, lambda values: float(np.nansum(values))),
        ),
        events=tuple(events[:EVENTS_KEPT]),
        events_in_all=len(events),
    )


def _traces(figure: Figure, lines: Lines, change: Callable[[Reals], float]) -> Iterator[Trace]:
    """The whole fabric, and the lines with the largest `change`."""
    if not lines:
        return
    yield Trace(figure=figure, of="", values=_values(whole(lines)))
    changes = {name: change(values) for name, values in lines.items()}
    for name in sorted((name for name in lines if changes[name] > 0), key=lambda name: (-changes[name], name))[
        :TRACES_KEPT
    ]:
        yield Trace(figure=figure, of=name, values=_values(lines[name]))


def _values(line: Reals) -> tuple[float | None, ...]:
    return tuple(None if math.isnan(value) else round(value, 1) for value in line.tolist())


def _range(values: Reals) -> float:
    known = values[~np.isnan(values)]
    return float(known.max() - known.min()) if len(known) else 0.0


def _mean(values: Reals) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else 0.0
