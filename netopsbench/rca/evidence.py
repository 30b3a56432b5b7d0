"""Which commands decide a root cause: by its label, the sets of (device, need) each of which is enough."""

from collections.abc import Iterable, Sequence
from itertools import product

from netopsbench.core.model import Model
from netopsbench.fabric.labs.lldp import LLDP, lldp_cables
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.vendors.names import Need


class Look(Model):
    """A question to a device, in no vendor's words."""

    device: str
    need: Need
    about: str = ""
    """The address that is looked up, where the need takes one."""

    def __str__(self) -> str:
        return f"{self.device}: {self.need} {self.about}".rstrip()


Evidence = frozenset[Look]

_STATIC: tuple[Need, ...] = ("route_table", "fib")
_DIRECT: dict[str, tuple[Need, ...]] = {
    "shutdown": ("interface_brief",),
    "traffic congestion occupying port bandwidth": ("queues",),
    "global STP not enabled": ("spanning_tree",),
    "port STP not enabled": ("spanning_tree",),
    "MTU value misconfiguration": ("interface_detail",),
    "interface IP error": ("interface_brief", "route_table"),
    "security policy rule does not permit the corresponding user": ("acl",),
    "NAT external interface attribute misconfiguration or missing configuration": ("acl",),
    "NAT internal interface attribute misconfiguration or missing configuration": ("acl",),
    "loopback IP configuration conflict": ("interface_brief", "route_table"),
    "blackhole route": _STATIC,
    "incorrect static route": _STATIC,
    "Layer 3 loop": _STATIC,
    "BGP configuration error": ("bgp_summary",),
    "OSPF configuration error": ("running_config",),
    "ISIS configuration error": ("running_config",),
    "L2VPN configuration error": ("running_config",),
    "VPN configuration missing": ("running_config",),
    "IP prefix list missing the corresponding user source IP address": ("prefix_list",),
}
"""Needs on the device itself, each enough by itself; the plainest first."""

_HARDWARE = ("MAC address configuration error", "ARP configuration error")
"""A hardware address is right when both ends of a link show the same."""
_GIVEN_AWAY: dict[Need, tuple[Need, ...]] = {
    "interface_brief": ("interface_detail", "interface_counters", "interface_description", "running_config", "logs"),
    "route_table": ("route_lookup", "running_config"),
    "bgp_summary": ("bgp_peer", "running_config", "logs"),
    "vrrp": ("logs",),
    "link_neighbors": ("logs",),
}
"""What else shows on the same device what a need shows; the saved configuration always goes with the running one."""


def alternatives(triple: Triple, plan: FabricPlan) -> tuple[Evidence, ...]:
    """Sets of questions of which any is enough, the direct one first."""
    direct = [frozenset({Look(device=triple.node, need=need)}) for need in _DIRECT.get(triple.cause, ())]
    if triple.cause == "missing static route":
        return _missing(triple, plan)
    if triple.cause in _HARDWARE and (far := _facing(plan, triple)) is not None:
        shows, holds = (triple.node, far.name) if triple.cause == _HARDWARE[0] else (far.name, triple.node)
        return (frozenset({Look(device=shows, need="interface_detail"), Look(device=holds, need="arp")}),)
    if triple.cause == "VXLAN configuration error" and plan.lab is not None:
        # Which end differs, only all of them together tell.
        ends = [name for name, bridge in plan.lab.bridges.items() if bridge.vni is not None]
        return (frozenset(Look(device=name, need="vxlan") for name in ends),)
    if triple.object == "vrrp":
        return _without_vrrp(plan, triple.node)
    if triple.cause == "host information collection function missing":
        return _without_lldp(plan, triple)
    peer = peer_of(plan, triple)
    if peer is not None and triple.cause == "shutdown":
        return (*direct, frozenset({Look(device=peer.name, need="interface_brief")}))
    if peer is not None and triple.cause == "BGP configuration error":
        return (*direct, across(triple.node, peer.name))
    return tuple(direct)


def _without_vrrp(plan: FabricPlan, node: str) -> tuple[Evidence, ...]:
    """Another router of the network stands by, this one doesn't: by its groups, or by its configuration."""
    needs: tuple[Need, ...] = ("vrrp", "running_config")
    return tuple(
        frozenset({Look(device=node, need=need), Look(device=peer, need="vrrp")})
        for need in needs
        for peer in gateways_beside(plan, node)
    )


