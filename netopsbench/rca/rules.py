"""Root causes out of what devices show: each rule names its cause and the questions that it rests on."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking import Facing
from netopsbench.rca.evidence import across
from netopsbench.rca.rules_routes import missing_claims, static_claims
from netopsbench.rca.shown import HELLO, OUI, Claim, Desk, Seen, claim_of
from netopsbench.vendors import facts as f
from netopsbench.vendors.names import Need
from netopsbench.vendors.sessions import BgpSummary

_SPEAKS_OSPF = re.compile(r"^router ospf\b", re.MULTILINE)
_PASSIVE = re.compile(r"^\s*passive-interface (\S+)$", re.MULTILINE)
_BLOCK = re.compile(r"^interface (\S+)\n((?: .*\n)*)", re.MULTILINE)
_EXTERNAL = "NAT external interface attribute misconfiguration or missing configuration"
_INTERNAL = "NAT internal interface attribute misconfiguration or missing configuration"


def claims(plan: FabricPlan, seen: Seen) -> list[Claim]:
    """Everything that the facts show to be wrong."""
    desk = Desk(plan, seen)
    routers = [node for node in plan.nodes if node.is_switch]
    found = [claim for at in desk.ports for claim in (*_port(desk, at), *_session(desk, at))]
    for node in routers:
        found += [*_loopback(desk, node), *static_claims(desk, node), *missing_claims(desk, node)]
        found += [*_filters(desk, node), *_lists(desk, node), *_ospf(desk, node)]
    return found


def _port(desk: Desk, at: Facing) -> Iterator[Claim]:
    node, port = at.node.name, at.port
    if (brief := desk.interface(node, "interface_brief", port.name)) is not None:
        if not brief.is_admin_up:
            yield claim_of(node, port.name, "shutdown", (node, "interface_brief"))
        elif not brief.has_carrier and at.peer.is_switch:
            yield claim_of(at.peer.name, at.peer_port.name, "shutdown", (node, "interface_brief"))
        if str(port.address) not in brief.addresses:
            yield claim_of(node, port.name, "interface IP error", (node, "interface_brief"))
    if (detail := desk.interface(node, "interface_detail", port.name)) is not None and detail.mtu_bytes != port.mtu:
        yield claim_of(node, port.name, "MTU value misconfiguration", (node, "interface_detail"))
    if (routes := desk.shown(node, "route_table", f.Routes)) is not None:
        connected = [each for each in routes.routes if each.protocol == "connected"]
        here = {each.prefix for each in connected for hop in each.hops if hop.interface == port.name}
        if here and str(port.address.network) not in here:
            yield claim_of(node, port.name, "interface IP error", (node, "route_table"))
    yield from _hardware_addresses(desk, at)


def _hardware_addresses(desk: Desk, at: Facing) -> Iterator[Claim]:
    """An ARP entry that differs from what its neighbor shows: wrong is the one that looks like no other here."""
    found = _held_and_shown(desk, at)
    if found is None or found[0] == found[1]:
        return
    held, shown = found
    looks: tuple[tuple[str, Need], ...] = ((at.node.name, "arp"), (at.peer.name, "interface_detail"))
    if at.peer.is_switch and shown[:OUI] != desk.usual_oui == held[:OUI]:
        yield claim_of(at.peer.name, at.peer_port.name, "MAC address configuration error", *looks)
    elif held[:OUI] != desk.usual_oui == shown[:OUI]:
        yield claim_of(at.node.name, at.port.name, "ARP configuration error", *looks)


def _held_and_shown(desk: Desk, at: Facing) -> tuple[str, str] | None:
    """The hardware address that a port's device holds for its neighbor, and the one that the neighbor shows."""
    arp = desk.shown(at.node.name, "arp", f.Neighbors)
    detail = desk.interface(at.peer.name, "interface_detail", at.peer_port.name)
    address = str(at.peer_port.address.ip)
    held = [each.mac for each in arp.neighbors if each.address == address and each.mac] if arp is not None else []
    return (held[0].lower(), detail.mac.lower()) if held and detail is not None else None


def _session(desk: Desk, at: Facing) -> Iterator[Claim]:
    """The session over a port, seen from its own end."""
    node, peer = at.node, at.peer
    summary = desk.shown(node.name, "bgp_summary", BgpSummary)
    held = [each for each in summary.peers if each.address == str(at.peer_port.address.ip)] if summary else []
    if not held or peer.asn is None:
        return
    if held[0].remote_asn != peer.asn:
        yield claim_of(node.name, at.port.name, "BGP configuration error", (node.name, "bgp_summary"))
    elif held[0].state != "Established" and _is_link_right(desk, at):
        triple = Triple(node=peer.name, object=at.peer_port.name, cause="BGP configuration error")
        yield Claim(triple, across(peer.name, node.name), may_pass=True)


