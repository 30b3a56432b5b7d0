"""Which commands decide a root cause: by its label, the sets of (device, need) each of which is enough."""

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Network
from itertools import product

from netopsbench.core.model import Model
from netopsbench.fabric.labs.lldp import LLDP, lldp_cables
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.solving.telling import is_told, is_told_first
from netopsbench.vendors.names import Need, Vendor


class Look(Model):
    """A question to a device, in no vendor's words."""

    device: str
    need: Need
    about: str = ""
    """The address that is looked up, where the need takes one."""

    def __str__(self) -> str:
        return f"{self.device}: {self.need} {self.about}".rstrip()


Evidence = frozenset[Look]
Ways = tuple[Evidence, ...]
"""Sets of questions of which any is enough."""

CONFIGURED: tuple[Need, ...] = ("running_config", "saved_config")
"""What is saved holds the causes too."""
LISTED: tuple[Need, ...] = ("interface_brief", "interface_detail", "interface_description", "interface_counters")
"""Listings of interfaces; what they leave out differs from vendor to vendor."""
SHOWING_MAC: tuple[Need, ...] = ("interface_detail", "interface_brief", "interface_counters")
ROUTED: tuple[Need, ...] = ("route_table", "fib")

_ON_ITSELF: Mapping[str, tuple[Need, ...]] = {
    "shutdown": (*LISTED, *CONFIGURED),
    "traffic congestion occupying port bandwidth": ("queues",),
    "global STP not enabled": ("spanning_tree",),
    "port STP not enabled": ("spanning_tree", "acl"),
    "MTU value misconfiguration": ("interface_detail", "interface_brief", "interface_counters"),
    "interface IP error": ("interface_brief", "interface_detail", *CONFIGURED, *ROUTED),
    "security policy rule does not permit the corresponding user": ("acl",),
    "NAT external interface attribute misconfiguration or missing configuration": ("acl",),
    "NAT internal interface attribute misconfiguration or missing configuration": ("acl",),
    "loopback IP configuration conflict": ("interface_detail", "interface_brief", *CONFIGURED, "route_table"),
    "blackhole route": (*ROUTED, *CONFIGURED),
    "incorrect static route": (*ROUTED, *CONFIGURED),
    "Layer 3 loop": (*ROUTED, *CONFIGURED),
    "missing static route": CONFIGURED,
    "BGP configuration error": ("bgp_summary", "bgp_peer", *CONFIGURED),
    "OSPF configuration error": CONFIGURED,
    "ISIS configuration error": CONFIGURED,
    "L2VPN configuration error": CONFIGURED,
    "VPN configuration missing": CONFIGURED,
    "IP prefix list missing the corresponding user source IP address": ("prefix_list", *CONFIGURED),
}
"""Needs on the device itself, each enough by itself; the plainest first."""
_LOOKED_UP = ("blackhole route", "incorrect static route", "Layer 3 loop")
"""Causes that the route to an address shows too."""

_HARDWARE = ("MAC address configuration error", "ARP configuration error")
"""A hardware address is right when both ends of a link show the same."""
_NO_LLDP = "host information collection function missing"
_STANDBY: tuple[Need, ...] = ("vrrp", *CONFIGURED)
"""What shows a router's VRRP groups."""
_GIVEN_AWAY: Mapping[str, tuple[Need, ...]] = {
    _NO_LLDP: ("link_neighbors",),
    # The interfaces of shared addresses are down at a router that takes no part, have no routes and no memory.
    "global VRRP hot standby redundancy protocol not enabled": (
        *_STANDBY,
        *LISTED,
        "route_table",
        "arp",
        "memory",
    ),
}
"""What is to be denied where indirect evidence alone shall be left, if it isn't what shows the cause by itself."""


def alternatives(triple: Triple, plan: FabricPlan, vendors: Mapping[str, Vendor] | None = None) -> Ways:
    """Sets of questions of which any is enough, the plainest first.

    With `vendors` only those whose answers tell it in these vendors' words; hosts are Linux.
    """
    ways = [*_direct(triple, plan), *_indirect(triple, plan)]
    if vendors is None:
        return tuple(ways)
    told = [way for way in ways if are_told(triple, way, vendors)]
    return tuple(sorted(told, key=lambda way: not _are_told_first(triple, way, vendors)))


