"""Which ports of bridges a spanning tree leaves open in a healthy network, by the rules of IEEE 802.1D."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import networkx as nx

from netopsbench.core.model import Model
from netopsbench.fabric.labs.layer2 import vxlan_device
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.names import Port

PortRole = Literal["root", "designated", "blocked"]
USUAL_PRIORITY = 128
"""Of a port, where nobody says another one."""
CABLE_COST, TUNNEL_COST = 2, 100
"""What the kernel charges for a veth pair, which calls itself 10 Gbit/s, and for a device without a speed."""


class TreePort(Model):
    """A bridge's port, and what it is plugged into."""

    at: Port
    number: int
    segment: str
    """Ports on one segment hear each other."""
    cost: int = CABLE_COST
    priority: int = USUAL_PRIORITY

    @property
    def id(self) -> tuple[int, int]:
        """The smaller one wins."""
        return self.priority, self.number


class TreeBridge(Model):
    """A bridge that runs spanning tree."""

    priority: int
    mac: str
    ports: tuple[TreePort, ...]

    @property
    def id(self) -> tuple[int, str]:
        """The smallest one of all is the root's."""
        return self.priority, self.mac.lower()


Offer = tuple[int, tuple[int, str], tuple[int, int]]
"""What a port tells its segment: the way to the root, who says so, by which port."""


def port_roles(bridges: Sequence[TreeBridge]) -> dict[Port, PortRole]:
    """The part that each port takes once the tree stands; bridges that nothing joins have trees of their own."""
    costs = _root_costs(bridges)
    offers = {port.at: (costs[each.id], each.id, port.id) for each in bridges for port in each.ports}
    best = _designated(bridges, offers)
    roles: dict[Port, PortRole] = {}
    for each in bridges:
        root_port = _root_port(each, best) if costs[each.id] else None
        for port in each.ports:
            is_designated = best[port.segment] == offers[port.at]
            roles[port.at] = "root" if port.at == root_port else "designated" if is_designated else "blocked"
    return roles


def _root_costs(bridges: Sequence[TreeBridge]) -> dict[tuple[int, str], int]:
    """Bridge to the cost of its cheapest way to the root of its tree."""
    on: dict[str, list[tuple[TreeBridge, TreePort]]] = {}
    for each in bridges:
        for port in each.ports:
            on.setdefault(port.segment, []).append((each, port))
    by_id = {each.id: each for each in bridges}
    costs: dict[tuple[int, str], int] = {}
    # By rising id: whoever no earlier root has reached is the root of another tree.
    for root in sorted(by_id):
        reached = [(0, root)] if root not in costs else []
        while reached:
            cost, here = heapq.heappop(reached)
            if here in costs:
                continue
            costs[here] = cost
            for port in by_id[here].ports:
                for other, far in on[port.segment]:
                    heapq.heappush(reached, (cost + far.cost, other.id))
    return costs


def _designated(bridges: Sequence[TreeBridge], offers: Mapping[Port, Offer]) -> dict[str, Offer]:
    """The best offer on each segment."""
    best: dict[str, Offer] = {}
    for each in bridges:
        for port in each.ports:
            best[port.segment] = min(best.get(port.segment, offers[port.at]), offers[port.at])
    return best


def _root_port(bridge: TreeBridge, best: Mapping[str, Offer]) -> Port:
    """The port with the best way to the root; what the bridge offers itself is none."""
    heard = []
    for port in bridge.ports:
        cost, sender, by = best[port.segment]
        if sender != bridge.id:
            heard.append(((cost + port.cost, sender, by, port.id), port))
    return min(heard, key=lambda each: each[0])[1].at


def blocked_ports(plan: FabricPlan) -> frozenset[Port]:
    """Ports through which the bridges of a plan pass nothing while all is well."""
    return frozenset(port for port, role in port_roles(tree_bridges(plan)).items() if role == "blocked")


def tree_bridges(plan: FabricPlan) -> tuple[TreeBridge, ...]:
    """The bridges of a plan that run spanning tree."""
    lab = plan.lab
    if lab is None or not lab.bridges:
        return ()
    segments = {
        port: f"segment {number}"
        for number, joined in enumerate(nx.connected_components(_heard(plan)), start=1)
        for port in joined
    }
    macs = {Port(node=node.name, interface=each.name): each.mac for node in plan.nodes for each in node.interfaces}
    found = []
    for name, bridge in lab.bridges.items():
        if bridge.priority is None:
            continue
        ports = [Port(node=name, interface=each) for each in bridge.ports]
        tunnels = [Port(node=name, interface=vxlan_device(bridge.vni))] if bridge.vni is not None else []
        found.append(
            TreeBridge(
                priority=bridge.priority,
                # A bridge takes the smallest address of its ports. A tunnel's is drawn when the network comes up.
                mac=min(macs[port] for port in ports),
                ports=tuple(
                    TreePort(
                        at=port,
                        number=number,
                        segment=segments[str(port)],
                        cost=TUNNEL_COST if port in tunnels else CABLE_COST,
                    )
                    for number, port in enumerate([*ports, *tunnels], start=1)
                ),
            )
        )
    return tuple(found)


def _heard(plan: FabricPlan) -> "nx.Graph[str]":
    """Ports, and what joins them for frames of spanning tree: cables, LANs, tunnels, and bridges that run none."""
    drawn: nx.Graph[str] = nx.Graph()
    for link in plan.links:
        drawn.add_edge(str(link.a), str(link.b))
    for one, other in _passed_on(plan):
        drawn.add_edge(one, other)
    return drawn


def _passed_on(plan: FabricPlan) -> Iterator[tuple[str, str]]:
    assert plan.lab is not None
    for segment in plan.lab.segments:
        yield from ((str(link.b), f"lan {segment.name}") for link in plan.links if link.id in segment.links)
    for name, bridge in plan.lab.bridges.items():
        ports = [f"{name}:{each}" for each in bridge.ports]
        if bridge.vni is not None:
            ports.append(f"{name}:{vxlan_device(bridge.vni)}")
            yield ports[-1], f"vni {bridge.vni}"
        if bridge.priority is None:
            yield from ((port, f"bridge {name}") for port in ports)