def _without_lldp(plan: FabricPlan, triple: Triple) -> tuple[Evidence, ...]:
    """What the device or the far end of the port's cable shows, and else what all around it lack."""
    own = [(here, there) for here, there in lldp_cables(plan) if here.node == triple.node]
    peers = list(dict.fromkeys(there.node for _, there in own))
    if triple.object == LLDP:
        direct = frozenset({Look(device=triple.node, need="link_neighbors")})
        return (direct, heard_by_none(peers)) if len(peers) > 1 else (direct,)
    far = next(there.node for here, there in own if here.interface == triple.object)
    return tuple(unheard_at(far, witness) for witness in (triple.node, *(name for name in peers if name != far)))


def heard_by_none(peers: Iterable[str]) -> Evidence:
    """All that have a cable to a device have no entry of it by LLDP, and their ports are up."""
    needs: tuple[Need, ...] = ("link_neighbors", "interface_brief")
    return frozenset(Look(device=peer, need=need) for peer in peers for need in needs)


def unheard_at(far: str, witness: str) -> Evidence:
    """A port at the far end of a cable is up and has no entry by LLDP; a witness shows that it runs all the same."""
    return heard_by_none([far]) | {Look(device=witness, need="link_neighbors")}


def gateways_beside(plan: FabricPlan, node: str) -> list[str]:
    """Other devices on the node's LANs that lead on into other networks, as the node itself does."""
    lans = {link.prefix for link in plan.links if link.kind == "lan"}
    on = {each.name: {port.address.network for port in each.interfaces} for each in plan.nodes if each.is_switch}
    leading = {name: networks for name, networks in on.items() if len(networks) > 1}
    own = leading.get(node, set()) & lans
    return [name for name, networks in leading.items() if name != node and networks & own]


def _missing(triple: Triple, plan: FabricPlan) -> tuple[Evidence, ...]:
    """No route in one of the tables, no protocol that could bring it, and ports that are in order."""
    node = next(each for each in plan.nodes if each.name == triple.node)
    beside = frozenset(Look(device=name, need="acl") for name in translators(plan, node))
    pairs: tuple[tuple[Need, Need], ...] = (("route_table", "running_config"), ("fib", "cpu"), ("route_table", "cpu"))
    return tuple(
        beside | {Look(device=triple.node, need=need) for need in ("interface_brief", *pair)}
        for pair in (*pairs, ("fib", "running_config"))
    )


def translators(plan: FabricPlan, node: Node) -> tuple[str, ...]:
    """Routers beside a node that translate the addresses of what is behind them."""
    beside = {port.peer.node for port in node.interfaces}
    files = plan.lab.files if plan.lab is not None else {}
    return tuple(sorted(name for name in beside if "masquerade" in files.get(name, {}).get("nftables.conf", "")))


def across(node: str, peer: str) -> Evidence:
    """A session that is down at the peer, with everything in order that could end it but the node's configuration."""
    needs: tuple[Need, ...] = ("interface_detail", "arp")
    ends = frozenset(Look(device=device, need=need) for device in (node, peer) for need in needs)
    return ends | {Look(device=peer, need="bgp_summary")}


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


def denials(triple: Triple, plan: FabricPlan) -> Evidence | None:
    """What to deny so that only indirect evidence is left; None when there is none for this cause."""
    ways = alternatives(triple, plan)
    if len(ways) < 2:
        return None
    needs = {look.need for look in ways[0] if look.need in _GIVEN_AWAY and look not in ways[1]}
    everything = needs | {more for need in needs for more in _GIVEN_AWAY[need]}
    if "running_config" in everything:
        everything.add("saved_config")
    denied = frozenset(Look(device=triple.node, need=need) for need in everything)
    # Some indirect evidence of one cause is on the device itself; it has to stay.
    return denied - ways[1]


def smallest(ways: Sequence[Iterable[Evidence]], denied: Evidence) -> Evidence | None:
    """The smallest set of permitted questions that decides every cause; None when one can't be decided."""
    permitted = [[way for way in each if not way & denied] for each in ways]
    unions = (frozenset[Look]().union(*choice) for choice in product(*permitted))
    return min(unions, key=len, default=None)
