"""A fabric drawn with box characters: a line between tiers joins everything that touches it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from netopsbench.fabric.export.rows import Rows, plural, rows_of
from netopsbench.fabric.plan import FabricPlan, Node, Role

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
STROKES = {
    UP | DOWN: "│",
    LEFT | RIGHT: "─",
    UP | RIGHT: "└",
    UP | LEFT: "┘",
    DOWN | RIGHT: "┌",
    DOWN | LEFT: "┐",
    UP | DOWN | RIGHT: "├",
    UP | DOWN | LEFT: "┤",
    DOWN | LEFT | RIGHT: "┬",
    UP | LEFT | RIGHT: "┴",
    UP | DOWN | LEFT | RIGHT: "┼",
}
BOX_GAP = 1
POD_GAP = 3


@dataclass
class _Canvas:
    """Characters, and strokes that meet."""

    letters: dict[tuple[int, int], str] = field(default_factory=dict)
    strokes: dict[tuple[int, int], int] = field(default_factory=dict)

    def write(self, x: int, y: int, text: str) -> None:
        for offset, letter in enumerate(text):
            self.letters[x + offset, y] = letter

    def stroke(self, x: int, y: int, directions: int) -> None:
        self.strokes[x, y] = self.strokes.get((x, y), 0) | directions

    def text(self) -> str:
        drawn = {at: STROKES.get(directions, "│") for at, directions in self.strokes.items()} | self.letters
        lines = []
        for y in range(max(y for _, y in drawn) + 1):
            columns = [x for x, row in drawn if row == y]
            line = "".join(drawn.get((x, y), " ") for x in range(max(columns, default=-1) + 1))
            lines.append(line.rstrip())
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Bus:
    """Upper nodes that all reach the same lower nodes."""

    uppers: tuple[str, ...]
    lowers: tuple[str, ...]


Labels = dict[str, list[str]]
"""What stands in each switch's box, line by line."""


def draw_text(plan: FabricPlan, width: int = 100) -> str:
    """The fabric as text of at most `width` columns.

    Where it is wider the clients are left out of the drawing; where that is still too wide it is a list.
    """
    rows = rows_of(plan)
    listed = _listed(plan)
    for labels, rest in ((_with_clients(rows), ""), (_names(rows), f"\n{listed.splitlines()[-1]}\n")):
        columns, wanted = _columns(rows, labels)
        if columns and wanted <= width:
            return _drawn(rows, labels, columns) + rest
    return listed


def _drawn(rows: Rows, labels: Labels, columns: dict[str, int]) -> str:
    canvas = _Canvas()
    y = 0
    tiers = _tiers(rows)
    for number, tier in enumerate(tiers):
        for node in tier:
            _box(canvas, columns[node.name], y, labels[node.name])
        y += max(len(labels[node.name]) for node in tier)
        if number + 1 < len(tiers):
            y = _buses(canvas, columns, y, _joined(tier, tiers[number + 1])) + 1
    return canvas.text()


def _tiers(rows: Rows) -> list[tuple[Node, ...]]:
    uppers = tuple(node for pod in rows.pods for node in pod.uppers)
    racks = tuple(rack.switch for pod in rows.pods for rack in pod.racks)
    return [tier for tier in (rows.tops, uppers, racks) if tier]


def _names(rows: Rows) -> Labels:
    return {node.name: [node.name] for tier in _tiers(rows) for node in tier}


def _with_clients(rows: Rows) -> Labels:
    labels = _names(rows)
    for rack in (rack for pod in rows.pods for rack in pod.racks if rack.clients):
        first, last = rack.clients[0].name, rack.clients[-1].name
        labels[rack.switch.name].append(first if first == last else f"{first}–{last.removeprefix('client')}")
    return labels


def _columns(rows: Rows, labels: Labels) -> tuple[dict[str, int], int]:
    """The middle column of every switch, and how many columns the widest tier takes."""
    widths = {name: max(map(len, lines)) + 4 for name, lines in labels.items()}
    middles: dict[str, int] = {}
    x = 0
    for pod in rows.pods:
        racks = [rack.switch for rack in pod.racks]
        pod_width = max(_row_width(widths, pod.uppers), _row_width(widths, racks))
        _place(middles, widths, pod.uppers, (x, pod_width))
        _place(middles, widths, racks, (x, pod_width))
        x += pod_width + POD_GAP
    total = max(x - POD_GAP, _row_width(widths, rows.tops))
    _place(middles, widths, rows.tops, (0, total))
    return middles, total


