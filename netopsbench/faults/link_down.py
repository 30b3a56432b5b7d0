"""link_down: a port goes down, by configuration on its switch or because its cable lost carrier."""

from collections.abc import Mapping

from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.faults import places
from netopsbench.faults.contract import (
    WIRE,
    Change,
    Effect,
    HopGone,
    PathClaim,
    PortClaim,
    ReadBack,
    SessionClaim,
    Step,
    WireEnd,
    configure,
    kept,
    lost,
)
from netopsbench.records.answers import Location
from netopsbench.records.faults import LinkDown
from netopsbench.records.names import Port

# The fabric's link watcher leaves wire ends of this group alone; it would take the fault for a port that went down
# inside a node, and end it as soon as that port looked up.
_FAULT_GROUP = "99"
_ORDINARY_GROUP = "0"


def change(fault: LinkDown, plan: FabricPlan) -> Change:
    """Take the port down, and prove it at both ends.

    Raises SpecError when the fabric has no such switch port.
    """
    port = places.interface(plan, fault.at, "at")
    node = queries.node(plan, fault.at.node)
    do, undo = _admin_steps(fault.at) if fault.variant == "admin" else _carrier_steps(port)
    peer, far = places.peer_of(plan, port)
    effect = _fabric_link_effect(plan, node, port) if peer.is_switch else _client_link_effect(plan, node, port)
    ports = (
        PortClaim(port=fault.at, is_admin_up=fault.variant == "carrier"),
        PortClaim(port=Port(node=peer.name, interface=far.name), is_admin_up=True),
    )
    return Change(
        do=do,
        undo=undo,
        read_back=(_read_back(fault, port),),
        effect=effect.model_copy(update={"ports": ports}),
        place=Location(device=fault.at.node, interface=fault.at.interface),
    )


def spots(plan: FabricPlan, node: Node, role: places.InterfaceRole) -> tuple[Mapping[str, str], ...]:
    """Where on a switch this fault can be, in the words of a fault spec."""
    return tuple({"at": f"{node.name}:{port.name}"} for port in places.ports_of(plan, node, role))


def _admin_steps(at: Port) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    here = f"interface {at.interface}"
    return (configure(at.node, here, "shutdown"),), (configure(at.node, here, "no shutdown"),)


def _read_back(fault: LinkDown, port: Interface) -> ReadBack:
    where, device = (fault.at.node, port.name) if fault.variant == "admin" else (WIRE, WireEnd(link=port.link, end="a"))
    return ReadBack(where=where, argv=("ip", "link", "show", "dev", device), shows="state DOWN")


def _carrier_steps(port: Interface) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    ends = (WireEnd(link=port.link, end="a"), WireEnd(link=port.link, end="b"))

    def each(*words: str) -> tuple[Step, ...]:
        return tuple(Step(where=WIRE, argv=("ip", "link", "set", "dev", end, *words)) for end in ends)

    # Both ends change group before either changes state: the watcher must never see half of it.
    return each("group", _FAULT_GROUP) + each("down"), each("group", _ORDINARY_GROUP) + each("up")


def _fabric_link_effect(plan: FabricPlan, node: Node, port: Interface) -> Effect:
    """The link carries nothing, both sessions end, no route uses it, and the rest of the fabric goes on."""
    peer, far = places.peer_of(plan, port)
    here, there = places.at_port(node.name, port), places.at_port(peer.name, far)
    return Effect(
        hops_gone=(
            HopGone(node=node.name, next_hop=there.address),
            HopGone(node=peer.name, next_hop=here.address),
        ),
        sessions=(
            SessionClaim(switch=node.name, neighbor=there.address, is_established=False),
            SessionClaim(switch=peer.name, neighbor=here.address, is_established=False),
        ),
        paths=(
            lost(here, there),
            lost(there, here),
            *_beside(plan, node, port),
            *_beside(plan, peer, far),
            *_around(plan, node),
            *_around(plan, peer),
        ),
    )


def _beside(plan: FabricPlan, node: Node, port: Interface) -> tuple[PathClaim, ...]:
    """Another link of the same switch, where there is one."""
    others = [other for other, _ in places.neighbors_of(plan, node) if other.name != port.name]
    if not others:
        return ()
    peer, far = places.peer_of(plan, others[0])
    return (kept(places.at_port(node.name, others[0]), places.at_port(peer.name, far)),)


def _around(plan: FabricPlan, node: Node) -> tuple[PathClaim, ...]:
    """From a client of the switch to one elsewhere, where another uplink can carry it."""
    mine, others = queries.clients_of(plan, node.name), places.other_clients(plan, node)
    if not mine or not others or len(places.ports_of(plan, node, "uplink")) < 2:
        return ()
    return (kept(places.at_client(mine[0]), places.at_client(others[0])),)


def _client_link_effect(plan: FabricPlan, node: Node, port: Interface) -> Effect:
    """The client is unreachable both ways; the switch's sessions and other clients don't notice."""
    client = queries.node(plan, port.peer.node)
    others = places.other_clients(plan, node)
    far = places.at_client(others[0]) if others else places.at_loopback(node)
    controls = [
        kept(places.at_client(mate), far)
        for mate in queries.clients_of(plan, node.name)
        if mate.name != client.name and far.node != node.name
    ][:1]
    if far.node != node.name:
        controls.append(kept(far, places.at_loopback(node)))
    return Effect(
        sessions=places.all_up(plan, node),
        paths=(lost(places.at_client(client), far), lost(far, places.at_client(client)), *controls),
    )
