"""Root causes out of what devices show: each rule names its cause and the questions that it rests on."""

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.breaking.contract import LOOPBACK, Facing
from netopsbench.rca.solving.evidence import CONFIGURED, LISTED, SHOWING_MAC
from netopsbench.rca.solving.ospf import ospf_claims
from netopsbench.rca.solving.routes import missing_claims, static_claims
from netopsbench.rca.solving.shown import OUI, Claim, Desk, Seen, claim_of, interfaces_in
from netopsbench.vendors import facts as f
from netopsbench.vendors import read_config
from netopsbench.vendors.names import Need
from netopsbench.vendors.sessions import BgpSessions, BgpSummary

_SHUTDOWN = re.compile(r"^ shutdown$", re.MULTILINE)
_ADDRESS = re.compile(r"^ ip address (\S+)", re.MULTILINE)
_REMOTE = re.compile(r"^ neighbor (\S+) remote-as (\d+)$", re.MULTILINE)
_BAD_NUMBER = "/Bad Peer AS"
_EXTERNAL = "NAT external interface attribute misconfiguration or missing configuration"
_INTERNAL = "NAT internal interface attribute misconfiguration or missing configuration"


def claims(plan: FabricPlan, seen: Seen) -> list[Claim]:
    """Everything that the facts show to be wrong."""
    desk = Desk(plan, seen)
    routers = [node for node in plan.nodes if node.is_switch]
    found = [claim for at in desk.ports for claim in (*_port(desk, at), *_session(desk, at))]
    for node in routers:
        found += [*_loopback(desk, node), *static_claims(desk, node), *missing_claims(desk, node)]
        found += [*_filters(desk, node), *_lists(desk, node), *ospf_claims(desk, node)]
    return found


def _port(desk: Desk, at: Facing) -> Iterator[Claim]:
    node, port = at.node.name, at.port
    for need in LISTED:
        if (shown := desk.interface(node, need, port.name)) is not None:
            yield from _listed(at, need, shown)
    for need in CONFIGURED:
        said = interfaces_in(desk.configured(node, need) or "").get(port.name, "")
        if _SHUTDOWN.search(said):
            yield claim_of(node, port.name, "shutdown", (node, need))
        if (addresses := _ADDRESS.findall(said)) and str(port.address) not in addresses:
            yield claim_of(node, port.name, "interface IP error", (node, need))
    for need, connected in _connected(desk, at):
        if connected and str(port.address.network) not in connected:
            yield claim_of(node, port.name, "interface IP error", (node, need))
    yield from _hardware_addresses(desk, at)


def _listed(at: Facing, need: Need, shown: f.Interface) -> Iterator[Claim]:
    """What a listing of interfaces shows to be wrong with a port, or with the one at the other end of its cable."""
    node, port = at.node.name, at.port
    if not shown.is_admin_up:
        yield claim_of(node, port.name, "shutdown", (node, need))
    elif not shown.has_carrier and at.peer.is_switch:
        yield claim_of(at.peer.name, at.peer_port.name, "shutdown", (node, need))
    if str(port.address) not in shown.addresses:
        yield claim_of(node, port.name, "interface IP error", (node, need))
    if shown.mtu_bytes != port.mtu:
        yield claim_of(node, port.name, "MTU value misconfiguration", (node, need))


def _connected(desk: Desk, at: Facing) -> Iterator[tuple[Need, set[str]]]:
    """Networks that the tables have at a port itself."""
    if (table := desk.shown(at.node.name, "route_table", f.Routes)) is not None:
        own = [route for route in table.routes if route.protocol == "connected"]
        yield "route_table", {route.prefix for route in own for hop in route.hops if hop.interface == at.port.name}
    if (fib := desk.shown(at.node.name, "fib", f.Fib)) is not None:
        direct = [(route.prefix, hop) for route in fib.routes for hop in route.hops if hop.gateway is None]
        yield "fib", {prefix for prefix, hop in direct if hop.interface == at.port.name}


def _hardware_addresses(desk: Desk, at: Facing) -> Iterator[Claim]:
    """An ARP entry that differs from what its neighbor shows: wrong is the one that looks like no other here."""
    for need in SHOWING_MAC:
        found = _held_and_shown(desk, at, need)
        if found is None or found[0] == found[1]:
            continue
        held, shown = found
        looks: tuple[tuple[str, Need], ...] = ((at.node.name, "arp"), (at.peer.name, need))
        if at.peer.is_switch and shown[:OUI] != desk.usual_oui == held[:OUI]:
            yield claim_of(at.peer.name, at.peer_port.name, "MAC address configuration error", *looks)
        elif held[:OUI] != desk.usual_oui == shown[:OUI]:
            yield claim_of(at.node.name, at.port.name, "ARP configuration error", *looks)