def _row_width(widths: dict[str, int], nodes: Sequence[Node]) -> int:
    return sum(widths[node.name] for node in nodes) + BOX_GAP * max(0, len(nodes) - 1)


def _place(middles: dict[str, int], widths: dict[str, int], nodes: Sequence[Node], span: tuple[int, int]) -> None:
    """Spread boxes over a span, the spare columns evenly around them."""
    left, width = span
    spare = width - _row_width(widths, nodes)
    used = 0
    for position, node in enumerate(nodes):
        before = spare * (2 * position + 1) // (2 * len(nodes))
        middles[node.name] = left + before + used + widths[node.name] // 2
        used += widths[node.name] + BOX_GAP


def _joined(uppers: Sequence[Node], lowers: Sequence[Node]) -> list[_Bus]:
    """Uppers with the same neighbours below share a line, so every crossing of one is a link."""
    names = [node.name for node in lowers]
    grouped: dict[tuple[str, ...], list[str]] = {}
    for upper in uppers:
        facing = {port.peer.node for port in upper.interfaces}
        grouped.setdefault(tuple(name for name in names if name in facing), []).append(upper.name)
    return [_Bus(tuple(members), facing) for facing, members in grouped.items() if facing]


def _buses(canvas: _Canvas, columns: dict[str, int], top: int, buses: Sequence[_Bus]) -> int:
    """Draw the lines below row `top`; returns the last row used."""
    spans: list[list[tuple[int, int]]] = []
    placed: list[tuple[_Bus, int]] = []
    for bus in buses:
        at = [columns[name] for name in (*bus.uppers, *bus.lowers)]
        first, last = min(at), max(at)
        free = (n for n, taken in enumerate(spans) if all(last < left or right < first for left, right in taken))
        row = next(free, len(spans))
        if row == len(spans):
            spans.append([])
        spans[row].append((first, last))
        placed.append((bus, row))
    bottom = top + len(spans) - 1
    for bus, row in placed:
        _bus(canvas, columns, bus, (top, top + row, bottom))
    return bottom


def _bus(canvas: _Canvas, columns: dict[str, int], bus: _Bus, at: tuple[int, int, int]) -> None:
    top, y, bottom = at
    xs = [columns[name] for name in (*bus.uppers, *bus.lowers)]
    first, last = min(xs), max(xs)
    for x in range(first, last + 1):
        sides = (LEFT if x > first else 0) | (RIGHT if x < last else 0)
        if sides:
            _cross(canvas, x, y, sides)
    for name in bus.uppers:
        for row in range(top, y):
            _cross(canvas, columns[name], row, UP | DOWN)
        canvas.stroke(columns[name], y, UP)
    for name in bus.lowers:
        for row in range(y + 1, bottom + 1):
            _cross(canvas, columns[name], row, UP | DOWN)
        canvas.stroke(columns[name], y, DOWN)


def _cross(canvas: _Canvas, x: int, y: int, directions: int) -> None:
    """Lay a stroke; where it only passes over another line the upright one stays on top, unjoined."""
    here = canvas.strokes.get((x, y), 0)
    if directions == UP | DOWN and here == LEFT | RIGHT:
        canvas.strokes[x, y] = UP | DOWN
    elif not (directions == LEFT | RIGHT and here == UP | DOWN):
        canvas.stroke(x, y, directions)


def _box(canvas: _Canvas, middle: int, y: int, lines: Sequence[str]) -> None:
    width = max(map(len, lines)) + 4
    left = middle - width // 2
    for offset, line in enumerate(lines):
        opening, closing = ("[", "]") if offset == 0 else (" ", " ")
        canvas.write(left, y + offset, f"{opening} {line.center(width - 4)} {closing}")


def _listed(plan: FabricPlan) -> str:
    """One line for each role: how many, which, and what their ports go to."""
    role_of: dict[str, Role] = {node.name: node.role for node in plan.nodes}
    lines = []
    for role in dict.fromkeys(role_of.values()):
        members = [node for node in plan.nodes if node.role == role]
        tallies = [Counter(role_of[port.peer.node] for port in node.interfaces) for node in members]
        facing = [
            f"{_range([tally[peer] for tally in tallies])} to {plural(peer, 2)}"
            for peer in dict.fromkeys(peer for tally in tallies for peer in tally)
        ]
        names = f"{members[0].name} to {members[-1].name}"
        lines.append(f"{len(members)} {plural(role, len(members))}, {names}; ports: {', '.join(facing)}")
    return "\n".join(lines) + "\n"


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least}–{most}"