def _is_link_right(desk: Desk, at: Facing) -> bool:
    """Whether both ends show that the link is up and addressed as designed, and neither holds a wrong address."""
    back = Facing(node=at.peer, port=at.peer_port, peer=at.node, peer_port=at.port)
    for way in (at, back):
        detail, known = desk.interface(way.node.name, "interface_detail", way.port.name), _held_and_shown(desk, way)
        if detail is None or not detail.is_up or str(way.port.address) not in detail.addresses:
            return False
        if desk.shown(way.node.name, "arp", f.Neighbors) is None or (known is not None and known[0] != known[1]):
            return False
    return True


def _loopback(desk: Desk, node: Node) -> Iterator[Claim]:
    others = {str(each.loopback) for each in desk.plan.nodes if each.loopback and each.name != node.name}
    lo = desk.interface(node.name, "interface_brief", "lo")
    if lo is not None and any(address.partition("/")[0] in others for address in lo.addresses):
        yield claim_of(node.name, "lo", "loopback IP configuration conflict", (node.name, "interface_brief"))
    routes = desk.shown(node.name, "route_table", f.Routes)
    for route in routes.routes if routes else ():
        is_own = route.protocol == "connected" and any(hop.interface == "lo" for hop in route.hops)
        if is_own and route.prefix.partition("/")[0] in others:
            yield claim_of(node.name, "lo", "loopback IP configuration conflict", (node.name, "route_table"))


def _filters(desk: Desk, node: Node) -> Iterator[Claim]:
    found = desk.shown(node.name, "acl", f.PacketFilter)
    if found is None:
        return
    own = [at for at in desk.ports if at.node.name == node.name]
    users = {at.port.name: at.port.address.network for at in own if not at.peer.is_switch}
    for rule in found.rules:
        names = [name for name in rule.in_interfaces if rule.action == "drop" and name in users]
        for name in names:
            if any(_network(source) == users[name] for source in rule.sources):
                cause = "security policy rule does not permit the corresponding user"
                yield claim_of(node.name, name, cause, (node.name, "acl"))
    if "postrouting" not in found.defaults:
        return
    bound = {name for rule in found.rules if rule.chain == "postrouting" for name in rule.out_interfaces}
    marking = [rule for rule in found.rules if rule.chain == "forward" and rule.action != "drop"]
    marked = {name for rule in marking for name in rule.in_interfaces}
    for at in own:
        if at.peer.is_switch and at.port.name not in bound:
            yield claim_of(node.name, at.port.name, _EXTERNAL, (node.name, "acl"))
        elif not at.peer.is_switch and at.port.name not in marked:
            yield claim_of(node.name, at.port.name, _INTERNAL, (node.name, "acl"))


def _network(text: str) -> IPv4Network:
    return IPv4Interface(text).network if "/" in text else IPv4Network(IPv4Address(text))


def _lists(desk: Desk, node: Node) -> Iterator[Claim]:
    found = desk.shown(node.name, "prefix_list", f.Policies)
    users = [at.port.address.network for at in desk.ports if at.node.name == node.name and not at.peer.is_switch]
    for each in found.lists if found is not None else ():
        permitted = {rule.prefix for rule in each.rules if rule.action == "permit"}
        # What lets the router's own loopback pass is about what it announces.
        if f"{node.loopback}/32" in permitted and any(str(network) not in permitted for network in users):
            cause = "IP prefix list missing the corresponding user source IP address"
            yield claim_of(node.name, each.name, cause, (node.name, "prefix_list"))


def _ospf(desk: Desk, node: Node) -> Iterator[Claim]:
    """OSPF that is passive, or says hello at another pace than most, towards a router that isn't seen to lack it."""
    text = desk.configured(node.name) or ""
    if not _SPEAKS_OSPF.search(text):
        return
    blocks = dict(_BLOCK.findall(text))
    passive = {*_PASSIVE.findall(text), *(name for name, block in blocks.items() if "ip ospf passive" in block)}
    for at in desk.ports:
        if at.node.name != node.name or not at.peer.is_switch:
            continue
        theirs = desk.configured(at.peer.name)
        if theirs is not None and not _SPEAKS_OSPF.search(theirs):
            continue
        hello = HELLO.search(blocks.get(at.port.name, ""))
        if at.port.name in passive or (hello is not None and hello[1] != desk.usual_hello):
            yield claim_of(node.name, at.port.name, "OSPF configuration error", (node.name, "running_config"))
