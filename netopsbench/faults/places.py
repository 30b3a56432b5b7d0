"""Where in a plan a fault can be: look-ups that answer a user's mistake with the right names."""

from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.fabric.queries import TIERS
from netopsbench.fabric.ways import equal_cost_paths, links_of
from netopsbench.faults.contract import PORTS, Endpoint, PathClaim, SessionClaim
from netopsbench.records.names import Port

InterfaceRole = Literal["uplink", "downlink", "any"]

MOST_WAYS = 16
"""Equal-cost paths among which probes can be sure to take a given one."""

SOURCE = "fault"
"""`Problem.source` of mistakes in a fault, wherever it was written."""


def switch(plan: FabricPlan, name: str, key: str) -> Node:
    """The switch called `name`.

    Raises SpecError, naming the key it was written under and the switches there are.
    """
    found = next((node for node in plan.nodes if node.name == name and node.is_switch), None)
    if found is None:
        names = [node.name for node in plan.nodes if node.is_switch]
        raise SpecError([Problem(SOURCE, key, name, f"{plan.name} has the switches {_listed(names)}")])
    return found


def interface(plan: FabricPlan, port: Port, key: str) -> Interface:
    """The interface at `port`, which must be a switch's.

    Raises SpecError, naming the ports there are.
    """
    owner = switch(plan, port.node, key)
    for found in owner.interfaces:
        if found.name == port.interface:
            return found
    names = [found.name for found in owner.interfaces]
    raise SpecError([Problem(SOURCE, key, str(port), f"{owner.name} has the ports {_listed(names)}")])


def check_kind_of_fabric(plan: FabricPlan) -> None:
    """Raises SpecError for a lab in which a fault's effect isn't known: a router without BGP, or a LAN."""
    if plan.lab is None:
        return
    silent = [node.name for node in plan.nodes if node.is_switch and node.asn is None]
    shared = [segment.name for segment in plan.lab.segments]
    if silent or shared:
        why = f"{_listed(silent)} have none" if silent else f"{_listed(shared)} are LANs"
        wanted = (
            f"faults are for fabrics of cables in which every router speaks BGP, and here {why}; "
            f"break a lab with its tickets (netopsbench tickets list) or by hand (netopsbench fabric exec)"
        )
        raise SpecError([Problem(SOURCE, "fabric", plan.name, wanted)])


def ports_of(plan: FabricPlan, node: Node, role: InterfaceRole) -> tuple[Interface, ...]:
    """The node's ports that lead up, down, or anywhere."""
    tier = {other.name: TIERS[other.role] for other in plan.nodes}
    return tuple(
        port
        for port in node.interfaces
        if role == "any" or (tier[port.peer.node] < tier[node.name]) == (role == "uplink")
    )


def other_clients(plan: FabricPlan, node: Node) -> tuple[Node, ...]:
    """Clients attached to other switches."""
    return tuple(client for client in plan.nodes if client.attached_to not in (None, node.name))


def announcer_of(plan: FabricPlan, prefix: IPv4Network) -> Node | None:
    """The switch that announces exactly this client prefix."""
    return next((node for node in plan.nodes if prefix in node.announces), None)


def at_loopback(node: Node) -> Endpoint:
    """A switch by its loopback."""
    if node.loopback is None:
        raise ValueError(f"{node.name} has no loopback")
    return Endpoint(node=node.name, address=node.loopback)


def at_client(client: Node) -> Endpoint:
    """A client by its only address."""
    return Endpoint(node=client.name, address=queries.client_address(client))


def at_port(node: str, port: Interface) -> Endpoint:
    """A node by the address of one port."""
    return Endpoint(node=node, address=port.address.ip)


def peer_of(plan: FabricPlan, port: Interface) -> tuple[Node, Interface]:
    """The node and port at the other end of a port's link."""
    return queries.node(plan, port.peer.node), queries.interface(plan, port.peer)


def neighbors_of(plan: FabricPlan, node: Node) -> tuple[tuple[Interface, IPv4Address], ...]:
    """A switch's ports towards other switches, each with the address of its BGP neighbor."""
    switches = {other.name for other in plan.nodes if other.is_switch}
    return tuple((port, peer_of(plan, port)[1].address.ip) for port in node.interfaces if port.peer.node in switches)


def static_switches(plan: FabricPlan) -> str:
    """Which switches could hold a static route, in words."""
    able = [node.name for node in plan.nodes if "staticd" in node.daemons]
    return f"only these switches hold static routes: {_listed(able) or 'none'}"


def all_up(plan: FabricPlan, node: Node) -> tuple[SessionClaim, ...]:
    """Every session of a switch is Established."""
    return tuple(
        SessionClaim(switch=node.name, neighbor=neighbor, is_established=True)
        for _, neighbor in neighbors_of(plan, node)
    )


def ways(plan: FabricPlan, src: Endpoint, dst: Endpoint) -> int:
    """How many equal-cost paths join two clients."""
    return len(equal_cost_paths(plan, src.node, dst.node))


def ends_across(plan: FabricPlan, node: Node, port: Interface) -> tuple[Endpoint, Endpoint] | None:
    """Two clients of which a share of the flows crosses the link at this port.

    None when there are no such clients, or so many paths that probes would seldom take the link.
    """
    lower = max(node, peer_of(plan, port)[0], key=lambda end: TIERS[end.role])
    below = {lower.name, *(each.peer.node for each in lower.interfaces)}
    clients = _first_clients(plan)
    crossing = (
        (at_client(src), at_client(dst))
        for src in clients
        if src.attached_to in below
        for dst in clients
        if src.attached_to != dst.attached_to
    )
    for src, dst in crossing:
        paths = equal_cost_paths(plan, src.node, dst.node)
        over = [path for path in paths if any(port.link == link for link in links_of(plan, path))]
        if over and 1 < len(paths) <= MOST_WAYS:
            return src, dst
        if len(paths) > MOST_WAYS:
            return None
    return None


def partly(
    src: Endpoint,
    dst: Endpoint,
    *,
    among: int,
    is_reply_only: bool = False,
    size_bytes: int | None = None,
) -> PathClaim:
    """A pair of which one of so many equal-cost paths loses what takes it; enough probes to be sure to meet it."""
    return PathClaim(
        src=src,
        dst=dst,
        arrives="all" if is_reply_only else "some",
        returns="some",
        probes=PORTS * among,
        size_bytes=size_bytes,
    )


def _first_clients(plan: FabricPlan) -> list[Node]:
    """One client of each switch that has any."""
    found: dict[str, Node] = {}
    for client in queries.clients(plan):
        found.setdefault(client.attached_to or "", client)
    return list(found.values())


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:11])} … {names[-1]}"
