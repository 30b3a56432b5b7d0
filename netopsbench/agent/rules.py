"""What the baseline agent looks for, in order: each rule explains a finding or stays silent."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from netopsbench.agent.network import Network
from netopsbench.tools.results import DeviceInterface, LinkEnd, TopologyLink

_LOOKUPS = 60
"""Longest-match look-ups that following routes may cost."""


@dataclass(frozen=True)
class Diagnosis:
    """One explanation of what was seen."""

    fault_type: str
    device: str
    interface: str | None
    evidence: tuple[str, ...]
    reasoning: str
    confidence: float


Rule = Callable[[Network], Diagnosis | None]


def device_down(network: Network) -> Diagnosis | None:
    """A switch whose clients are all cut off and whose ports are all down."""
    for switch, _ in _cut_off(network):
        ports = [port for name, port in network.interfaces(switch).items() if name != "lo"]
        if len(ports) > 1 and not any(port.is_up for port in ports):
            shown = tuple(_shown(switch, port) for port in ports)
            return Diagnosis(
                "device_down", switch, None, shown, f"all clients and all ports of {switch} are down", 0.95
            )
    return None


def client_port_down(network: Network) -> Diagnosis | None:
    """A client that nobody reaches, because its switch's port is down."""
    for switch, port_name in _cut_off(network):
        port = network.interfaces(switch).get(port_name)
        if port and not port.is_up:
            why = f"no probe reaches the client behind {switch}:{port_name}, and that port is down"
            return Diagnosis("link_down", switch, port_name, (_shown(switch, port),), why, 0.97)
    return None


def discarding_route(network: Network) -> Diagnosis | None:
    """A switch on the way whose best route to the destination is a blackhole."""
    for switch, address in _lookups(network):
        route = network.route(switch, address)
        if route and route.kind != "unicast":
            seen = f"{switch}: {route.protocol} route to {route.prefix} is {route.kind} and matches {address} best"
            why = f"traffic to {address} ends at {switch}, whose best route to {route.prefix} discards it"
            return Diagnosis("blackhole_route", switch, None, (seen,), why, 0.97)
    return None


def wrong_static_route(network: Network) -> Diagnosis | None:
    """A switch on the way that sends a client's traffic by a static route."""
    for switch, address in _lookups(network):
        route = network.route(switch, address)
        if route and route.kind == "unicast" and route.protocol == "static":
            hops = ", ".join(hop.address or hop.interface or "?" for hop in route.next_hops)
            seen = f"{switch}: static route to {route.prefix} by {hops} matches {address} best"
            why = f"{switch} sends traffic to {address} by a static route where others have BGP"
            return Diagnosis("static_route_misconfig", switch, None, (seen,), why, 0.9)
    return None


def missing_prefix(network: Network) -> Diagnosis | None:
    """A client prefix that other switches don't learn from the client's own."""
    for path in network.paths("unreachable"):
        address = network.address(path.dst)
        if path.src_switch != path.dst_switch and network.lacks_route(path.src_switch, address):
            seen = f"{path.src_switch}: no route matches {address}"
            why = f"{path.dst_switch} does not announce the prefix of {path.dst}"
            return Diagnosis("route_policy_misconfig", path.dst_switch, None, (seen,), why, 0.85)
    return None


def fabric_link_down(network: Network) -> Diagnosis | None:
    """A link between switches whose session is not Established because a port is down."""
    for link in _links_without_session(network):
        ports = [(end, network.interfaces(end.device).get(end.interface)) for end in (link.a, link.b)]
        down = [(end, port) for end, port in ports if port and not port.is_up]
        if not down:
            continue
        end = _end_to_name(network, down)
        shown = tuple(_shown(end.device, port) for end, port in ports if port)
        why = f"the BGP session over {_written(link.a)} and {_written(link.b)} is not up, and the link is down"
        return Diagnosis("link_down", end.device, end.interface, shown, why, 0.95)
    return None


