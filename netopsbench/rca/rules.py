"""Root causes out of what devices show: each rule names its cause and the questions that it rests on."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import TypeVar

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.break_routes import USERS
from netopsbench.rca.breaking import Facing, facing
from netopsbench.rca.design import Design, static_routes
from netopsbench.rca.evidence import Evidence, Look, across
from netopsbench.vendors import facts as f
from netopsbench.vendors.names import Need
from netopsbench.vendors.sessions import BgpSummary

Facts = TypeVar("Facts", bound=Model)

_PASSIVE = re.compile(r"^\s*passive-interface (\S+)$", re.MULTILINE)
_BLOCK = re.compile(r"^interface (\S+)\n((?: .*\n)*)", re.MULTILINE)
_HELLO = re.compile(r"ip ospf hello-interval (\d+)")
_EXTERNAL = "NAT external interface attribute misconfiguration or missing configuration"
_INTERNAL = "NAT internal interface attribute misconfiguration or missing configuration"

Seen = Mapping[tuple[str, Need], Model]
"""Device and need to facts."""


@dataclass(frozen=True)
class Claim:
    """A root cause, and what is enough to see it."""

    triple: Triple
    evidence: Evidence


@dataclass(frozen=True)
class Desk:
    """What is known of a network: its design, and what its devices show."""

    plan: FabricPlan
    seen: Seen
    ways: Design = field(init=False)
    ports: tuple[Facing, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ways", Design(self.plan))
        object.__setattr__(self, "ports", tuple(facing(self.plan)))

    def shown(self, device: str, need: Need, kind: type[Facts]) -> Facts | None:
        """Facts of a device; None when they weren't asked for or are denied."""
        found = self.seen.get((device, need))
        return found if isinstance(found, kind) else None

    def interface(self, device: str, need: Need, name: str) -> f.Interface | None:
        """One interface of a device."""
        found = self.shown(device, need, f.Interfaces)
        return next((each for each in found.interfaces if each.name == name), None) if found else None


def claims(plan: FabricPlan, seen: Seen) -> list[Claim]:
    """Everything that the facts show to be wrong."""
    desk = Desk(plan, seen)
    routers = [node for node in plan.nodes if node.is_switch]
    found = [claim for at in desk.ports for claim in (*_port(desk, at), *_session(desk, at))]
    for node in routers:
        found += [*_loopback(desk, node), *_routes(desk, node), *_missing(desk, node)]
        found += [*_filters(desk, node), *_lists(desk, node), *_ospf(desk, node)]
    return found


def _claim(node: str, thing: str, cause: str, *looks: tuple[str, Need]) -> Claim:
    evidence = frozenset(Look(device=device, need=need) for device, need in looks)
    return Claim(Triple(node=node, object=thing, cause=cause), evidence)


def _port(desk: Desk, at: Facing) -> Iterator[Claim]:
    node, port = at.node.name, at.port
    if (brief := desk.interface(node, "interface_brief", port.name)) is not None:
        if not brief.is_admin_up:
            yield _claim(node, port.name, "shutdown", (node, "interface_brief"))
        elif not brief.has_carrier and at.peer.is_switch:
            yield _claim(at.peer.name, at.peer_port.name, "shutdown", (node, "interface_brief"))
        if str(port.address) not in brief.addresses:
            yield _claim(node, port.name, "interface IP error", (node, "interface_brief"))
    if (detail := desk.interface(node, "interface_detail", port.name)) is not None:
        if detail.mtu_bytes != port.mtu:
            yield _claim(node, port.name, "MTU value misconfiguration", (node, "interface_detail"))
        if detail.mac != port.mac:
            yield _claim(node, port.name, "MAC address configuration error", (node, "interface_detail"))
    if (routes := desk.shown(node, "route_table", f.Routes)) is not None:
        connected = [each for each in routes.routes if each.protocol == "connected"]
        here = {each.prefix for each in connected for hop in each.hops if hop.interface == port.name}
        if here and str(port.address.network) not in here:
            yield _claim(node, port.name, "interface IP error", (node, "route_table"))
    if (arp := desk.shown(node, "arp", f.Neighbors)) is not None:
        held = [each for each in arp.neighbors if each.address == str(at.peer_port.address.ip)]
        if any(each.mac not in (None, at.peer_port.mac) for each in held):
            yield _claim(node, port.name, "ARP configuration error", (node, "arp"))


