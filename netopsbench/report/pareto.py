"""Scores against what they took, as scatter plots with intervals and the front of those whom nobody beats."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from netopsbench.report.text import amount, interval_text, money, score_text, seconds
from netopsbench.scoring.effort import ParetoPoint
from netopsbench.scoring.summary import Summary

WIDTH, HEIGHT = 340.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 30.0, 18.0, 12.0, 28.0
_LOG_ABOVE = 20.0
"""From this ratio of the largest to the smallest amount on, equal steps are equal factors."""
_TICKS = 4
_FULLEST = 0.94
"""Share of the width at which the largest amount lies: its dot and number keep off the border."""
_TICK_GAP = 44.0
_LABEL_GAP = 11.0
_LABEL_SPOTS = ((9.0, -6.0), (9.0, 12.0), (-9.0, -6.0), (-9.0, 12.0), (9.0, -18.0), (-9.0, -18.0), (9.0, 24.0))


@dataclass(frozen=True)
class Resource:
    """Something that a score takes."""

    name: str
    """As in `ParetoPoint`."""
    title: str
    word: str
    amount_of: Callable[[ParetoPoint], float | None]
    text: Callable[[float], str]


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else amount(value)


RESOURCES = (
    Resource("time_s", "Time a case", "time", lambda point: point.time_s, seconds),
    Resource("tool_calls", "Calls a case", "calls", lambda point: point.tool_calls, _count),
    Resource("tokens", "Tokens a case", "tokens", lambda point: point.tokens, _count),
    Resource("cost_usd", "Cost a case", "cost", lambda point: point.cost_usd, money),
)


@dataclass(frozen=True)
class Dot:
    """One agent."""

    number: int
    """Of the agent's row in the table."""
    title: str
    x: float
    y: float
    low_y: float
    high_y: float
    label: tuple[float, float]
    is_unbeaten: bool


@dataclass(frozen=True)
class Scatter:
    """Scores of 0 to 1 from bottom to top, amounts of one resource from left to right."""

    title: str
    is_log: bool
    dots: tuple[Dot, ...]
    front: str
    """SVG path along the unbeaten agents."""
    ticks: tuple[tuple[float, str], ...]
    """Where amounts lie, and how they are written."""
    levels: tuple[tuple[float, str], ...]
    """Where scores lie."""
    description: str


@dataclass(frozen=True)
class ParetoView:
    """A picture for each resource that some agent took."""

    scatters: tuple[Scatter, ...]
    left_out: tuple[str, ...]
    """Words for resources that no agent took or told."""


def pareto_view(summary: Summary) -> ParetoView:
    """All pictures of a run."""
    drawn = {each: _scatter(each, summary) for each in RESOURCES}
    return ParetoView(
        scatters=tuple(scatter for scatter in drawn.values() if scatter is not None),
        left_out=tuple(each.word for each, scatter in drawn.items() if scatter is None),
    )


def _scatter(resource: Resource, summary: Summary) -> Scatter | None:
    amounts = {
        number: taken for number, point in enumerate(summary.pareto) if (taken := resource.amount_of(point)) is not None
    }
    if max(amounts.values(), default=0.0) <= 0:
        return None
    axis = _Axis(tuple(amounts.values()))
    dots: list[Dot] = []
    for number, taken in amounts.items():
        dots.append(_dot(number, resource, taken, axis, summary, dots))
    unbeaten = sorted((dot for dot in dots if dot.is_unbeaten), key=lambda dot: dot.x)
    names = ", ".join(summary.pareto[dot.number - 1].agent for dot in unbeaten)
    return Scatter(
        title=resource.title,
        is_log=axis.is_log,
        dots=tuple(dots),
        front=_front(unbeaten),
        ticks=_apart([(axis.x(value), resource.text(value)) for value in axis.ticks()]),
        levels=tuple((_y(level), f"{level:g}") for level in (0.0, 0.5, 1.0)),
        description=f"Score against {resource.word} of {len(dots)} agents; unbeaten: {names}",
    )


def _dot(number: int, resource: Resource, taken: float, axis: "_Axis", summary: Summary, earlier: Sequence[Dot]) -> Dot:
    point = summary.pareto[number]
    strict = next((agent.strict for agent in summary.agents if agent.agent == point.agent), None)
    x, y = axis.x(taken), _y(point.score)
    return Dot(
        number=number + 1,
        title=f"{point.agent}: {score_text(point.score)} ({interval_text(strict)}) for {resource.text(taken)}",
        x=x,
        y=y,
        low_y=_y(strict.low) if strict else y,
        high_y=_y(strict.high) if strict else y,
        label=_label(x, y, earlier),
        is_unbeaten=resource.name in point.best_by,
    )


class _Axis:
    """Where amounts lie: from 0 on, in equal steps, or in equal factors where they differ much."""

    def __init__(self, amounts: Sequence[float]) -> None:
        self._most = max(amounts)
        self._least = min(value for value in amounts if value > 0)
        self.is_log = self._most / self._least > _LOG_ABOVE

    def x(self, value: float) -> float:
        share = value / self._most
        if self.is_log:
            share = math.log1p(value / self._least) / math.log1p(self._most / self._least)
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * _FULLEST * share, 1)

    def ticks(self) -> list[float]:
        """0 and a few round amounts."""
        if self.is_log:
            low, high = math.ceil(math.log10(self._least)), math.floor(math.log10(self._most))
            powers = [10.0**power for power in range(low, high + 1)]
            return [0.0, *powers[:: max(1, math.ceil(len(powers) / _TICKS))]]
        rough = self._most / (_TICKS - 1)
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
        return [step * number for number in range(int(self._most / step + 0.001) + 1)]


def _apart(ticks: Sequence[tuple[float, str]]) -> tuple[tuple[float, str], ...]:
    """Those ticks whose words don't run into each other; the first one stays."""
    kept: list[tuple[float, str]] = []
    for x, word in ticks:
        if not kept or x - kept[-1][0] >= _TICK_GAP:
            kept.append((x, word))
    return tuple(kept)


def _y(score: float) -> float:
    return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * score, 1)


def _label(x: float, y: float, earlier: Sequence[Dot]) -> tuple[float, float]:
    """A spot beside the dot where no number stands yet."""
    taken = [dot.label for dot in earlier] + [(dot.x, dot.y + 4) for dot in earlier]
    around = [(round(x + right, 1), round(y + down, 1)) for right, down in _LABEL_SPOTS]
    # Under the ground line stand the amounts.
    spots = [spot for spot in around if spot[1] < HEIGHT - _BOTTOM]
    return next(
        (spot for spot in spots if all(math.dist(spot, other) > _LABEL_GAP for other in taken)),
        spots[0],
    )


def _front(unbeaten: Sequence[Dot]) -> str:
    if not unbeaten:
        return ""
    first, *rest = unbeaten
    return f"M{first.x} {first.y}" + "".join(f"H{dot.x}V{dot.y}" for dot in rest) + f"H{WIDTH - _RIGHT:g}"