def session_down(network: Network) -> Diagnosis | None:
    """A session that stays down although its link is up."""
    for link in _links_without_session(network):
        lower = max((link.a, link.b), key=lambda end: network.tier(end.device))
        upper = link.b if lower is link.a else link.a
        sessions = network.bgp(lower.device, again=True)
        states = {neighbor.address: neighbor.state for neighbor in sessions.neighbors} if sessions else {}
        state = states.get(upper.address, "not configured")
        if state != "Established":
            seen = f"{lower.device}: session to {upper.address} ({upper.device}) is {state}"
            why = f"the link {_written(lower)} to {_written(upper)} is up, but its BGP session is not"
            return Diagnosis("bgp_neighbor_misconfig", lower.device, None, (seen,), why, 0.6)
    return None


def unexplained(network: Network) -> Diagnosis | None:
    """Probes say that something is broken, and nothing above says what: name the most affected switch."""
    bad = network.paths("unreachable", "lossy", "slow")
    if not bad or not network.mesh or not network.mesh.anomalies_total:
        return None
    counts = Counter(switch for path in bad for switch in {path.src_switch, path.dst_switch})
    switch, paths = max(counts.items(), key=lambda item: (item[1], item[0]))
    is_slow = all(path.state == "slow" for path in bad)
    seen = f"{paths} of {len(bad)} paths in trouble begin or end at {switch}"
    label = "high_latency" if is_slow else "packet_loss"
    return Diagnosis(label, switch, None, (seen,), "no device shows a cause; most bad paths share this switch", 0.2)


RULES: tuple[Rule, ...] = (
    device_down,
    client_port_down,
    discarding_route,
    wrong_static_route,
    missing_prefix,
    fabric_link_down,
    session_down,
    unexplained,
)
"""The first that explains something is believed."""


def _cut_off(network: Network) -> list[tuple[str, str]]:
    """Switch and port of the clients with the most unreachable paths; who can't reach only those isn't one of them."""
    counts = Counter(client for path in network.paths("unreachable") for client in (path.src, path.dst))
    most = max(counts.values(), default=0)
    ports = (network.access_port(client) for client, count in counts.most_common() if 2 * count > most)
    return [port for port in ports if port]


def _lookups(network: Network) -> list[tuple[str, str]]:
    """Switch and destination address along every path that loses probes, the outermost switches first."""
    bad = network.paths("unreachable", "lossy")
    wanted = dict.fromkeys(
        pair
        for path in bad
        for pair in (
            (path.src_switch, network.address(path.dst)),
            (path.dst_switch, network.address(path.src)),
        )
    )
    return list(wanted)[:_LOOKUPS]


def _links_without_session(network: Network) -> list[TopologyLink]:
    by_port = {_written(end): link for link in network.links if link.kind == "fabric" for end in (link.a, link.b)}
    found: dict[str, TopologyLink] = {}
    for device in network.watch_points():
        sessions = network.bgp(device)
        if sessions is None:
            continue
        silent = [neighbor.peer for neighbor in sessions.neighbors if neighbor.state != "Established"]
        for port in (*silent, *sessions.missing):
            if port in by_port:
                found[by_port[port].prefix] = by_port[port]
    return list(found.values())


def _end_to_name(network: Network, down: list[tuple[LinkEnd, DeviceInterface]]) -> LinkEnd:
    """The end that somebody switched off; else the lower one."""
    switched_off = [end for end, port in down if not port.is_admin_up]
    return max(switched_off or [end for end, _ in down], key=lambda end: network.tier(end.device))


def _written(end: LinkEnd) -> str:
    return f"{end.device}:{end.interface}"


def _shown(device: str, port: DeviceInterface) -> str:
    if not port.is_admin_up:
        state = "administratively down"
    else:
        state = "up" if port.has_carrier else "switched on, without carrier"
    return f"{device}:{port.name} is {state}"
