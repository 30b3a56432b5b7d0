"""A fabric as an SVG picture: tiers in rows, pods side by side, links coloured by the switch group above."""

from html import escape

from netopsbench.fabric.export.layout import Box, Picture, lay_out
from netopsbench.fabric.export.rows import Rows, rows_of
from netopsbench.fabric.plan import FabricPlan, Node, Role

FILLS: dict[Role, str] = {
    "core": "#5b4b8a",
    "spine": "#2f6690",
    "agg": "#2f6690",
    "leaf": "#2e7d5b",
    "edge": "#2e7d5b",
    "client": "#9aa3ad",
}


def to_svg(plan: FabricPlan) -> str:
    """The picture as one SVG document; hovering over a node names it, its AS and its addresses."""
    rows = rows_of(plan)
    picture = lay_out(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{picture.width:.0f}" height="{picture.height:.0f}" '
        f'viewBox="0 0 {picture.width:.0f} {picture.height:.0f}" role="img" '
        'font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(plan.name)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *_links(plan, picture, _colours(rows)),
        *(_box(box) for box in picture.boxes.values()),
        *(
            f'<text x="18" y="{y + 4:.1f}" font-size="11" fill="#5c6670">{escape(text)}</text>'
            for y, text in picture.tier_labels
        ),
        *(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" fill="#5c6670" text-anchor="middle">{text}</text>'
            for x, y, text in picture.pod_labels
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _links(plan: FabricPlan, picture: Picture, colours: dict[str, str]) -> list[str]:
    """One path per colour, so that the file stays small."""
    strokes: dict[str, list[str]] = {}
    for link in plan.links:
        upper, lower = sorted((picture.boxes[link.a.node], picture.boxes[link.b.node]), key=lambda box: box.y)
        line = f"M{upper.x:.1f} {upper.y + upper.height / 2:.1f}L{lower.x:.1f} {lower.y - lower.height / 2:.1f}"
        colour = "#9aa3ad" if link.kind == "client" else colours[upper.node.name]
        strokes.setdefault(colour, []).append(line)
    crowd = max((len(lines) for lines in strokes.values()), default=1)
    opacity, width = (0.75, 1.2) if crowd <= 64 else (0.55, 0.7)
    return [
        f'<path d="{"".join(lines)}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-opacity="{opacity}"/>'
        for colour, lines in strokes.items()
    ]


def _colours(rows: Rows) -> dict[str, str]:
    """A colour for each upper switch.

    Below the core the place in the pod decides; cores take the place of the switches they reach, so that
    in a fat-tree a colour is one plane from the core down to the racks.
    """
    planes = max((len(pod.uppers) for pod in rows.pods), default=1)
    place = {node.name: n for pod in rows.pods for n, node in enumerate(pod.uppers)}
    colours = {name: _hue(n, planes) for name, n in place.items()}
    reached = [{place[port.peer.node] for port in core.interfaces if port.peer.node in place} for core in rows.tops]
    has_planes = all(len(places) == 1 for places in reached)
    for position, core in enumerate(rows.tops):
        colours[core.name] = _hue(min(reached[position]), planes) if has_planes else _hue(position, len(rows.tops))
    return colours


def _hue(number: int, of: int) -> str:
    return f"hsl({number * 360 // max(1, of)} 55% 45%)"


def _box(box: Box) -> str:
    rect = (
        f'<rect x="{box.x - box.width / 2:.1f}" y="{box.y - box.height / 2:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="3" fill="{FILLS[box.node.role]}"/>'
    )
    text = (
        f'<text x="{box.x:.1f}" y="{box.y + 4:.1f}" font-size="11" fill="#ffffff" '
        f'text-anchor="middle">{escape(box.label)}</text>'
        if box.label
        else ""
    )
    return f"<g><title>{escape(_told(box.node))}</title>{rect}{text}</g>"


def _told(node: Node) -> str:
    if node.is_switch:
        return f"{node.name}: AS {node.asn}, {node.loopback}, {len(node.interfaces)} ports"
    addresses = ", ".join(str(port.address) for port in node.interfaces)
    return f"{node.name}: {addresses} at {node.attached_to}"
