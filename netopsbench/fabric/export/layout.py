"""Where each node stands in a picture of the fabric."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from netopsbench.fabric.export.rows import Pod, Rack, Rows, plural
from netopsbench.fabric.plan import Node

MARGIN = 24.0
TIER_LABEL = 64.0
GAP = 6.0
POD_GAP = 26.0
NODE_HEIGHT = 22.0
LEAST_STEP, MOST_STEP = 110.0, 420.0
STEP_SHARE = 0.13
"""Height of the lines between two tiers as a share of their width: flatter ones can't be told apart."""

CLIENT_STEP = 54.0
POD_LABEL = 20.0

LABELLED_SWITCHES = 20
"""Up to so many switches in a row carry their whole names; more carry only their numbers."""
LABELLED_CLIENTS = 16


@dataclass(frozen=True)
class Box:
    """A drawn node; `x` and `y` are its centre."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    label: str
    """Empty where there is no room."""


@dataclass(frozen=True)
class Picture:
    """Everything that has a place."""

    width: float
    height: float
    boxes: dict[str, Box]
    pod_labels: tuple[tuple[float, float, str], ...]
    tier_labels: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class _Sizes:
    switch: float
    client: float
    has_names: bool
    has_client_names: bool

    def rack(self, rack: Rack) -> float:
        return max(self.switch, _row_width(self.client, len(rack.clients)))

    def pod(self, pod: Pod) -> float:
        racks = sum(self.rack(rack) for rack in pod.racks) + GAP * max(0, len(pod.racks) - 1)
        return max(racks, _row_width(self.switch, len(pod.uppers)))


def lay_out(rows: Rows) -> Picture:
    """Give every node a place; the wider of the rows sets the width."""
    sizes = _sizes(rows)
    inner = sum(sizes.pod(pod) for pod in rows.pods) + POD_GAP * max(0, len(rows.pods) - 1)
    inner = max(inner, _row_width(sizes.switch, len(rows.tops)))
    left = MARGIN + TIER_LABEL
    has_pods = len(rows.pods) > 1
    top_y = MARGIN + NODE_HEIGHT / 2
    upper_y = top_y + (_step(inner) if rows.tops else 0)
    rack_y = upper_y + _step(max((sizes.pod(pod) for pod in rows.pods), default=0))
    client_y = rack_y + CLIENT_STEP
    boxes = dict(_spread(rows.tops, left, inner, top_y, sizes))
    labels = []
    slack = inner - sum(sizes.pod(pod) for pod in rows.pods) - POD_GAP * max(0, len(rows.pods) - 1)
    x = left + slack / 2
    for pod in rows.pods:
        width = sizes.pod(pod)
        boxes.update(_spread(pod.uppers, x, width, upper_y, sizes))
        boxes.update(_racks(pod, x, width, (rack_y, client_y), sizes))
        if has_pods:
            labels.append((x + width / 2, client_y + NODE_HEIGHT + POD_LABEL / 2, f"pod {pod.number}"))
        x += width + POD_GAP
    bottom = client_y + NODE_HEIGHT / 2 + (POD_LABEL + NODE_HEIGHT / 2 if has_pods else 0)
    return Picture(
        width=left + inner + MARGIN,
        height=bottom + MARGIN,
        boxes=boxes,
        pod_labels=tuple(labels),
        tier_labels=_tier_labels(boxes),
    )


def _sizes(rows: Rows) -> _Sizes:
    uppers = sum(len(pod.uppers) for pod in rows.pods)
    racks = [rack for pod in rows.pods for rack in pod.racks]
    has_names = max(len(rows.tops), uppers, len(racks)) <= LABELLED_SWITCHES
    has_client_names = has_names and sum(len(rack.clients) for rack in racks) <= LABELLED_CLIENTS
    return _Sizes(
        switch=64.0 if has_names else 24.0,
        client=60.0 if has_client_names else 10.0,
        has_names=has_names,
        has_client_names=has_client_names,
    )


def _step(width: float) -> float:
    return min(MOST_STEP, max(LEAST_STEP, width * STEP_SHARE))


def _row_width(each: float, count: int) -> float:
    return count * each + GAP * max(0, count - 1)


def _spread(nodes: Sequence[Node], left: float, width: float, y: float, sizes: _Sizes) -> Iterator[tuple[str, Box]]:
    """Nodes evenly over a width, each in the middle of its share."""
    for position, node in enumerate(nodes):
        x = left + width * (position + 0.5) / len(nodes)
        yield node.name, _switch_box(node, x, y, sizes)


def _racks(pod: Pod, left: float, width: float, at: tuple[float, float], sizes: _Sizes) -> Iterator[tuple[str, Box]]:
    rack_y, client_y = at
    used = sum(sizes.rack(rack) for rack in pod.racks) + GAP * max(0, len(pod.racks) - 1)
    x = left + (width - used) / 2
    for rack in pod.racks:
        middle = x + sizes.rack(rack) / 2
        yield rack.switch.name, _switch_box(rack.switch, middle, rack_y, sizes)
        first = middle - _row_width(sizes.client, len(rack.clients)) / 2 + sizes.client / 2
        height = NODE_HEIGHT if sizes.has_client_names else sizes.client
        for position, client in enumerate(rack.clients):
            label = client.name if sizes.has_client_names else ""
            client_x = first + position * (sizes.client + GAP)
            yield client.name, Box(client, client_x, client_y, sizes.client, height, label)
        x += sizes.rack(rack) + GAP


def _switch_box(node: Node, x: float, y: float, sizes: _Sizes) -> Box:
    label = node.name if sizes.has_names else node.name.removeprefix(node.role)
    return Box(node, x, y, sizes.switch, NODE_HEIGHT, label)


def _tier_labels(boxes: dict[str, Box]) -> tuple[tuple[float, str], ...]:
    counted: dict[tuple[float, str], int] = {}
    for box in boxes.values():
        key = (box.y, box.node.role)
        counted[key] = counted.get(key, 0) + 1
    return tuple((y, f"{count} {plural(role, count)}") for (y, role), count in counted.items())
