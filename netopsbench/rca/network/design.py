"""What a network's design says about ways: shortest paths over cables and LANs, and static routes written by hand."""

import re
from collections import defaultdict
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network

from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import PathHop, RestoredPath

_STATIC = re.compile(r"^\s*ip route (\S+) (\d+\.\d+\.\d+\.\d+)\s*$", re.MULTILINE)


def static_routes(plan: FabricPlan, node: Node) -> list[tuple[IPv4Network, IPv4Address]]:
    """Prefix and gateway of each static route that the design gives a router."""
    text = plan.lab.files.get(node.name, {}).get("frr/staticd.conf", "") if plan.lab else ""
    return [(IPv4Network(prefix), IPv4Address(gateway)) for prefix, gateway in _STATIC.findall(text)]


class Design:
    """Shortest paths of a plan; a LAN is one step wide, as a cable is."""

    def __init__(self, plan: FabricPlan) -> None:
        self._plan = plan
        self._nodes = {node.name: node for node in plan.nodes}

    @cached_property
    def _steps(self) -> dict[str, list[tuple[str, str]]]:
        """Node to (own interface, next node), over cables and LANs."""
        on_network: dict[IPv4Network, list[tuple[str, str]]] = defaultdict(list)
        for node in self._plan.nodes:
            for port in node.interfaces:
                on_network[port.address.network].append((node.name, port.name))
        steps: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for members in on_network.values():
            for name, egress in members:
                steps[name] += [(egress, other) for other, _ in members if other != name]
        return steps

    def distances(self, target: str) -> dict[str, int]:
        """Steps to a node from every node that can send there; hosts don't forward."""
        found, frontier = {target: 0}, [target]
        while frontier:
            beyond = []
            for name in frontier:
                if name != target and not self._nodes[name].is_switch:
                    continue
                for _, other in self._steps[name]:
                    if other not in found:
                        found[other] = found[name] + 1
                        beyond.append(other)
            frontier = beyond
        return found

    def paths(self, source: str, target: str) -> frozenset[RestoredPath]:
        """Every shortest path between two nodes; a host's begins at the gateway that answers for its address."""
        distances = self.distances(target)
        if source == target:
            return frozenset({RestoredPath(hops=(), end=target)})
        first = [(port, other) for port, other in self._first_steps(source, target) if other in distances]
        nearest = min((distances[other] for _, other in first), default=0)
        grown: list[tuple[tuple[PathHop, ...], str]] = [
            ((PathHop(node=source, egress=port),), other) for port, other in first if distances[other] == nearest
        ]
        for left in range(nearest, 0, -1):
            grown = [
                ((*hops, PathHop(node=here, egress=port)), other)
                for hops, here in grown
                for port, other in self._steps[here]
                if self._forwards(here, target) and distances.get(other) == left - 1
            ]
        return frozenset(RestoredPath(hops=hops, end=target) for hops, _ in grown)

    def _first_steps(self, source: str, target: str) -> list[tuple[str, str]]:
        """Own interface and next node of what a node sends to a target."""
        gateway, steps = self._nodes[source].attached_to, self._steps[source]
        if gateway is None or any(other == target for _, other in steps):
            return steps
        return [(port, other) for port, other in steps if other == gateway]

    def only_way(self, source: str, target: str) -> str | None:
        """The next node of all shortest paths, when it is the same for all and no host."""
        distances = self.distances(target)
        nexts = {
            other for _, other in self._steps[source] if distances.get(other, len(distances)) == distances[source] - 1
        }
        return next(iter(nexts)) if len(nexts) == 1 and self._nodes[next(iter(nexts))].is_switch else None

    def _forwards(self, node: str, target: str) -> bool:
        return node == target or self._nodes[node].is_switch