def _session(desk: Desk, at: Facing) -> Iterator[Claim]:
    """The session over a port, seen from its own end."""
    node, peer = at.node, at.peer
    summary = desk.shown(node.name, "bgp_summary", BgpSummary)
    held = [each for each in summary.peers if each.address == str(at.peer_port.address.ip)] if summary else []
    if not held or peer.asn is None:
        return
    if held[0].remote_asn != peer.asn:
        yield _claim(node.name, at.port.name, "BGP configuration error", (node.name, "bgp_summary"))
    elif held[0].state != "Established" and _is_link_right(desk, at):
        triple = Triple(node=peer.name, object=at.peer_port.name, cause="BGP configuration error")
        yield Claim(triple, across(desk.plan, peer.name, node.name))


def _is_link_right(desk: Desk, at: Facing) -> bool:
    for device, port, far in (
        (at.node.name, at.port, at.peer_port),
        (at.peer.name, at.peer_port, at.port),
    ):
        detail = desk.interface(device, "interface_detail", port.name)
        if detail is None or not detail.is_up or str(port.address) not in detail.addresses or detail.mac != port.mac:
            return False
        if desk.plan.lab is not None:
            arp = desk.shown(device, "arp", f.Neighbors)
            if arp is None or any(
                n.address == str(far.address.ip) and n.mac not in (None, far.mac) for n in arp.neighbors
            ):
                return False
    return True


def _loopback(desk: Desk, node: Node) -> Iterator[Claim]:
    others = {str(each.loopback) for each in desk.plan.nodes if each.loopback and each.name != node.name}
    lo = desk.interface(node.name, "interface_brief", "lo")
    if lo is not None and any(address.partition("/")[0] in others for address in lo.addresses):
        yield _claim(node.name, "lo", "loopback IP configuration conflict", (node.name, "interface_brief"))
    routes = desk.shown(node.name, "route_table", f.Routes)
    for route in routes.routes if routes else ():
        is_own = route.protocol == "connected" and any(hop.interface == "lo" for hop in route.hops)
        if is_own and route.prefix.partition("/")[0] in others:
            yield _claim(node.name, "lo", "loopback IP configuration conflict", (node.name, "route_table"))


def _routes(desk: Desk, node: Node) -> Iterator[Claim]:
    """Static routes that aren't in the design and concern a network that is there.

    Generated fabrics carry old ones, to management and to racks that are gone.
    """
    designed = {str(prefix) for prefix, _ in static_routes(desk.plan, node)}
    networks = [port.address.network for each in desk.plan.nodes for port in each.interfaces]
    for need, prefix, kind, gateway in _statics(desk, node.name):
        if not any(IPv4Network(prefix).overlaps(network) for network in networks):
            continue
        if kind != "unicast":
            yield _claim(node.name, prefix, "blackhole route", (node.name, need))
        elif prefix not in designed and gateway is not None:
            yield _claim(node.name, prefix, _misled(desk, node, prefix, gateway), (node.name, need))


def _statics(desk: Desk, node: str) -> Iterator[tuple[Need, str, str, str | None]]:
    if (table := desk.shown(node, "route_table", f.Routes)) is not None:
        for route in table.routes:
            if route.protocol == "static":
                yield "route_table", route.prefix, route.kind, route.hops[0].gateway if route.hops else None
    if (fib := desk.shown(node, "fib", f.Fib)) is not None:
        for entry in fib.routes:
            if entry.protocol == "static":
                yield "fib", entry.prefix, entry.kind, entry.hops[0].gateway if entry.hops else None