def are_told(triple: Triple, way: Evidence, vendors: Mapping[str, Vendor]) -> bool:
    """Whether the devices' own words tell a cause, each asked what a set of questions asks it."""
    return all(
        is_told(triple.cause, look.need, vendors.get(look.device, "linux"), is_across=look.device != triple.node)
        for look in way
    )


def _are_told_first(triple: Triple, way: Evidence, vendors: Mapping[str, Vendor]) -> bool:
    return all(is_told_first(triple.cause, look.need, vendors.get(look.device, "linux")) for look in way)


def _direct(triple: Triple, plan: FabricPlan) -> list[Evidence]:
    """Ways that ask the device itself for what is wrong there."""
    if triple.cause in _HARDWARE and (far := _facing(plan, triple)) is not None:
        shows, holds = (triple.node, far.name) if triple.cause == _HARDWARE[0] else (far.name, triple.node)
        return [frozenset({Look(device=shows, need=need), Look(device=holds, need="arp")}) for need in SHOWING_MAC]
    if triple.cause == "VXLAN configuration error" and plan.lab is not None:
        # Which end differs, only all of them together tell.
        ends = [name for name, bridge in plan.lab.bridges.items() if bridge.vni is not None]
        return [frozenset(Look(device=name, need="vxlan") for name in ends)]
    if triple.object == "vrrp":
        return [
            frozenset({Look(device=triple.node, need=own), Look(device=peer, need=theirs)})
            for own, theirs in product(_STANDBY, _STANDBY)
            for peer in gateways_beside(plan, triple.node)
        ]
    if triple.cause == _NO_LLDP:
        return _without_lldp(plan, triple)[:1]
    looks = [Look(device=triple.node, need=need) for need in _ON_ITSELF.get(triple.cause, ())]
    if triple.cause in _LOOKED_UP:
        looks += [Look(device=triple.node, need="route_lookup", about=each) for each in inside(plan, triple.object)]
    return [frozenset({look}) for look in looks]


def _indirect(triple: Triple, plan: FabricPlan) -> list[Evidence]:
    """Ways that ask others, or the device for what isn't wrong."""
    node = triple.node
    if triple.object == "vrrp":
        return [
            frozenset({Look(device=peer, need="vrrp"), Look(device=at, need=need)})
            for peer in gateways_beside(plan, node)
            for at in plugged_into(plan, node, peer)
            for need in LISTED
        ]
    if triple.cause == _NO_LLDP:
        return _without_lldp(plan, triple)[1:]
    peer = peer_of(plan, triple)
    if peer is None:
        return []
    if triple.cause == "shutdown":
        return [frozenset({Look(device=peer.name, need=need)}) for need in LISTED]
    if triple.cause == "BGP configuration error":
        return [frozenset({Look(device=peer.name, need="bgp_peer")})]
    if triple.cause == "OSPF configuration error":
        return [unheard(node, peer.name, need) for need in CONFIGURED]
    return []


def _without_lldp(plan: FabricPlan, triple: Triple) -> list[Evidence]:
    """What the device or the far end of the port's cable shows, and else what all around it lack."""
    own = [(here, there) for here, there in lldp_cables(plan) if here.node == triple.node]
    peers = list(dict.fromkeys(there.node for _, there in own))
    if triple.object == LLDP:
        direct = frozenset({Look(device=triple.node, need="link_neighbors")})
        return [direct, heard_by_none(peers)] if len(peers) > 1 else [direct]
    far = next(there.node for here, there in own if here.interface == triple.object)
    return [unheard_at(far, witness) for witness in (triple.node, *(name for name in peers if name != far))]


def heard_by_none(peers: Iterable[str]) -> Evidence:
    """All that have a cable to a device have no entry of it by LLDP, and their ports are up."""
    needs: tuple[Need, ...] = ("link_neighbors", "interface_brief")
    return frozenset(Look(device=peer, need=need) for peer in peers for need in needs)


def unheard_at(far: str, witness: str) -> Evidence:
    """A port at the far end of a cable is up and has no entry by LLDP; a witness shows that it runs all the same."""
    return heard_by_none([far]) | {Look(device=witness, need="link_neighbors")}


