"""route_policy_misconfig: a switch doesn't announce the prefix of a client of its own."""

from collections.abc import Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    Change,
    Effect,
    PathClaim,
    ReadBack,
    RouteClaim,
    Step,
    configure,
    configured,
    kept,
    lost,
    unanswered,
    vtysh,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import RoutePolicyMisconfig

_WATCHED = 12
"""Switches whose kernels are asked whether the prefix is gone."""
_DENIED_BY = "RETIRED"
"""The prefix list of what FABRIC-OUT doesn't announce."""
_ENTRY = 20


def change(fault: RoutePolicyMisconfig, plan: FabricPlan) -> Change:
    """Take the announcement away, and prove that the prefix is missing elsewhere.

    Raises SpecError when the prefix isn't that of a client of the switch.
    """
    node = places.switch(plan, fault.device, "device")
    if fault.prefix not in node.announces:
        wanted = f"{node.name} announces {', '.join(map(str, node.announces)) or 'no client prefix'}"
        raise SpecError([Problem(places.SOURCE, "prefix", str(fault.prefix), wanted)])
    do, undo, shown = _network_steps(fault, node) if fault.variant == "missing_network" else _policy_steps(fault, node)
    return Change(
        do=do,
        undo=undo,
        read_back=(shown,),
        effect=Effect(
            routes=tuple(RouteClaim(node=name, prefix=fault.prefix, type="absent") for name in _watched(plan, node)),
            sessions=places.all_up(plan, node),
            paths=_paths(fault, plan, node),
        ),
        place=Location(device=node.name),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """The switch's own client prefixes; `role` says nothing here, since no interface is meant."""
    return tuple({"device": node.name, "prefix": str(prefix)} for prefix in node.announces)


def _network_steps(fault: RoutePolicyMisconfig, node: Node) -> tuple[tuple[Step, ...], tuple[Step, ...], ReadBack]:
    family, line = (f"router bgp {node.asn}", "address-family ipv4 unicast"), f"network {fault.prefix}"
    gone = ReadBack(
        where=node.name,
        argv=vtysh(node.name, f"show bgp ipv4 unicast {fault.prefix}").argv,
        shows="Network not in table",
    )
    do = configure(node.name, *family, f"no {line}", done_already="Can't find static route")
    return (do,), (configure(node.name, *family, line),), gone


def _policy_steps(fault: RoutePolicyMisconfig, node: Node) -> tuple[tuple[Step, ...], tuple[Step, ...], ReadBack]:
    line = f"ip prefix-list {_DENIED_BY} seq {_ENTRY} permit {fault.prefix}"
    return (configure(node.name, line),), (configure(node.name, f"no {line}"),), configured(node.name, line)


def _watched(plan: FabricPlan, node: Node) -> tuple[str, ...]:
    """The switch's neighbors, and others spread over the fabric."""
    near = [port.peer.node for port, _ in places.neighbors_of(plan, node)][: _WATCHED // 2]
    rest = [other.name for other in queries.switches(plan) if other.name != node.name and other.name not in near]
    wanted = _WATCHED - len(near)
    return (*near, *rest[:: max(1, -(-len(rest) // wanted))])


def _paths(fault: RoutePolicyMisconfig, plan: FabricPlan, node: Node) -> tuple[PathClaim, ...]:
    clients = queries.clients_of(plan, node.name)
    cut = [places.at_client(client) for client in clients if queries.client_address(client) in fault.prefix]
    spared = [places.at_client(client) for client in clients if queries.client_address(client) not in fault.prefix]
    far = [places.at_client(client) for client in places.other_clients(plan, node)][:1]
    paths = [kept(here, places.at_loopback(node)) for here in cut[:1]]
    for there in far:
        paths += [claim for here in cut[:1] for claim in (lost(there, here), unanswered(here, there))]
        paths += [kept(there, places.at_loopback(node)), *(kept(there, mate) for mate in spared[:1])]
    return tuple(paths)
