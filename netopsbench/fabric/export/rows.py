"""A fabric sorted into rows for drawing: tiers from the top, pods side by side, clients under their rack."""

from dataclasses import dataclass

import networkx as nx

from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.fabric.queries import TIERS, clients, graph, switches


@dataclass(frozen=True)
class Rack:
    """A bottom switch and its clients."""

    switch: Node
    clients: tuple[Node, ...]


@dataclass(frozen=True)
class Pod:
    """Switches below the top tier that are joined without it; a two-tier fabric is one pod without name."""

    number: int
    uppers: tuple[Node, ...]
    racks: tuple[Rack, ...]


@dataclass(frozen=True)
class Rows:
    """What to draw, top to bottom and left to right."""

    tops: tuple[Node, ...]
    """The core; empty in a two-tier fabric, whose spines are the uppers of its only pod."""
    pods: tuple[Pod, ...]


def rows_of(plan: FabricPlan) -> Rows:
    """Sort a fabric's nodes for drawing; every node appears once."""
    tops = tuple(node for node in switches(plan) if TIERS[node.role] == 0)
    below = [node for node in switches(plan) if TIERS[node.role] > 0]
    attached: dict[str | None, list[Node]] = {}
    for client in clients(plan):
        attached.setdefault(client.attached_to, []).append(client)
    joined = graph(plan).subgraph([node.name for node in below])
    pod_of = {name: n for n, names in enumerate(nx.connected_components(joined)) for name in names}
    numbers = {first: n for n, first in enumerate(dict.fromkeys(pod_of[node.name] for node in below))}
    pods = []
    for pod, number in numbers.items():
        members = [node for node in below if pod_of[node.name] == pod]
        pods.append(
            Pod(
                number=number + 1,
                uppers=tuple(node for node in members if TIERS[node.role] == 1),
                racks=tuple(
                    Rack(node, tuple(attached.get(node.name, ()))) for node in members if TIERS[node.role] == 2
                ),
            )
        )
    return Rows(tops, tuple(pods))


def plural(role: str, count: int) -> str:
    """A role's name for so many of it."""
    if count == 1:
        return role
    return "leaves" if role == "leaf" else f"{role}s"
