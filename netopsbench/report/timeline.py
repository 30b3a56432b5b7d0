"""BGP and counters over the time of a trial, as rows of small pictures beside their figures."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from netopsbench.records.telemetry import BgpEvent, Window
from netopsbench.records.trial import Figure, Timelines, Trace, Trial
from netopsbench.report.text import NOTHING, amount, seconds

WIDTH, HEIGHT = 600.0, 26.0
"""Of a row's picture in its own units; it is stretched to the width that the page has."""
_EDGE = 3.0

_TITLES: dict[Figure, str] = {
    "sessions": "Established BGP sessions",
    "prefixes": "Prefixes received",
    "packets": "Packets received a second",
    "refused": "Packets refused a second",
}
_STATES = ("sessions", "prefixes")
_GONE = "not configured"


@dataclass(frozen=True)
class Band:
    """A span of the trial that all pictures show behind their lines."""

    kind: Literal["before", "held", "asked"]
    x: float
    width: float


@dataclass(frozen=True)
class Row:
    """One figure of the fabric, of a node, or of a port."""

    name: str
    before: str
    """Mean of the window before the injection."""
    during: str
    """Mean of the window in question."""
    lowest: str
    highest: str
    path: str
    """The line as an SVG path, with gaps where nothing is known."""


@dataclass(frozen=True)
class Chart:
    """One figure."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class TimelineView:
    """All that a trial tells over its time."""

    charts: tuple[Chart, ...]
    bands: tuple[Band, ...]
    marks: tuple[tuple[str, float], ...]
    """Moments and where they lie."""
    length: str
    events: tuple[tuple[str, str, str, str], ...]
    """When, switch, neighbor, and what changed."""
    more_events: int


def timeline_view(trial: Trial) -> TimelineView | None:
    """The view of a trial's timelines; None where none were recorded."""
    lines = trial.timelines
    if lines is None or not lines.traces:
        return None
    span = _Span(lines)
    windows = tuple(mesh.window if mesh else None for mesh in (trial.baseline_mesh, trial.fault_mesh))
    asked = [phase for phase in trial.phases if phase.name == "agent"]
    return TimelineView(
        charts=tuple(_charts(lines, span, windows)),
        bands=(
            *(span.band("before", window) for window in windows[:1] if window is not None),
            *(span.band("held", window) for window in windows[1:] if window is not None),
            *(span.band("asked", _window(each.started_ns, each.elapsed_s)) for each in asked),
        ),
        marks=tuple((each.name, span.x(each.started_ns)) for each in trial.phases if each.name in ("inject", "undo")),
        length=seconds(span.length_s),
        events=tuple(_event(event, lines.since_ns) for event in lines.events),
        more_events=lines.events_in_all - len(lines.events),
    )


class _Span:
    """Where moments lie in a picture."""

    def __init__(self, lines: Timelines) -> None:
        self._lines = lines
        self._steps = max(len(trace.values) for trace in lines.traces)
        self.length_s = self._steps * lines.step_s

    def x(self, t_ns: int) -> float:
        share = (t_ns - self._lines.since_ns) / 1e9 / self.length_s if self.length_s else 0.0
        return round(WIDTH * min(1.0, max(0.0, share)), 1)

    def band(self, kind: Literal["before", "held", "asked"], window: Window) -> Band:
        left = self.x(window.since_ns)
        return Band(kind, left, round(self.x(window.until_ns) - left, 1))

    def path(self, trace: Trace) -> str:
        """A line that keeps each value for its step."""
        ground, top = _limits(trace)
        parts, was_known = [], False
        for step, value in enumerate(trace.values):
            if value is not None:
                x, y = (
                    WIDTH * step / self._steps,
                    HEIGHT - _EDGE - (HEIGHT - 2 * _EDGE) * (value - ground) / (top - ground),
                )
                parts.append(f"{'V' if was_known else f'M{x:.1f} '}{y:.1f}H{x + WIDTH / self._steps:.1f}")
            was_known = value is not None
        return "".join(parts)

    def mean(self, trace: Trace, window: Window | None) -> float | None:
        """Mean of the steps that end in a window."""
        if window is None:
            return None
        step_ns = self._lines.step_s * 1e9
        known = [
            value
            for step, value in enumerate(trace.values, start=1)
            if value is not None and window.since_ns < self._lines.since_ns + step * step_ns <= window.until_ns
        ]
        return sum(known) / len(known) if known else None


def _limits(trace: Trace) -> tuple[float, float]:
    """The values at the bottom and at the top of a picture."""
    known = [value for value in trace.values if value is not None]
    lowest, highest = min(known, default=0.0), max(known, default=0.0)
    # One session of hundreds would be too small a step to be seen; rates are never quite the same.
    ground = lowest if trace.figure in _STATES and lowest < highest else 0.0
    return ground, max(highest, ground + 1.0)


def _charts(lines: Timelines, span: _Span, windows: tuple[Window | None, ...]) -> Iterable[Chart]:
    for figure, title in _TITLES.items():
        rows = tuple(_row(trace, span, windows) for trace in lines.traces if trace.figure == figure)
        if rows:
            yield Chart(title, rows)


def _row(trace: Trace, span: _Span, windows: tuple[Window | None, ...]) -> Row:
    known = [value for value in trace.values if value is not None]
    before, during = (_amount(span.mean(trace, window)) for window in windows)
    return Row(
        name=trace.of or "whole fabric",
        before=before,
        during=during,
        lowest=_amount(min(known, default=None)),
        highest=_amount(max(known, default=None)),
        path=span.path(trace),
    )


def _amount(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value == round(value) else amount(value)


def _event(event: BgpEvent, since_ns: int) -> tuple[str, str, str, str]:
    change = f"{event.from_state or _GONE} → {event.to_state or _GONE}"
    if event.from_state == event.to_state:
        change = "lost and back"
    return seconds(max(0.0, (event.t_ns - since_ns) / 1e9)), event.source, event.neighbor_address, change


def _window(started_ns: int, elapsed_s: float) -> Window:
    return Window(since_ns=started_ns, until_ns=started_ns + round(elapsed_s * 1e9))