def _misled(desk: Desk, node: Node, prefix: str, gateway: str) -> str:
    """A loop when the gateway is a router whose only way leads back, otherwise just wrong."""
    target = IPv4Network(prefix).network_address
    owners = {str(port.address.ip): each for each in desk.plan.nodes for port in each.interfaces}
    host, via = owners.get(str(target)), owners.get(gateway)
    if host is not None and via is not None and via.is_switch and desk.ways.only_way(via.name, host.name) == node.name:
        return "Layer 3 loop"
    return "incorrect static route"


def _missing(desk: Desk, node: Node) -> Iterator[Claim]:
    """Static routes of the design that aren't there although the port towards their gateway is in order."""
    tables: tuple[tuple[Need, type[f.Routes] | type[f.Fib]], ...] = (("route_table", f.Routes), ("fib", f.Fib))
    for prefix, gateway in static_routes(desk.plan, node):
        port = next((each for each in node.interfaces if gateway in each.address.network), None)
        brief = desk.interface(node.name, "interface_brief", port.name) if port else None
        if port is None or brief is None or not brief.is_up or str(port.address) not in brief.addresses:
            continue
        for need, kind in tables:
            table = desk.shown(node.name, need, kind)
            if table is not None and not any(route.prefix == str(prefix) for route in table.routes):
                looks: tuple[tuple[str, Need], ...] = ((node.name, "interface_brief"), (node.name, need))
                yield _claim(node.name, str(prefix), "missing static route", *looks)


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
                yield _claim(node.name, name, cause, (node.name, "acl"))
    if "postrouting" not in found.defaults:
        return
    bound = {name for rule in found.rules if rule.chain == "postrouting" for name in rule.out_interfaces}
    marking = [rule for rule in found.rules if rule.chain == "forward" and rule.action != "drop"]
    marked = {name for rule in marking for name in rule.in_interfaces}
    for at in own:
        if at.peer.is_switch and at.port.name not in bound:
            yield _claim(node.name, at.port.name, _EXTERNAL, (node.name, "acl"))
        elif not at.peer.is_switch and at.port.name not in marked:
            yield _claim(node.name, at.port.name, _INTERNAL, (node.name, "acl"))


def _network(text: str) -> IPv4Network:
    return IPv4Interface(text).network if "/" in text else IPv4Network(IPv4Address(text))


def _lists(desk: Desk, node: Node) -> Iterator[Claim]:
    found = desk.shown(node.name, "prefix_list", f.Policies)
    lists = [each for each in found.lists if each.name == USERS] if found else []
    permitted = {rule.prefix for each in lists for rule in each.rules if rule.action == "permit"}
    users = [at.port.address.network for at in desk.ports if at.node.name == node.name and not at.peer.is_switch]
    if lists and any(str(network) not in permitted for network in users):
        cause = "IP prefix list missing the corresponding user source IP address"
        yield _claim(node.name, USERS, cause, (node.name, "prefix_list"))


def _ospf(desk: Desk, node: Node) -> Iterator[Claim]:
    found = desk.shown(node.name, "running_config", f.Configuration)
    if found is None or "ospfd" not in node.daemons:
        return
    text = "\n".join((*found.lines, ""))
    blocks = dict(_BLOCK.findall(text))
    passive = {*_PASSIVE.findall(text), *(name for name, block in blocks.items() if "ip ospf passive" in block)}
    for at in desk.ports:
        if at.node.name != node.name or not at.peer.is_switch or "ospfd" not in at.peer.daemons:
            continue
        hello = _HELLO.search(blocks.get(at.port.name, ""))
        if at.port.name in passive or (hello is not None and hello[1] != "1"):
            yield _claim(node.name, at.port.name, "OSPF configuration error", (node.name, "running_config"))
