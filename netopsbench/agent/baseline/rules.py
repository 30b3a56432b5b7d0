"""What the baseline agent looks for, in order: each rule explains a finding or stays silent."""

from collections import Counter

from netopsbench.agent.baseline.diagnosis import Diagnosis, Rule, shown
from netopsbench.agent.baseline.network import Network
from netopsbench.agent.baseline.rules_links import fabric_link_down, flapping_link, session_down
from netopsbench.agent.baseline.rules_paths import dropping_filter, impaired_link, small_mtu
from netopsbench.tools.results import LinkEnd

_LOOKUPS = 60
"""Longest-match look-ups that following routes may cost."""


def device_down(network: Network) -> Diagnosis | None:
    """A switch whose clients are all cut off, and whose ports are all down or whose routing has stopped."""
    for end in _cut_off(network):
        switch = end.device
        ports = [port for name, port in network.interfaces(switch).items() if name != "lo"]
        if len(ports) > 1 and not any(port.is_up for port in ports):
            seen = tuple(shown(switch, port) for port in ports)
            return Diagnosis("device_down", switch, None, seen, f"all clients and ports of {switch} are down", 0.95)
        sessions = network.bgp(switch)
        if sessions and not sessions.is_running:
            silent = (f"{switch}: {sessions.message}",)
            return Diagnosis("device_down", switch, None, silent, f"the routing of {switch} has stopped", 0.9)
    return None


def client_port_down(network: Network) -> Diagnosis | None:
    """A client that nobody reaches, because its switch's port is down."""
    for end in _cut_off(network):
        port = network.interfaces(end.device).get(end.interface)
        if port and not port.is_up:
            why = f"no probe reaches the client behind {end.device}:{port.name}, and that port is down"
            return Diagnosis("link_down", end.device, port.name, (shown(end.device, port),), why, 0.97)
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


def unexplained(network: Network) -> Diagnosis | None:
    """Probes say that something is broken, and nothing above says what: name the most affected switch."""
    bad = network.paths("unreachable", "lossy", "corrupted", "drops_large", "slow")
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
    dropping_filter,
    discarding_route,
    wrong_static_route,
    missing_prefix,
    flapping_link,
    fabric_link_down,
    session_down,
    small_mtu,
    impaired_link,
    unexplained,
)
"""The first that explains something is believed."""


def _cut_off(network: Network) -> list[LinkEnd]:
    """Ports of the clients with the most unreachable paths; who can't reach only those isn't one of them."""
    counts = Counter(client for path in network.paths("unreachable") for client in (path.src, path.dst))
    most = max(counts.values(), default=0)
    cut = [client for client, count in counts.most_common() if 2 * count > most]
    return [network.access_ports[client] for client in cut if client in network.access_ports]


def _lookups(network: Network) -> list[tuple[str, str]]:
    """Switch and destination address along every path that loses everything, the outermost switches first."""
    wanted = dict.fromkeys(
        pair
        for path in network.paths("unreachable")
        for pair in (
            (path.src_switch, network.address(path.dst)),
            (path.dst_switch, network.address(path.src)),
        )
    )
    return list(wanted)[:_LOOKUPS]
