"""Questions that a plan answers by itself."""

from collections.abc import Mapping
from ipaddress import IPv4Address

import networkx as nx

from netopsbench.fabric.plan import FabricPlan, Interface, Link, Node, Role
from netopsbench.records.names import Port

Lans = Mapping[str, tuple[Port, ...]]
"""Name of a LAN's bridge to the ports on it."""

TIERS: dict[Role, int] = {"core": 0, "spine": 1, "agg": 1, "leaf": 2, "edge": 2, "client": 3, "router": 2, "host": 3}
"""Height of a role in a fabric, the top first; a two-tier CLOS has no tier 0, and in labs all routers are equal."""


def nodes_by_name(plan: FabricPlan) -> dict[str, Node]:
    """Every node by its name."""
    return {node.name: node for node in plan.nodes}


def node(plan: FabricPlan, name: str) -> Node:
    """The node called `name`. Raises KeyError."""
    for candidate in plan.nodes:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def interface(plan: FabricPlan, port: Port) -> Interface:
    """The interface at `port`. Raises KeyError."""
    for candidate in node(plan, port.node).interfaces:
        if candidate.name == port.interface:
            return candidate
    raise KeyError(str(port))


def switches(plan: FabricPlan) -> tuple[Node, ...]:
    """All switches, in plan order."""
    return tuple(each for each in plan.nodes if each.is_switch)


def clients(plan: FabricPlan) -> tuple[Node, ...]:
    """All clients, in plan order."""
    return tuple(each for each in plan.nodes if not each.is_switch)


def clients_of(plan: FabricPlan, switch: str) -> tuple[Node, ...]:
    """The clients attached to a switch."""
    return tuple(each for each in plan.nodes if each.attached_to == switch)


def client_address(client: Node) -> IPv4Address:
    """The address that a client answers on."""
    return client.interfaces[0].address.ip


def owner_of(plan: FabricPlan, address: IPv4Address) -> Node | None:
    """The node that holds an address, on a port or as its loopback."""
    for each in plan.nodes:
        if each.loopback == address or any(port.address.ip == address for port in each.interfaces):
            return each
    return None


def neighbours(plan: FabricPlan, name: str) -> dict[str, Port]:
    """What a node's ports face: own interface name to the port at the other end."""
    return {port.name: port.peer for port in node(plan, name).interfaces}


def lans(plan: FabricPlan) -> Lans:
    """The ports on each LAN of a lab that a bridge beside the nodes is, by its name; LANs made of cables have none."""
    segments = plan.lab.segments if plan.lab is not None else ()
    found: dict[str, list[Port]] = {segment.name: [] for segment in segments}
    for each in plan.links:
        if each.b.node in found:
            found[each.b.node].append(each.a)
    return {name: tuple(ports) for name, ports in found.items()}


def stations(plan: FabricPlan) -> dict[Port, tuple[Port, ...]]:
    """Each port on a LAN, made of cables or not, to all others there that IP packets can be sent to.

    Ports in a node's bridge only pass packets on, so they are left out.
    """
    segments = lans(plan)
    together = {f"segment {name}": list(ports) for name, ports in segments.items()}
    for each in plan.links:
        if each.kind == "lan" and each.b.node not in segments:
            ends = [end for end in (each.a, each.b) if not is_bridged(plan, end)]
            together.setdefault(f"cabled {each.prefix}", []).extend(ends)
    return {port: tuple(other for other in ports if other != port) for ports in together.values() for port in ports}


def is_bridged(plan: FabricPlan, port: Port) -> bool:
    """Whether a port only passes packets on, in its node's bridge."""
    bridge = plan.lab.bridges.get(port.node) if plan.lab is not None else None
    return bridge is not None and port.interface in bridge.ports


def facing(node: Node, port: Interface, bridges: Lans) -> tuple[Port, ...]:
    """The ports that a node's port reaches without a router between: one by a cable, all others on a LAN of `lans`."""
    if port.peer.node not in bridges:
        return (port.peer,)
    own = Port(node=node.name, interface=port.name)
    return tuple(other for other in bridges[port.peer.node] if other != own)


def link(plan: FabricPlan, link_id: str) -> Link:
    """The link with this id. Raises KeyError."""
    for candidate in plan.links:
        if candidate.id == link_id:
            return candidate
    raise KeyError(link_id)


def link_at(plan: FabricPlan, port: Port) -> Link:
    """The link plugged into `port`. Raises KeyError."""
    return link(plan, interface(plan, port).link)


def link_between(plan: FabricPlan, one: str, other: str) -> Link | None:
    """The first link that joins two nodes."""
    return next((each for each in plan.links if {each.a.node, each.b.node} == {one, other}), None)


def expected_sessions(plan: FabricPlan) -> dict[str, dict[IPv4Address, int]]:
    """Every switch's BGP sessions: neighbor address to remote AS number."""
    by_name = nodes_by_name(plan)
    sessions: dict[str, dict[IPv4Address, int]] = {each.name: {} for each in switches(plan)}
    for each in plan.links:
        for here, there in ((each.a, each.b), (each.b, each.a)):
            remote = by_name.get(there.node)
            if here.node in sessions and by_name[here.node].asn and remote is not None and remote.asn is not None:
                facing = next(port for port in remote.interfaces if port.name == there.interface)
                sessions[here.node][facing.address.ip] = remote.asn
    return sessions


def graph(plan: FabricPlan) -> "nx.MultiGraph[str]":
    """The fabric as a graph: nodes with `role` and `tier`, edges keyed by link id."""
    drawn: nx.MultiGraph[str] = nx.MultiGraph()
    for each in plan.nodes:
        drawn.add_node(each.name, role=each.role, tier=TIERS[each.role])
    for each_link in plan.links:
        drawn.add_edge(each_link.a.node, each_link.b.node, key=each_link.id)
    return drawn
