"""blackhole_route: a static route discards what a switch should forward to a remote client prefix."""

from collections.abc import Mapping
from typing import Literal

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Node
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
from netopsbench.records.faults import BlackholeRoute

_TARGET = {"null0": "Null0", "reject": "reject"}
_ROUTE_TYPE: dict[str, Literal["blackhole", "unreachable"]] = {"null0": "blackhole", "reject": "unreachable"}


def change(fault: BlackholeRoute, plan: FabricPlan) -> Change:
    """Type the route in, and prove that it discards.

    Raises SpecError when the switch can't hold static routes or the prefix isn't a remote client's.
    """
    node = places.switch(plan, fault.device, "device")
    owner = _remote_owner(fault, plan, node)
    line = f"ip route {fault.prefix} {_TARGET[fault.variant]}"
    route = RouteClaim(node=node.name, prefix=fault.prefix, type=_ROUTE_TYPE[fault.variant])
    return Change(
        do=(configure(node.name, line),),
        undo=(configure(node.name, f"no {line}", done_already="non-existent route"),),
        read_back=(configured(node.name, line),),
        effect=Effect(
            routes=(route,),
            sessions=places.all_up(plan, node),
            paths=_paths(fault, plan, node, owner),
        ),
        place=Location(device=node.name),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """Every remote client prefix; `role` says nothing here, since no interface is meant."""
    if "staticd" not in node.daemons:
        return ()
    return tuple(
        {"device": node.name, "prefix": str(prefix)}
        for other in plan.nodes
        if other.name != node.name
        for prefix in other.announces
    )


def _remote_owner(fault: BlackholeRoute, plan: FabricPlan, node: Node) -> Node:
    problems = []
    if "staticd" not in node.daemons:
        problems.append(Problem(places.SOURCE, "device", fault.device, places.static_switches(plan)))
    owner = places.announcer_of(plan, fault.prefix)
    if owner is None or owner.name == node.name:
        problems.append(
            Problem(places.SOURCE, "prefix", str(fault.prefix), f"a client prefix of a switch other than {node.name}")
        )
    if problems or owner is None:
        raise SpecError(problems)
    return owner


def _paths(fault: BlackholeRoute, plan: FabricPlan, node: Node, owner: Node) -> tuple[PathClaim, ...]:
    targets = [c for c in queries.clients_of(plan, owner.name) if queries.client_address(c) in fault.prefix]
    mine = queries.clients_of(plan, node.name)
    here = places.at_client(mine[0]) if mine else places.at_loopback(node)
    paths = [kept(here, places.at_loopback(owner))]
    if targets:
        target = places.at_client(targets[0])
        paths += [lost(here, target), unanswered(target, here)]
        bystanders = [c for c in plan.nodes if c.attached_to not in (None, node.name, owner.name)][:1]
        paths += [kept(places.at_client(c), target) for c in bystanders]
    return tuple(paths)