def _held_and_shown(desk: Desk, at: Facing, need: Need) -> tuple[str, str] | None:
    """The hardware address that a port's device holds for its neighbor, and the one that the neighbor shows."""
    arp = desk.shown(at.node.name, "arp", f.Neighbors)
    listed = desk.interface(at.peer.name, need, at.peer_port.name)
    address = str(at.peer_port.address.ip)
    held = [each.mac for each in arp.neighbors if each.address == address and each.mac] if arp is not None else []
    return (held[0].lower(), listed.mac.lower()) if held and listed is not None else None


def _session(desk: Desk, at: Facing) -> Iterator[Claim]:
    """The session over a port: the neighbor's AS number here, or how it complained of this one's."""
    node, peer, address = at.node, at.peer, str(at.peer_port.address.ip)
    if peer.asn is None:
        return
    cause = "BGP configuration error"
    for need, number in _remote_numbers(desk, node.name, address):
        if number != peer.asn:
            yield claim_of(node.name, at.port.name, cause, (node.name, need))
    detail = desk.shown(node.name, "bgp_peer", BgpSessions)
    for each in detail.sessions if detail is not None else ():
        is_refused = each.state != "Established" and (each.last_error or "").endswith(_BAD_NUMBER)
        # Who sends this notification complains of the other end's number, by what it has configured.
        if each.address == address and is_refused and "received" in (each.last_reset or ""):
            yield claim_of(peer.name, at.peer_port.name, cause, (node.name, "bgp_peer"))


def _remote_numbers(desk: Desk, node: str, address: str) -> Iterator[tuple[Need, int]]:
    """The AS number that a device has for a neighbor, by everything that shows it."""
    if (summary := desk.shown(node, "bgp_summary", BgpSummary)) is not None:
        yield from (("bgp_summary", each.remote_asn) for each in summary.peers if each.address == address)
    if (detail := desk.shown(node, "bgp_peer", BgpSessions)) is not None:
        yield from (("bgp_peer", each.remote_asn) for each in detail.sessions if each.address == address)
    for need in CONFIGURED:
        said = _REMOTE.findall(desk.configured(node, need) or "")
        yield from ((need, int(number)) for neighbor, number in said if neighbor == address)


def _loopback(desk: Desk, node: Node) -> Iterator[Claim]:
    others = {str(each.loopback) for each in desk.plan.nodes if each.loopback and each.name != node.name}
    for need, addresses in _own_addresses(desk, node.name):
        if any(address.partition("/")[0] in others for address in addresses):
            yield claim_of(node.name, LOOPBACK, "loopback IP configuration conflict", (node.name, need))


def _own_addresses(desk: Desk, node: str) -> Iterator[tuple[Need, Sequence[str]]]:
    """The addresses at a device's loopback, by everything that shows them."""
    for need in LISTED:
        if (lo := desk.interface(node, need, LOOPBACK)) is not None:
            yield need, lo.addresses
    for need in CONFIGURED:
        yield need, _ADDRESS.findall(interfaces_in(desk.configured(node, need) or "").get(LOOPBACK, ""))
    if (table := desk.shown(node, "route_table", f.Routes)) is not None:
        own = [route for route in table.routes if route.protocol == "connected"]
        yield "route_table", [route.prefix for route in own if any(hop.interface == LOOPBACK for hop in route.hops)]


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


def _lists(desk: Desk, node: Node) -> Iterator[Claim]:
    users = [at.port.address.network for at in desk.ports if at.node.name == node.name and not at.peer.is_switch]
    for need, found in _policies(desk, node.name):
        for each in found.lists:
            permitted = {rule.prefix for rule in each.rules if rule.action == "permit"}
            # What lets the router's own loopback pass is about what it announces.
            if f"{node.loopback}/32" in permitted and any(str(network) not in permitted for network in users):
                cause = "IP prefix list missing the corresponding user source IP address"
                yield claim_of(node.name, each.name, cause, (node.name, need))


def _policies(desk: Desk, node: str) -> Iterator[tuple[Need, f.Policies]]:
    if (found := desk.shown(node, "prefix_list", f.Policies)) is not None:
        yield "prefix_list", found
    for need in CONFIGURED:
        yield need, read_config.policies((desk.configured(node, need) or "").splitlines())


def _network(text: str) -> IPv4Network:
    return IPv4Interface(text).network if "/" in text else IPv4Network(IPv4Address(text))
