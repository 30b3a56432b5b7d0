"""device_down: a switch stops working, while commands on it still answer."""

from collections.abc import Mapping

from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    Change,
    Effect,
    HopGone,
    PathClaim,
    PortClaim,
    ReadBack,
    SessionClaim,
    Step,
    kept,
    lost,
    unanswered,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import DeviceDown
from netopsbench.records.names import Port

_STOP, _START = ("/etc/init.d/frr", "stop"), ("/etc/init.d/frr", "start")
_CRASH = 'for daemon; do kill -KILL "$(cat "/run/frr/$daemon.pid")" 2>/dev/null; done; :'
"""A crash leaves the routes in the kernel, an orderly stop takes them out."""


def change(fault: DeviceDown, plan: FabricPlan) -> Change:
    """Stop the routing and, but for a switch that goes on forwarding, its ports.

    Raises SpecError when there is no such switch.
    """
    node = places.switch(plan, fault.device, "device")
    start = Step(where=node.name, argv=_START)
    do: tuple[Step, ...]
    undo: tuple[Step, ...]
    if fault.variant == "stopped":
        do = (Step(where=node.name, argv=_STOP), _ports(node, "down"))
        undo = (_ports(node, "up"), start)
        effect = _stopped(plan, node)
    else:
        # zebra first: while it lives it takes the routes of the others out.
        do = (Step(where=node.name, argv=("sh", "-c", _CRASH, "sh", *node.daemons)),)
        undo = (start,)
        effect = _forwarding(plan, node)
    return Change(
        do=do,
        undo=undo,
        read_back=_read_back(fault, node),
        effect=effect,
        place=Location(device=node.name),
        stops_routing=True,
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """The switch itself; `role` says nothing here, since no interface is meant."""
    return ({"device": node.name},)


def _ports(node: Node, state: str) -> Step:
    lines = "".join(f"link set dev {port.name} {state}\n" for port in node.interfaces)
    return Step(where=node.name, argv=("ip", "-batch", "-"), stdin=lines)


def _read_back(fault: DeviceDown, node: Node) -> tuple[ReadBack, ...]:
    if fault.variant == "dead_but_forwarding":
        return ()
    return tuple(
        ReadBack(where=node.name, argv=("ip", "link", "show", "dev", port.name), shows="state DOWN")
        for port in node.interfaces[:1]
    )


def _stopped(plan: FabricPlan, node: Node) -> Effect:
    """Every port is down and every neighbor has noticed; the rest of the fabric goes on."""
    near = tuple(
        PortClaim(port=Port(node=node.name, interface=port.name), is_admin_up=False) for port in node.interfaces
    )
    far = tuple(PortClaim(port=port.peer, is_admin_up=True) for port in node.interfaces)
    mine, others = queries.clients_of(plan, node.name), places.other_clients(plan, node)
    paths = [
        claim
        for client in mine[:2]
        for other in others[:1]
        for claim in (
            lost(places.at_client(client), places.at_client(other)),
            lost(places.at_client(other), places.at_client(client)),
        )
    ]
    return Effect(
        ports=near + far,
        hops_gone=_hops_gone(plan, node),
        sessions=_sessions(plan, node),
        paths=(*paths, *_elsewhere(plan, node)),
    )


def _forwarding(plan: FabricPlan, node: Node) -> Effect:
    """What clients send still goes out, by routes that nobody keeps; nothing finds its way back."""
    mine, others = queries.clients_of(plan, node.name), places.other_clients(plan, node)
    paths = [kept(places.at_client(mine[0]), places.at_loopback(node))] if mine else []
    if mine and others:
        here, there = places.at_client(mine[0]), places.at_client(others[0])
        paths += [unanswered(here, there), lost(there, here)]
    return Effect(
        hops_gone=_hops_gone(plan, node),
        sessions=_sessions(plan, node),
        paths=(*paths, *_elsewhere(plan, node)),
    )


def _neighbors(plan: FabricPlan, node: Node) -> list[tuple[Node, Interface, Interface]]:
    """Each switch beside this one, with the port there and the port here."""
    return [(*places.peer_of(plan, port), port) for port, _ in places.neighbors_of(plan, node)]


def _hops_gone(plan: FabricPlan, node: Node) -> tuple[HopGone, ...]:
    return tuple(HopGone(node=peer.name, next_hop=port.address.ip) for peer, _, port in _neighbors(plan, node))


def _sessions(plan: FabricPlan, node: Node) -> tuple[SessionClaim, ...]:
    return tuple(
        claim
        for peer, far, port in _neighbors(plan, node)
        for claim in (
            SessionClaim(switch=node.name, neighbor=far.address.ip, is_established=False),
            SessionClaim(switch=peer.name, neighbor=port.address.ip, is_established=False),
        )
    )


def _elsewhere(plan: FabricPlan, node: Node) -> tuple[PathClaim, ...]:
    """Between two other racks; on a fabric of two, between a spine and the other rack."""
    others = places.other_clients(plan, node)
    racks = list(dict.fromkeys(client.attached_to for client in others))
    if len(racks) > 1:
        far = next(client for client in others if client.attached_to == racks[1])
        return (kept(places.at_client(others[0]), places.at_client(far)),)
    beside = [peer for peer, _, _ in _neighbors(plan, node)]
    return tuple(kept(places.at_client(client), places.at_loopback(peer)) for client in others[:1] for peer in beside)
