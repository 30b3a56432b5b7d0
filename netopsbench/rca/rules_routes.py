"""Static routes that lead astray or are missing, out of what routers show and of where cables lead by design."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import product

from netopsbench.fabric.plan import Node
from netopsbench.rca.breaking import hosts
from netopsbench.rca.evidence import translators
from netopsbench.rca.shown import Claim, Desk, claim_of
from netopsbench.vendors import facts as f
from netopsbench.vendors.names import Need

_SPEAKS = re.compile(r"^router (?:bgp|ospf|rip|isis)\b", re.MULTILINE)
_SPEAKERS = frozenset({"bgpd", "ospfd", "ripd", "isisd"})
"""Daemons that learn every route there is; EIGRP is spoken at edges alone, beside a static default route."""
_DEFAULT = IPv4Network("0.0.0.0/0")
_TABLES: tuple[tuple[Need, type[f.Routes] | type[f.Fib]], ...] = (("route_table", f.Routes), ("fib", f.Fib))
_SILENT: tuple[Need, ...] = ("running_config", "cpu")


def static_claims(desk: Desk, node: Node) -> Iterator[Claim]:
    """Routes that discard what is for a host, or lead a host's traffic to where no shortest way goes on.

    Generated fabrics carry old ones, to management and to racks that are gone: these concern nobody.
    """
    networks = {port.address.network for each in desk.plan.nodes for port in each.interfaces}
    for need, prefix, kind, gateway in _entries(desk, node.name):
        network = IPv4Network(prefix)
        if kind != "unicast":
            if any(network.overlaps(each) for each in networks):
                yield claim_of(node.name, prefix, "blackhole route", (node.name, need))
            continue
        host = _host(desk, network)
        if host is not None and gateway is not None and not _leads_on(desk, node, gateway, host):
            yield claim_of(node.name, prefix, _misled(desk, node, gateway, host), (node.name, need))


def _entries(desk: Desk, node: str) -> Iterator[tuple[Need, str, str, str | None]]:
    """Static routes of the table; of the kernel's, where not every vendor tells who made a route, all."""
    if (table := desk.shown(node, "route_table", f.Routes)) is not None:
        for route in table.routes:
            if route.protocol == "static":
                yield "route_table", route.prefix, route.kind, route.hops[0].gateway if route.hops else None
    if (fib := desk.shown(node, "fib", f.Fib)) is not None:
        for entry in fib.routes:
            yield "fib", entry.prefix, entry.kind, entry.hops[0].gateway if entry.hops else None


def _host(desk: Desk, network: IPv4Network) -> Node | None:
    """The host that a route to one address is for; protocols announce networks alone."""
    if network.prefixlen != 32:
        return None
    return next((host for host in hosts(desk.plan) if host.interfaces[0].address.ip == network.network_address), None)


def _owner(desk: Desk, address: str) -> Node | None:
    wanted = IPv4Address(address)
    return next((node for node in desk.plan.nodes if any(port.address.ip == wanted for port in node.interfaces)), None)


def _leads_on(desk: Desk, node: Node, gateway: str, host: Node) -> bool:
    via, distances = _owner(desk, gateway), desk.ways.distances(host.name)
    return via is not None and distances.get(via.name, len(distances)) < distances.get(node.name, 0)


def _misled(desk: Desk, node: Node, gateway: str, host: Node) -> str:
    """A loop when the gateway is a router whose only way leads back, otherwise just wrong."""
    via = _owner(desk, gateway)
    is_back = via is not None and via.is_switch and desk.ways.only_way(via.name, host.name) == node.name
    return "Layer 3 loop" if is_back else "incorrect static route"


def missing_claims(desk: Desk, node: Node) -> Iterator[Claim]:
    """Networks of hosts that a router which learns from nobody has no way to, although its ports are in order.

    Nobody needs a way to what is behind a router that translates addresses.
    """
    if node.asn is not None or not _are_ports_right(desk, node):
        return
    if len({port.address.network for port in node.interfaces}) == 1:
        # A switch, which joins the cables of one network and routes nothing.
        return
    behind = translators(desk.plan, node)
    if not all(_translates(desk, name) for name in behind):
        return
    beside = {port.address.network for each in desk.plan.nodes if each.name in behind for port in each.interfaces}
    wanted = {host.interfaces[0].address.network for host in hosts(desk.plan)} - beside
    routers_beside = {at.peer.name for at in desk.ports if at.node.name == node.name and at.peer.is_switch}
    for (need, kind), silence in product(_TABLES, _SILENT):
        table = desk.shown(node.name, need, kind)
        if table is None or not _learns_nothing(desk, node.name, silence):
            continue
        held = [IPv4Network(route.prefix) for route in table.routes]
        lacking = [each for each in sorted(wanted) if not any(each.subnet_of(known) for known in held)]
        looks: list[tuple[str, Need]] = [(node.name, "interface_brief"), (node.name, need), (node.name, silence)]
        # A router with a single way out sends everything there.
        for prefix in [_DEFAULT] if lacking and len(routers_beside) == 1 else lacking:
            yield claim_of(node.name, str(prefix), "missing static route", *looks, *((name, "acl") for name in behind))


def _are_ports_right(desk: Desk, node: Node) -> bool:
    shown = [(port, desk.interface(node.name, "interface_brief", port.name)) for port in node.interfaces]
    return all(brief is not None and brief.is_up and str(port.address) in brief.addresses for port, brief in shown)


def _learns_nothing(desk: Desk, node: str, need: Need) -> bool:
    """Whether a device shows that no protocol brings it routes."""
    if need == "cpu":
        running = desk.shown(node, need, f.Processes)
        return running is not None and not _SPEAKERS & {each.name for each in running.processes}
    configuration = desk.shown(node, need, f.Configuration)
    return configuration is not None and _SPEAKS.search("\n".join(configuration.lines)) is None


def _translates(desk: Desk, node: str) -> bool:
    found = desk.shown(node, "acl", f.PacketFilter)
    return found is not None and "postrouting" in found.defaults
