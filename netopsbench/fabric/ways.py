"""Ways that packets take by a plan: from router to router, over the bridges that spanning tree leaves open."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from netopsbench.fabric.labs.layer2 import vxlan_device
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.fabric.queries import interface, lans, nodes_by_name
from netopsbench.fabric.spanning_tree import blocked_ports
from netopsbench.records.names import Port

Path = tuple[Port, ...]
"""The sending port of every hop, bridges among them, from a client's own port on."""


class Step(NamedTuple):
    """A way from a node to one that packets can be sent to without a router between."""

    to: str
    over: Path
    """The node's own sending port, then that of each bridge; those of routers where a tunnel is on the way."""

    @property
    def between(self) -> tuple[str, ...]:
        """Who passes the packets on."""
        return tuple(port.node for port in self.over[1:])


Steps = Mapping[str, tuple[Step, ...]]
"""Node to every step that can be made there; what only bridges is in no step."""


def steps_of(plan: FabricPlan) -> Steps:
    """Every step in a plan."""
    frames = _Frames(plan, {})
    steps = frames.steps()
    tunnels = _tunnels(plan, steps)
    return _Frames(plan, tunnels).steps() if tunnels else steps


def equal_cost_paths(plan: FabricPlan, src: str, dst: str) -> frozenset[Path]:
    """Every path between two nodes over the fewest routers, as the sending ports on the way.

    A client sends everything that isn't beside it to its gateway. Empty when they aren't joined. Raises KeyError for an
    unknown node.
    """
    return frozenset(_paths(nodes_by_name(plan), steps_of(plan), src, dst))


def links_of(plan: FabricPlan, path: Path) -> tuple[str, ...]:
    """Ids of the links that a path takes, in order."""
    return tuple(interface(plan, port).link for port in path)


def first_steps(node: Node, steps: Steps, dst: str) -> tuple[Step, ...]:
    """Where a node can send what is for `dst`: at a client straight to it or to the gateway."""
    found = steps[node.name]
    if node.attached_to is None:
        return found
    nearest = node.attached_to if all(step.to != dst for step in found) else dst
    return tuple(step for step in found if step.to == nearest)


def hops_to(by_name: Mapping[str, Node], steps: Steps, dst: str) -> dict[str, int]:
    """Steps to `dst` from every node that can send there; clients don't forward."""
    hops, frontier = {by_name[dst].name: 0}, [dst]
    while frontier:
        beyond = []
        for name in frontier:
            for step in steps[name] if by_name[name].is_switch or name == dst else ():
                if step.to not in hops:
                    hops[step.to] = hops[name] + 1
                    beyond.append(step.to)
        frontier = beyond
    return hops


def _paths(by_name: Mapping[str, Node], steps: Steps, src: str, dst: str) -> Iterator[Path]:
    hops = hops_to(by_name, steps, dst)
    if src == dst:
        yield ()
        return
    first = [step for step in first_steps(by_name[src], steps, dst) if step.to in hops]
    nearest = min((hops[step.to] for step in first), default=0)
    for step in first:
        if hops[step.to] == nearest:
            yield from _descend(steps, hops, step.to, step.over)


def _descend(steps: Steps, hops: Mapping[str, int], here: str, so_far: Path) -> Iterator[Path]:
    if hops[here] == 0:
        yield so_far
        return
    for step in steps[here]:
        if hops.get(step.to) == hops[here] - 1:
            yield from _descend(steps, hops, step.to, (*so_far, *step.over))


Tunnels = Mapping[str, tuple[Step, ...]]
"""Bridge to the other bridges on its VXLAN, each over the routers between."""


def _tunnels(plan: FabricPlan, steps: Steps) -> Tunnels:
    """What VXLANs add; tunnels inside of tunnels are none of it."""
    by_name, blocked = nodes_by_name(plan), blocked_ports(plan)
    numbers = {
        name: each.vni
        for name, each in (plan.lab.bridges.items() if plan.lab is not None else ())
        if each.vni is not None and Port(node=name, interface=vxlan_device(each.vni)) not in blocked
    }
    return {
        name: tuple(
            Step(other, path)
            for other, number in numbers.items()
            if other != name and number == vni
            for path in set(_paths(by_name, steps, name, other))
        )
        for name, vni in numbers.items()
    }


class _Frames:
    """Who gets the frames that a port sends, by the bridges of a plan."""

    def __init__(self, plan: FabricPlan, tunnels: Tunnels) -> None:
        bridges = plan.lab.bridges if plan.lab is not None else {}
        self._plan, self._tunnels = plan, tunnels
        self._lans = lans(plan)
        self._ports = {name: [Port(node=name, interface=each) for each in bridges[name].ports] for name in bridges}
        self._bridged = {port for ports in self._ports.values() for port in ports}
        self._blocked = blocked_ports(plan)
        self._peers = {end: far for link in plan.links for end, far in ((link.a, link.b), (link.b, link.a))}

    def steps(self) -> Steps:
        """Every step from every node."""
        found: dict[str, list[Step]] = {node.name: [] for node in self._plan.nodes}
        for port, far in self._peers.items():
            if port.node in found and port not in self._bridged:
                found[port.node] += self._arriving((port,), far, frozenset())
        return {name: tuple(steps) for name, steps in found.items()}

    def _arriving(self, over: Path, at: Port, passed: frozenset[str]) -> Iterator[Step]:
        """Where frames end that come to a port; bridges that they passed don't get them again."""
        if at.node in self._lans:
            for other in self._lans[at.node]:
                if other != over[-1]:
                    yield from self._arriving(over, other, passed)
        elif at not in self._bridged:
            yield Step(at.node, over)
        elif at not in self._blocked and at.node not in passed:
            yield from self._leaving(over, at.node, passed | {at.node})
            for tunnel in self._tunnels.get(at.node, ()):
                if tunnel.to not in passed:
                    yield from self._leaving((*over, *tunnel.over), tunnel.to, passed | {at.node, tunnel.to})

    def _leaving(self, over: Path, bridge: str, passed: frozenset[str]) -> Iterator[Step]:
        """What a bridge passes on; at a port at which frames came in nobody gets them twice."""
        for port in self._ports[bridge]:
            far = self._peers[port]
            if port not in self._blocked and far != over[-1]:
                yield from self._arriving((*over, port), far, passed)
