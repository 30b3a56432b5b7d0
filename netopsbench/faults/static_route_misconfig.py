"""static_route_misconfig: a host route sends a remote client's traffic to a client of the switch itself."""

from collections.abc import Mapping
from ipaddress import IPv4Network

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    Change,
    Effect,
    PathClaim,
    RouteClaim,
    configure,
    configured,
    kept,
    lost,
    unanswered,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import StaticRouteMisconfig


def change(fault: StaticRouteMisconfig, plan: FabricPlan) -> Change:
    """Type the route in, and prove that it leads astray: clients don't forward.

    Raises SpecError when the switch can't hold static routes, or an address isn't that of a client as it must be.
    """
    node, target, port = _checked(fault, plan)
    by_address = fault.variant == "address"
    line = f"ip route {fault.address}/32 {fault.toward if by_address else port.name}"
    route = RouteClaim(
        node=node.name,
        prefix=IPv4Network(fault.address),
        type="unicast",
        via=(str(fault.toward) if by_address else "", port.name),
    )
    return Change(
        do=(configure(node.name, line),),
        undo=(configure(node.name, f"no {line}", done_already="non-existent route"),),
        read_back=(configured(node.name, line),),
        effect=Effect(routes=(route,), sessions=places.all_up(plan, node), paths=_paths(plan, node, target)),
        place=Location(device=node.name),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """Every remote client, each by one of the switch's own; `role` says nothing here, since no interface is meant."""
    mine = queries.clients_of(plan, node.name)
    if "staticd" not in node.daemons or not mine:
        return ()
    return tuple(
        {
            "device": node.name,
            "address": str(queries.client_address(other)),
            "toward": str(queries.client_address(mine[number % len(mine)])),
        }
        for number, other in enumerate(places.other_clients(plan, node))
    )


def _checked(fault: StaticRouteMisconfig, plan: FabricPlan) -> tuple[Node, Node, Interface]:
    """The switch, the client that is cut off, and the port to which the route leads."""
    node = places.switch(plan, fault.device, "device")
    problems = []
    if "staticd" not in node.daemons:
        problems.append(Problem(places.SOURCE, "device", fault.device, places.static_switches(plan)))
    target = queries.owner_of(plan, fault.address)
    if target is None or target.attached_to in (None, node.name):
        wanted = f"the address of a client of a switch other than {node.name}"
        problems.append(Problem(places.SOURCE, "address", str(fault.address), wanted))
    mine = {queries.client_address(client): client for client in queries.clients_of(plan, node.name)}
    astray = mine.get(fault.toward)
    if astray is None:
        wanted = f"the address of a client of {node.name}: {', '.join(map(str, mine)) or 'it has none'}"
        problems.append(Problem(places.SOURCE, "toward", str(fault.toward), wanted))
    if problems or target is None or astray is None:
        raise SpecError(problems)
    return node, target, queries.interface(plan, astray.interfaces[0].peer)


def _paths(plan: FabricPlan, node: Node, target: Node) -> tuple[PathClaim, ...]:
    there = places.at_client(target)
    owner = queries.node(plan, target.attached_to or "")
    mine = [places.at_client(client) for client in queries.clients_of(plan, node.name)]
    bystanders = [c for c in plan.nodes if c.attached_to not in (None, node.name, owner.name)][:1]
    return (
        *(lost(here, there) for here in mine[:2]),
        unanswered(there, mine[0]),
        kept(mine[0], places.at_loopback(owner)),
        *(kept(places.at_client(client), there) for client in bystanders),
    )
