"""Where in a plan a fault can be: look-ups that answer a user's mistake with the right names."""

from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.fabric.queries import TIERS
from netopsbench.faults.contract import Endpoint
from netopsbench.records.names import Port

InterfaceRole = Literal["uplink", "downlink", "any"]

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


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:11])} … {names[-1]}"
