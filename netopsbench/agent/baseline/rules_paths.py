"""Rules about what happens to packets on links that are up: filters, small MTUs, loss, damage, delay."""

from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from netopsbench.agent.baseline.diagnosis import Diagnosis, written
from netopsbench.agent.baseline.network import Network
from netopsbench.tools.devices.config_results import AclRule
from netopsbench.tools.results import LinkEnd

_PROBE_PORT, _PROBE_PROTOCOL = "33434", "udp"
_FILTERS = 24
"""Switches whose packet filter is read."""
_SUSPECTS = 4
"""Switches whose uplinks are probed."""
_FIRST, _SECOND = 2, 10
"""Probes for each of 50 source ports, at the first look and at the second."""
_LOSS_PCT, _SLOW_MS = 1.5, 3.0
_DAMAGED = 3


def dropping_filter(network: Network) -> Diagnosis | None:
    """A filter rule that drops probes to or from a client that loses them."""
    bad = network.paths("unreachable", "lossy")
    counts = Counter(client for path in bad for client in (path.src, path.dst))
    clients = [client for client, _ in counts.most_common() if client in network.access_ports]
    switches = list(dict.fromkeys(network.access_ports[client].device for client in clients))
    for switch in switches[:_FILTERS]:
        for rule in network.acl(switch):
            hit = next((client for client in clients if _drops(rule, network.address(client))), None)
            if hit is None:
                continue
            ports = (*rule.in_interfaces, *rule.out_interfaces)
            interface = ports[0] if ports else network.access_ports[hit].interface
            what = f"{'in' if rule.in_interfaces else 'out'} by {interface}, {_in_words(rule)}"
            seen = f"{switch}: a rule of chain {rule.chain} drops what goes {what}; it counted {rule.packets} packets"
            return Diagnosis(
                "acl_misconfig", switch, interface, (seen,), f"a packet filter of {switch} drops probes of {hit}", 0.97
            )
    return None


def small_mtu(network: Network) -> Diagnosis | None:
    """A port between switches whose MTU is smaller than its link was designed for."""
    if not network.paths("drops_large", "unreachable", "lossy"):
        return None
    designed = {written(end): link.mtu_bytes for link in network.fabric_links for end in (link.a, link.b)}
    for device in _near_first(network):
        for port in network.interfaces(device).values():
            wanted = designed.get(f"{device}:{port.name}")
            if wanted is not None and port.mtu_bytes < wanted:
                seen = f"{device}:{port.name} has MTU {port.mtu_bytes}, its link was designed for {wanted}"
                why = f"large packets are lost on the link at {device}:{port.name}"
                return Diagnosis("mtu_mismatch", device, port.name, (seen,), why, 0.97)
    return None


@dataclass(frozen=True)
class _Trouble:
    """What probes over one link met, beyond the best of the links beside it."""

    near: LinkEnd
    far: LinkEnd
    loss_pct: float
    slower_ms: float


def impaired_link(network: Network) -> Diagnosis | None:
    """A link that is up and loses, damages or delays what is sent over it."""
    if not network.paths("lossy", "corrupted", "slow", "unreachable"):
        return None
    found: list[_Trouble] = []
    for switch in _hot_switches(network)[:_SUSPECTS]:
        found += _probed(network, switch, _FIRST)
        if any(_is_plain(trouble) for trouble in found):
            break
    if not any(_is_plain(trouble) for trouble in found):
        found = [trouble for switch in _hot_switches(network)[:2] for trouble in _probed(network, switch, _SECOND)]
    worst = max(found, key=lambda trouble: (trouble.loss_pct, trouble.slower_ms), default=None)
    if worst is None:
        return None
    slowest = max(found, key=lambda trouble: trouble.slower_ms)
    if worst.loss_pct >= _LOSS_PCT:
        label = "packet_corruption" if _is_damaged(network, worst) else "packet_loss"
        seen = f"{worst.loss_pct:.1f} % of the probes from {worst.near.device} to {worst.far.address} are lost"
        return _on(worst, label, seen)
    if slowest.slower_ms >= _SLOW_MS:
        seen = f"probes from {slowest.near.device} to {slowest.far.address} take {slowest.slower_ms:.1f} ms longer"
        return _on(slowest, "high_latency", seen)
    return None


def _on(trouble: _Trouble, label: str, seen: str) -> Diagnosis:
    why = f"the link {written(trouble.near)} to {written(trouble.far)} is up and treats packets badly"
    return Diagnosis(label, trouble.near.device, trouble.near.interface, (seen,), why, 0.85)


def _drops(rule: AclRule, address: str) -> bool:
    """Whether a rule drops probes to or from this address, and names it."""
    if rule.chain == "input" or rule.action not in ("drop", "reject") or rule.other_conditions:
        return False
    if rule.protocols and _PROBE_PROTOCOL not in rule.protocols:
        return False
    if rule.destination_ports and _PROBE_PORT not in rule.destination_ports:
        return False
    named = [IPv4Network(prefix, strict=False) for prefix in (*rule.sources, *rule.destinations)]
    return bool(address) and any(IPv4Address(address) in prefix for prefix in named)


def _in_words(rule: AclRule) -> str:
    parts = [f"from {', '.join(rule.sources)}"] if rule.sources else []
    parts += [f"to {', '.join(rule.destinations)}"] if rule.destinations else []
    return " ".join(parts)


def _near_first(network: Network) -> list[str]:
    """All switches, those beside the worst paths first."""
    hot = _hot_switches(network)
    beside = [far.device for switch in hot[:_SUSPECTS] for _, far in network.uplinks(switch)]
    rest = [name for name, node in network.nodes.items() if node.role != "client"]
    return list(dict.fromkeys((*beside, *hot, *rest)))


def _hot_switches(network: Network) -> list[str]:
    """Switches with clients by their share of bad samples, in both directions together, the worst first."""
    share: Counter[str] = Counter()
    for spot in network.hotspots:
        share[spot.src or spot.dst or ""] += round(100 * spot.bad_samples_pct)
    return [switch for switch, _ in share.most_common() if switch in network.nodes]


def _probed(network: Network, switch: str, count: int) -> list[_Trouble]:
    results = [(near, far, network.ping(switch, far.address, count)) for near, far in network.uplinks(switch)]
    typical = [found.rtt_avg_ms for _, _, found in results if found and found.rtt_avg_ms is not None]
    best_ms = min(typical, default=0.0)
    return [
        _Trouble(near, far, found.loss_pct, (found.rtt_min_ms or best_ms) - best_ms)
        for near, far, found in results
        if found and found.packets_answered
    ]


def _is_plain(trouble: _Trouble) -> bool:
    return trouble.loss_pct >= 4 * _LOSS_PCT or trouble.slower_ms >= _SLOW_MS


def _is_damaged(network: Network, trouble: _Trouble) -> bool:
    """Whether damaged packets arrived: in the mesh, at the switch behind the link, or at clients that lose probes."""
    if network.paths("corrupted") or any(path.corrupted_ports for path in network.paths("lossy")):
        return True
    clients = dict.fromkeys(client for path in network.paths("lossy") for client in (path.dst, path.src))
    for device in (trouble.far.device, *list(clients)[:3]):
        metrics = network.metrics(device)
        kernel = metrics.current.kernel if metrics else {}
        if sum(count for reason, count in kernel.items() if "csum" in reason or "hdr" in reason) >= _DAMAGED:
            return True
    return False
