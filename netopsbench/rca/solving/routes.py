"""Static routes that lead astray or are missing, out of what routers show and of where cables lead by design."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from netopsbench.fabric.plan import Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import hosts
from netopsbench.rca.solving.evidence import CONFIGURED, Look, inside, translators
from netopsbench.rca.solving.shown import Claim, Desk, claim_of
from netopsbench.vendors import facts as f
from netopsbench.vendors.names import Need

_SPEAKS = re.compile(r"^router (?:bgp|ospf|rip|isis)\b", re.MULTILINE)
"""What learns every route there is; EIGRP is spoken at edges alone, beside a static default route."""
_STATIC = re.compile(r"^ip route (\S+) (\S+)", re.MULTILINE)
_NOWHERE = ("null0", "blackhole", "reject")
_DEFAULT = IPv4Network("0.0.0.0/0")


def static_claims(desk: Desk, node: Node) -> Iterator[Claim]:
    """Routes that discard what is for a host, or lead a host's traffic to where no shortest way goes on.

    Generated fabrics carry old ones, to management and to racks that are gone: these concern nobody.
    """
    networks = {port.address.network for each in desk.plan.nodes for port in each.interfaces}
    for need, prefix, kind, gateway in _entries(desk, node.name):
        network = IPv4Network(prefix)
        if kind != "unicast":
            if any(network.overlaps(each) for each in networks):
                yield from _shown_by(desk, node, prefix, "blackhole route", need)
            continue
        host = _host(desk, network)
        if host is not None and gateway is not None and not _leads_on(desk, node, gateway, host):
            yield from _shown_by(desk, node, prefix, _misled(desk, node, gateway, host), need)


def _shown_by(desk: Desk, node: Node, prefix: str, cause: str, need: Need) -> Iterator[Claim]:
    """A wrong route is shown by its table, and by the route to what it is for."""
    yield claim_of(node.name, prefix, cause, (node.name, need))
    triple = Triple(node=node.name, object=prefix, cause=cause)
    for about in inside(desk.plan, prefix) if need == "route_table" else ():
        yield Claim(triple, frozenset({Look(device=node.name, need="route_lookup", about=about)}))


def _entries(desk: Desk, node: str) -> Iterator[tuple[Need, str, str, str | None]]:
    """Static routes of the table; of the kernel's, where not every vendor tells who made a route, all."""
    if (table := desk.shown(node, "route_table", f.Routes)) is not None:
        for route in table.routes:
            if route.protocol == "static":
                yield "route_table", route.prefix, route.kind, route.hops[0].gateway if route.hops else None
    for need in CONFIGURED:
        for prefix, gateway in _STATIC.findall(desk.configured(node, need) or ""):
            is_lost = gateway.lower() in _NOWHERE
            yield need, prefix, "blackhole" if is_lost else "unicast", None if is_lost else gateway
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
    """Networks of hosts that a router which learns from nobody isn't told the way to.

    Nobody needs a way to what is behind a router that translates addresses.
    """
    own = {port.address.network for port in node.interfaces}
    # A switch, which joins the cables of one network, routes nothing.
    if node.asn is not None or len(own) == 1:
        return
    behind = translators(desk.plan, node)
    beside = {port.address.network for each in desk.plan.nodes if each.name in behind for port in each.interfaces}
    wanted = {host.interfaces[0].address.network for host in hosts(desk.plan)} - beside
    routers_beside = {at.peer.name for at in desk.ports if at.node.name == node.name and at.peer.is_switch}
    for need in CONFIGURED:
        text = desk.configured(node.name, need)
        if text is None or _SPEAKS.search(text):
            continue
        held = [*own, *(IPv4Network(prefix) for prefix, _ in _STATIC.findall(text))]
        lacking = [each for each in sorted(wanted) if not any(each.subnet_of(known) for known in held)]
        # A router with a single way out sends everything there.
        for prefix in [_DEFAULT] if lacking and len(routers_beside) == 1 else lacking:
            yield claim_of(node.name, str(prefix), "missing static route", (node.name, need))
