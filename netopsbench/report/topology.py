"""A fabric drawn in tiers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from netopsbench.records.answers import Location
from netopsbench.records.trial import TrialLink, TrialNode
from netopsbench.report.text import natural
from netopsbench.scoring.names import place

_TIER_OF_ROLE = {"core": 0, "spine": 0, "agg": 1, "leaf": 2, "edge": 2, "client": 3}
_LAST_TIER = 3
_NODE_WIDTH, _NODE_HEIGHT, _TIER_STEP, _MARGIN = 74.0, 30.0, 92.0, 14.0
_WIDEST = 1400.0
_LABEL_WIDTH = 44.0
"""A narrower node carries no label, only its title."""


@dataclass(frozen=True)
class DrawnNode:
    """A box; `x` and `y` are its centre."""

    name: str
    role: str
    x: float
    y: float
    width: float
    height: float
    has_label: bool


@dataclass(frozen=True)
class Drawing:
    """A picture of a fabric, in SVG user units."""

    width: float
    height: float
    nodes: tuple[DrawnNode, ...]
    links: tuple[TrialLink, ...]
    links_path: str
    """All links in one SVG path."""

    @property
    def description(self) -> str:
        """The picture in one sentence."""
        roles = dict.fromkeys(node.role for node in self.nodes)
        tally = ", ".join(f"{sum(node.role == role for node in self.nodes)} {role}" for role in roles)
        return f"Fabric of {len(self.nodes)} nodes ({tally}) and {len(self.links)} links"


@dataclass(frozen=True)
class Mark:
    """Where a location lies in a drawing: a ring around its node, and its link where there is one."""

    text: str
    x: float
    y: float
    width: float
    height: float
    link_path: str
    """Empty when no interface is named, or none of that name has a link."""
    port: tuple[float, float] | None
    """The named end of the link."""


def draw(nodes: Sequence[TrialNode], links: Sequence[TrialLink]) -> Drawing:
    """The tiers from top to bottom: core or spine, agg, leaf or edge, client."""
    tiers = _tiers(nodes)
    widest = max((len(tier) for tier in tiers), default=0)
    width = min(_WIDEST, max(360.0, widest * (_NODE_WIDTH + 16) + 2 * _MARGIN))
    drawn = tuple(box for row, tier in enumerate(tiers) for box in _row(tier, row, width))
    at = {box.name: box for box in drawn}
    path = "".join(_line(at[_node(link.a)], at[_node(link.b)]) for link in links if _is_drawn(link, at))
    height = 2 * _MARGIN + _NODE_HEIGHT + max(0, len(tiers) - 1) * _TIER_STEP
    return Drawing(width, height, drawn, tuple(links), path)


def marks(drawing: Drawing, locations: Iterable[Location]) -> tuple[Mark, ...]:
    """Marks for those of the locations whose device is in the drawing."""
    at = {box.name: box for box in drawing.nodes}
    folded = {name.casefold(): name for name in at}
    found = []
    for location in locations:
        device, interface = place(location)
        box = at.get(folded.get(device or "", ""))
        if box is None:
            continue
        far = _far_end(drawing.links, box.name, interface)
        other = at.get(far) if far else None
        found.append(
            Mark(
                text=str(location),
                x=box.x,
                y=box.y,
                width=box.width,
                height=box.height,
                link_path=_line(box, other) if other else "",
                port=_near_end(box, other) if other else None,
            )
        )
    return tuple(found)


def _tiers(nodes: Sequence[TrialNode]) -> list[list[TrialNode]]:
    by_tier: dict[int, list[TrialNode]] = {}
    for node in sorted(nodes, key=lambda node: natural(node.name)):
        by_tier.setdefault(_TIER_OF_ROLE.get(node.role, _LAST_TIER), []).append(node)
    return [by_tier[tier] for tier in sorted(by_tier)]


def _row(tier: Sequence[TrialNode], row: int, width: float) -> Iterable[DrawnNode]:
    step = (width - 2 * _MARGIN) / len(tier)
    box_width = min(_NODE_WIDTH, step * 0.82)
    y = _MARGIN + _NODE_HEIGHT / 2 + row * _TIER_STEP
    for index, node in enumerate(tier):
        x = _MARGIN + step * (index + 0.5)
        is_wide = box_width >= _LABEL_WIDTH
        yield DrawnNode(
            name=node.name,
            role=node.role,
            x=round(x, 1),
            y=y,
            width=round(box_width, 1),
            height=_NODE_HEIGHT if is_wide else min(_NODE_HEIGHT, 18.0),
            has_label=is_wide and len(node.name) * 7 <= box_width + 8,
        )


def _line(one: DrawnNode, other: DrawnNode) -> str:
    (x1, y1), (x2, y2) = _edge(one, other), _edge(other, one)
    return f"M{x1:g} {y1:g}L{x2:g} {y2:g}"


def _edge(box: DrawnNode, towards: DrawnNode) -> tuple[float, float]:
    """Where a link leaves its node: the middle of the side that faces the other node."""
    half = box.height / 2
    if towards.y == box.y:
        return box.x, box.y
    return box.x, box.y + (half if towards.y > box.y else -half)


def _near_end(box: DrawnNode, towards: DrawnNode) -> tuple[float, float]:
    """A point a fifth of the way along the link, where it stands clear of the other links."""
    (x1, y1), (x2, y2) = _edge(box, towards), _edge(towards, box)
    return round(x1 + (x2 - x1) / 5, 1), round(y1 + (y2 - y1) / 5, 1)


def _far_end(links: Iterable[TrialLink], node: str, interface: str | None) -> str | None:
    for link in links:
        for near, far in ((link.a, link.b), (link.b, link.a)):
            name, _, port = near.partition(":")
            if name == node and port and port.casefold() == interface:
                return _node(far)
    return None


def _node(end: str) -> str:
    return end.partition(":")[0]


def _is_drawn(link: TrialLink, at: dict[str, DrawnNode]) -> bool:
    return _node(link.a) in at and _node(link.b) in at
