"""The Pingmesh matrix as heat maps: loss, and median round trip."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from netopsbench.records.trial import MeshCell, MeshView
from netopsbench.report.text import natural

TABLE_UP_TO = 16
"""With more clients the cells carry no numbers, and the worst pairs are listed instead."""
WORST_PAIRS = 10

Quantity = Literal["loss", "rtt"]

_LOSS_STEPS = ((0.0, "l0"), (5.0, "l1"), (30.0, "l2"), (99.999, "l3"))
"""Up to this loss in percent, and the shade."""
_RTT_STEPS = ((1.0, "r0"), (5.0, "r1"), (20.0, "r2"), (100.0, "r3"))
"""Up to this round trip in milliseconds, and the shade."""

LEGENDS: dict[Quantity, tuple[tuple[str, str], ...]] = {
    "loss": (
        ("l0", "0 %"),
        ("l1", "up to 5 %"),
        ("l2", "up to 30 %"),
        ("l3", "under 100 %"),
        ("l4", "100 %"),
        ("none", "no data"),
    ),
    "rtt": (
        ("r0", "up to 1 ms"),
        ("r1", "up to 5 ms"),
        ("r2", "up to 20 ms"),
        ("r3", "up to 100 ms"),
        ("r4", "more"),
        ("lost", "all lost"),
        ("none", "no data"),
    ),
}


@dataclass(frozen=True)
class HeatCell:
    """One ordered pair."""

    shade: str
    text: str
    title: str


@dataclass(frozen=True)
class HeatMap:
    """A matrix of sources (rows) by destinations (columns)."""

    quantity: Quantity
    names: tuple[str, ...]
    rows: tuple[tuple[HeatCell, ...], ...]
    """Empty above `TABLE_UP_TO` clients; then `paths` holds the picture."""
    paths: tuple[tuple[str, str], ...]
    """Shade and SVG path of all cells of that shade, one unit a cell."""

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        return LEGENDS[self.quantity]


@dataclass(frozen=True)
class Mesh:
    """One window of Pingmesh, ready to be shown."""

    loss: HeatMap
    rtt: HeatMap
    summary: str
    worst: tuple[tuple[str, str, str, str], ...]
    """Source, destination, loss and round trip of the worst pairs, where the maps carry no numbers."""


def mesh(view: MeshView, clients: Sequence[str]) -> Mesh:
    """Both heat maps of a window; `clients` that were never measured are shown as no data."""
    cells = {(cell.src, cell.dst): cell for cell in view.cells}
    names = tuple(sorted({*clients, *(name for pair in cells for name in pair)}, key=natural))
    is_large = len(names) > TABLE_UP_TO
    return Mesh(
        loss=_heat_map("loss", names, cells, _loss_cell),
        rtt=_heat_map("rtt", names, cells, _rtt_cell),
        summary=_summary(names, cells),
        worst=_worst(view.cells) if is_large else (),
    )


def loss_text(cell: MeshCell) -> str:
    """Loss in percent; only a loss of exactly nothing is written 0."""
    share = 100 * cell.packets_lost / cell.packets_sent
    if 0 < share < 1:
        return "<1"
    if 99 < share < 100:
        return ">99"
    return f"{share:.0f}"


def _heat_map(
    quantity: Quantity,
    names: tuple[str, ...],
    cells: dict[tuple[str, str], MeshCell],
    show: Callable[[MeshCell], HeatCell],
) -> HeatMap:
    rows = tuple(tuple(_cell(src, dst, cells.get((src, dst)), show) for dst in names) for src in names)
    if len(names) <= TABLE_UP_TO:
        return HeatMap(quantity, names, rows, ())
    return HeatMap(quantity, names, (), _paths(rows))


def _cell(src: str, dst: str, cell: MeshCell | None, show: Callable[[MeshCell], HeatCell]) -> HeatCell:
    if src == dst:
        return HeatCell("self", "", f"{src} itself")
    if cell is None or cell.packets_sent == 0:
        return HeatCell("none", "–", f"{src} to {dst}: no data")
    return show(cell)


def _loss_cell(cell: MeshCell) -> HeatCell:
    share = 100 * cell.packets_lost / cell.packets_sent
    shade = next((shade for limit, shade in _LOSS_STEPS if share <= limit), "l4")
    title = f"{cell.src} to {cell.dst}: {cell.packets_lost} of {cell.packets_sent} lost"
    return HeatCell(shade, loss_text(cell), title)


def _rtt_cell(cell: MeshCell) -> HeatCell:
    median = cell.rtt_median_ms
    if median is None:
        return HeatCell("lost", "lost", f"{cell.src} to {cell.dst}: every probe lost")
    shade = next((shade for limit, shade in _RTT_STEPS if median <= limit), "r4")
    text = f"{median:.2f}" if median < 10 else f"{median:.0f}"
    return HeatCell(shade, text, f"{cell.src} to {cell.dst}: median {text} ms")


def _paths(rows: Sequence[Sequence[HeatCell]]) -> tuple[tuple[str, str], ...]:
    """One path per shade, runs of equal cells joined: a K=12 mesh stays small enough to put into a page."""
    paths: dict[str, list[str]] = {}
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end].shade == row[x].shade:
                end += 1
            paths.setdefault(row[x].shade, []).append(f"M{x} {y}h{end - x}v1h-{end - x}z")
            x = end
    return tuple((shade, "".join(paths[shade])) for shade in sorted(paths))


def _summary(names: Sequence[str], cells: dict[tuple[str, str], MeshCell]) -> str:
    pairs = len(names) * (len(names) - 1)
    measured = [cell for cell in cells.values() if cell.packets_sent and cell.src != cell.dst]
    lossy = sum(cell.packets_lost > 0 for cell in measured)
    dead = sum(cell.packets_lost >= cell.packets_sent for cell in measured)
    medians = sorted(cell.rtt_median_ms for cell in measured if cell.rtt_median_ms is not None)
    parts = [f"{lossy:,} of {pairs:,} pairs lost packets"]
    if dead:
        parts.append(f"{dead:,} of them all packets")
    if medians:
        parts.append(f"middle round trip {medians[len(medians) // 2]:.2f} ms, longest {medians[-1]:.2f} ms")
    if len(measured) < pairs:
        parts.append(f"{pairs - len(measured):,} without data")
    return "; ".join(parts)


def _worst(cells: Sequence[MeshCell]) -> tuple[tuple[str, str, str, str], ...]:
    measured = [cell for cell in cells if cell.packets_sent]
    ranked = sorted(
        measured,
        key=lambda cell: (
            -cell.packets_lost / cell.packets_sent,
            -(cell.rtt_median_ms or 0.0),
            natural(cell.src),
            natural(cell.dst),
        ),
    )
    return tuple(
        (cell.src, cell.dst, f"{loss_text(cell)} %", f"{_rtt_cell(cell).text} ms".replace("lost ms", "lost"))
        for cell in ranked[:WORST_PAIRS]
    )
