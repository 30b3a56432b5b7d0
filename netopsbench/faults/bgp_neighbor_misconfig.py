"""bgp_neighbor_misconfig: a neighbor is configured so that its session can't come up."""

from collections.abc import Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    Change,
    Effect,
    HopGone,
    PathClaim,
    SessionClaim,
    Step,
    configure,
    configured,
    kept,
    vtysh,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import BgpNeighborMisconfig

_WRONG_BY = 100
"""A wrong AS number differs by this: nobody in the fabrics has it, and it looks like a slip."""
_PASSWORD = "fabric-peering"


def change(fault: BgpNeighborMisconfig, plan: FabricPlan) -> Change:
    """Type the mistake in, and prove that the session is gone while the link still works.

    Raises SpecError when the switch has no such neighbor.
    """
    node, port = _checked(fault, plan)
    peer, far = places.peer_of(plan, port)
    do, undo, line = _steps(fault, plan, node, peer)
    sessions = [
        SessionClaim(switch=node.name, neighbor=far.address.ip, is_established=False),
        SessionClaim(switch=peer.name, neighbor=port.address.ip, is_established=False),
    ]
    sessions += [claim for claim in places.all_up(plan, node) if claim.neighbor != far.address.ip]
    if fault.variant == "update_source" and peer.loopback is not None:
        sessions.append(SessionClaim(switch=node.name, neighbor=peer.loopback, is_established=False))
    return Change(
        do=do,
        # The peer may be waiting before it tries again.
        undo=(*undo, vtysh(peer.name, f"clear bgp ipv4 unicast {port.address.ip}")),
        read_back=(configured(node.name, line),),
        effect=Effect(
            hops_gone=(
                HopGone(node=node.name, next_hop=far.address.ip),
                HopGone(node=peer.name, next_hop=port.address.ip),
            ),
            sessions=tuple(sessions),
            paths=_paths(plan, node, port),
        ),
        place=Location(device=node.name),
        needs=("tcp_md5",) if fault.variant == "password" else (),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """Every neighbor of the switch behind a port of this role."""
    wanted = {port.name for port in places.ports_of(plan, node, role)}
    return tuple(
        {"device": node.name, "neighbor": str(neighbor)}
        for port, neighbor in places.neighbors_of(plan, node)
        if port.name in wanted
    )


def _checked(fault: BgpNeighborMisconfig, plan: FabricPlan) -> tuple[Node, Interface]:
    node = places.switch(plan, fault.device, "device")
    known = {neighbor: port for port, neighbor in places.neighbors_of(plan, node)}
    if fault.neighbor not in known:
        wanted = f"{node.name} has the neighbors {', '.join(map(str, known)) or 'none'}"
        raise SpecError([Problem(places.SOURCE, "neighbor", str(fault.neighbor), wanted)])
    return node, known[fault.neighbor]


def _steps(
    fault: BgpNeighborMisconfig, plan: FabricPlan, node: Node, peer: Node
) -> tuple[tuple[Step, ...], tuple[Step, ...], str]:
    """What to do, how to undo it, and the line that shows it."""
    router, neighbor = f"router bgp {node.asn}", f"neighbor {fault.neighbor}"
    if fault.variant == "remote_as":
        line = f"{neighbor} remote-as {(peer.asn or 0) + _WRONG_BY}"
        right = configure(node.name, router, f"{neighbor} remote-as {peer.asn}")
        return (configure(node.name, router, line),), (right,), line
    if fault.variant == "password":
        line = f"{neighbor} password {_PASSWORD}"
        right = configure(node.name, router, f"no {neighbor} password")
        return (configure(node.name, router, line),), (right,), line
    # A session to the address of a link would come up all the same, since the peer still connects to it.
    moved = f"neighbor {peer.loopback}"
    source = f"{moved} update-source {node.loopback}"
    do = (_removed(node, str(fault.neighbor)), _added(plan, node, peer, str(peer.loopback), source))
    undo = (_removed(node, str(peer.loopback)), _added(plan, node, peer, str(fault.neighbor)))
    return do, undo, source


def _removed(node: Node, address: str) -> Step:
    lines = (f"router bgp {node.asn}", f"no neighbor {address}")
    return configure(node.name, *lines, done_already="remote-as or peer-group")


def _added(plan: FabricPlan, node: Node, peer: Node, address: str, *more: str) -> Step:
    """A neighbor with everything that the fabric configures for one."""
    return configure(
        node.name,
        f"router bgp {node.asn}",
        f"neighbor {address} remote-as {peer.asn}",
        f"neighbor {address} description {peer.name}",
        f"neighbor {address} advertisement-interval 0",
        f"neighbor {address} timers connect {plan.timers.connect_s}",
        *more,
        "address-family ipv4 unicast",
        f"neighbor {address} route-map FABRIC-IN in",
        f"neighbor {address} route-map FABRIC-OUT out",
    )


def _paths(plan: FabricPlan, node: Node, port: Interface) -> tuple[PathClaim, ...]:
    """The link itself still carries everything, and so do the others."""
    peer, far = places.peer_of(plan, port)
    here, there = places.at_port(node.name, port), places.at_port(peer.name, far)
    mine, others = queries.clients_of(plan, node.name), places.other_clients(plan, node)
    has_spare = len(places.ports_of(plan, node, "uplink")) > 1
    around = [kept(places.at_client(mine[0]), places.at_client(others[0]))] if mine and others and has_spare else []
    return (kept(here, there), kept(there, here), *around)