def unheard(node: str, peer: str, configured: Need) -> Evidence:
    """OSPF runs and has no neighbor at a port that is in order, although that one is configured as it should be."""
    own: tuple[Need, ...] = ("ospf_neighbors", "interface_detail")
    return frozenset({*(Look(device=node, need=need) for need in own), Look(device=peer, need=configured)})


def inside(plan: FabricPlan, prefix: str) -> list[str]:
    """Addresses of the hosts that a route is for."""
    network = IPv4Network(prefix)
    ports = [node.interfaces[0] for node in plan.nodes if not node.is_switch and node.interfaces]
    return [str(port.address.ip) for port in ports if port.address.ip in network]


def gateways_beside(plan: FabricPlan, node: str) -> list[str]:
    """Other devices on the node's LANs that lead on into other networks, as the node itself does."""
    on = {each.name: {port.address.network for port in each.interfaces} for each in plan.nodes if each.is_switch}
    leading = {name: networks for name, networks in on.items() if len(networks) > 1}
    own = leading.get(node, set()) & _lans(plan)
    return [name for name, networks in leading.items() if name != node and networks & own]


def plugged_into(plan: FabricPlan, node: str, peer: str) -> list[str]:
    """Switches into which the node's ports on the LANs that it shares with a peer are plugged."""
    by_name = {each.name: each for each in plan.nodes}
    shared = {port.address.network for port in by_name[peer].interfaces} & _lans(plan)
    ports = [port for port in by_name[node].interfaces if port.address.network in shared]
    return [port.peer.node for port in ports if port.peer.node in by_name and by_name[port.peer.node].is_switch]


def _lans(plan: FabricPlan) -> set[IPv4Network]:
    return {link.prefix for link in plan.links if link.kind == "lan"}


def translators(plan: FabricPlan, node: Node) -> tuple[str, ...]:
    """Routers beside a node that translate the addresses of what is behind them."""
    beside = {port.peer.node for port in node.interfaces}
    files = plan.lab.files if plan.lab is not None else {}
    return tuple(sorted(name for name in beside if "masquerade" in files.get(name, {}).get("nftables.conf", "")))


def peer_of(plan: FabricPlan, triple: Triple) -> Node | None:
    """The router at the other end of a triple's interface."""
    peer = _facing(plan, triple)
    return peer if peer is not None and peer.is_switch else None


def _facing(plan: FabricPlan, triple: Triple) -> Node | None:
    """The device at the other end of a triple's interface."""
    by_name = {node.name: node for node in plan.nodes}
    ports = {port.name: port for port in by_name[triple.node].interfaces}
    port = ports.get(triple.object)
    return by_name.get(port.peer.node) if port else None


def denials(triple: Triple, plan: FabricPlan, vendors: Mapping[str, Vendor] | None = None) -> Evidence | None:
    """What to deny so that only indirect evidence is left: all that tells the cause at its device.

    None when nothing indirect tells it.
    """
    needs = _GIVEN_AWAY.get(triple.cause, _ON_ITSELF.get(triple.cause, ()))
    needs = (*needs, "route_lookup") if triple.cause in _LOOKED_UP else needs
    told = [need for need in needs if vendors is None or is_told(triple.cause, need, vendors[triple.node])]
    denied = frozenset(Look(device=triple.node, need=need) for need in told)
    left = [way for way in alternatives(triple, plan, vendors) if not is_denied(way, denied)]
    return denied if left and any(is_denied(way, denied) for way in _direct(triple, plan)) else None


def smallest(ways: Sequence[Iterable[Evidence]], denied: Evidence) -> Evidence | None:
    """The smallest set of permitted questions that decides every cause; None when one can't be decided."""
    permitted = [fewest(each, denied) for each in ways]
    unions = (frozenset[Look]().union(*choice) for choice in product(*permitted))
    return min(unions, key=len, default=None)


def fewest(ways: Iterable[Evidence], denied: Evidence) -> Ways:
    """Of the ways to decide one cause those with the fewest questions, all of which are permitted."""
    permitted = list(dict.fromkeys(way for way in ways if not is_denied(way, denied)))
    least = min(map(len, permitted), default=0)
    return tuple(way for way in permitted if len(way) == least)


def is_denied(way: Evidence, denied: Evidence) -> bool:
    """Whether something of it is denied, whatever address it is about."""
    return any(look.model_copy(update={"about": ""}) in denied for look in way)
