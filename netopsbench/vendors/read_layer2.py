"""What kernel, routing software and lldpd show of queues, bridges, tunnels, VRRP and neighbours, as facts."""

from collections.abc import Mapping, Sequence
from typing import Any

from netopsbench.fabric.labs.lldp import read_neighbors
from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2

_EVERYBODY = "00:00:00:00:00:00"


def queues(shown: Sequence[Mapping[str, Any]]) -> l2.PortQueues:
    """Of `tc -j -s qdisc show`."""
    own = (each for each in shown if each.get("root") and str(each.get("dev")).startswith("eth"))
    return l2.PortQueues(queues=tuple(map(_queue, own)))


def _queue(shown: Mapping[str, Any]) -> l2.PortQueue:
    rate = shown.get("options", {}).get("rate") if shown.get("kind") == "tbf" else None
    return l2.PortQueue(
        interface=str(shown.get("dev")),
        limit_kbps=None if rate is None else int(rate) * 8 // 1000,
        packets=int(shown.get("packets", 0)),
        octets=int(shown.get("bytes", 0)),
        dropped=int(shown.get("drops", 0)),
        waiting_octets=int(shown.get("backlog", 0)),
    )


def bridges(links: Sequence[Mapping[str, Any]], rules: Any) -> l2.Bridges:
    """Of `ip -j -d link show` and `nft -j list ruleset`."""
    filtered = _filtered(rules)
    having = [link for link in links if link.get("linkinfo", {}).get("info_kind") == "bridge"]
    return l2.Bridges(bridges=tuple(_bridge(link, links, filtered) for link in having))


def _bridge(shown: Mapping[str, Any], links: Sequence[Mapping[str, Any]], filtered: frozenset[str]) -> l2.Bridge:
    told = shown["linkinfo"].get("info_data", {})
    own, root_port = str(told.get("bridge_id", "")), int(told.get("root_port", 0))
    joined = [link for link in links if link.get("master") == shown["ifname"]]
    ports = tuple(_port(link, own, root_port, filtered) for link in joined)
    # What iproute2 prints as the bridge's root is the bridge itself; its root port knows better.
    root = next((port.root for port in ports if port.role == "root"), own)
    return l2.Bridge(
        name=str(shown["ifname"]),
        has_spanning_tree=bool(told.get("stp_state", 0)),
        id=own,
        root=root,
        root_cost=int(told.get("root_path_cost", 0)),
        ports=ports,
    )


def _port(shown: Mapping[str, Any], own: str, root_port: int, filtered: frozenset[str]) -> l2.BridgePort:
    told = shown["linkinfo"].get("info_slave_data", {})
    number, designated = int(str(told.get("no", "0")), 16), str(told.get("bridge_id", ""))
    role: l2.PortRole = "alternate"
    if number == root_port:
        role = "root"
    elif designated == own:
        role = "designated"
    return l2.BridgePort(
        interface=str(shown["ifname"]),
        number=number,
        state=str(told.get("state", "")),
        role=role,
        cost=int(told.get("cost", 0)),
        priority=int(told.get("priority", 0)),
        designated_bridge=designated,
        root=str(told.get("root_id", "")),
        is_filtered=str(shown["ifname"]) in filtered,
    )


def _filtered(rules: Any) -> frozenset[str]:
    """Ports at which a filter drops the frames of spanning tree."""
    entries = rules.get("nftables", []) if isinstance(rules, dict) else []
    found: set[str] = set()
    for rule in (entry["rule"] for entry in entries if entry.get("rule", {}).get("family") == "bridge"):
        matches = [part["match"] for part in rule.get("expr", []) if "match" in part]
        is_dropped = any("drop" in part for part in rule.get("expr", []))
        if is_dropped and any(match.get("right") == l2.SPANNING_TREE for match in matches):
            names = (match["right"] for match in matches if "meta" in match.get("left", {}))
            found.update(str(name) for name in names)
    return frozenset(found)


def tunnels(links: Sequence[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]) -> l2.Tunnels:
    """Of `ip -j -d link show type vxlan` and `bridge -j fdb show`."""
    found = []
    for link in links:
        told, name = link.get("linkinfo", {}).get("info_data", {}), str(link.get("ifname"))
        remotes = {
            str(entry["dst"])
            for entry in entries
            if entry.get("ifname") == name and entry.get("mac") == _EVERYBODY and "dst" in entry
        }
        found.append(
            l2.Tunnel(
                interface=name,
                vni=int(told.get("id", 0)),
                local=str(told.get("local", "")),
                port=int(told.get("port", 0)),
                bridge=str(link.get("master", "")),
                remotes=tuple(sorted(remotes)),
            )
        )
    return l2.Tunnels(tunnels=tuple(found))


def link_neighbors(shown: object) -> f.LinkNeighbors:
    """Of `lldpcli -f json0 show neighbors`, which is no JSON where lldpd doesn't run."""
    if not isinstance(shown, dict):
        return f.LinkNeighbors(is_running=False)
    heard = (f.LinkNeighbor.model_validate(each.model_dump()) for each in read_neighbors(shown))
    return f.LinkNeighbors(is_running=True, neighbors=tuple(heard))


def standby(shown: object) -> l2.StandbyGroups:
    """Of `show vrrp json`, which is no JSON where vrrpd doesn't run."""
    if not isinstance(shown, list):
        return l2.StandbyGroups(is_running=False)
    return l2.StandbyGroups(is_running=True, groups=tuple(_group(each) for each in shown))


def _group(shown: Mapping[str, Any]) -> l2.StandbyGroup:
    told = shown.get("v4", {})
    return l2.StandbyGroup(
        interface=str(shown.get("interface", "")),
        group=int(shown.get("vrid", 0)),
        addresses=tuple(map(str, told.get("addresses", []))),
        state=str(told.get("status", "")),
        priority=int(told.get("effectivePriority", 0)),
        own_address=str(told.get("primaryAddress", "")),
        every_ms=int(shown.get("advertisementInterval", 0)),
    )
