"""What the kernel and programs of a device show, as facts."""

import os
import re
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from netopsbench.fabric import nft_shown
from netopsbench.vendors import facts as f

_DAEMONS = ("zebra", "bgpd", "staticd", "ospfd", "isisd", "bfdd", "ripd", "eigrpd", "vrrpd", "mgmtd", "watchfrr")
_ACTIONS = ("drop", "reject", "accept", "queue", "jump", "goto", "return", "masquerade", "snat", "dnat", "redirect")
_REPLY = re.compile(r"bytes from .* time=([\d.]+) ms")
_PING_ERROR = re.compile(r"^(?:ping: |From \S+(?: icmp_seq=\d+)? )(.+)$", re.MULTILINE)
_STATIC_PROTOCOL = "196"
"""The number under which the routing software's static routes stand in the kernel."""


def interfaces(shown: Sequence[Mapping[str, Any]], descriptions: Mapping[str, str]) -> f.Interfaces:
    """Of `ip -j -s addr show`; the first is the loopback."""
    return f.Interfaces(
        interfaces=tuple(_interface(each, descriptions.get(str(each.get("ifname")), "")) for each in shown)
    )


def _interface(shown: Mapping[str, Any], description: str) -> f.Interface:
    flags = shown.get("flags", [])
    addresses = (each for each in shown.get("addr_info", []) if each.get("family") == "inet")
    own = tuple(f"{each['local']}/{each['prefixlen']}" for each in addresses)
    counters: dict[str, int] = {}
    for way in ("rx", "tx"):
        stats = shown.get("stats64", {}).get(way, {})
        counters |= {f"{way}_{name}": int(stats.get(name, 0)) for name in ("packets", "bytes", "errors", "dropped")}
    return f.Interface(
        name=str(shown.get("ifname", "")),
        is_admin_up="UP" in flags,
        has_carrier="LOWER_UP" in flags,
        mtu_bytes=int(shown.get("mtu", 0)),
        mac=str(shown.get("address", "")),
        # A device's own address stands before those that every loopback has.
        addresses=tuple(sorted(own, key=lambda address: address.startswith("127."))),
        description=description,
        **counters,
    )


def neighbors(shown: Sequence[Mapping[str, Any]]) -> f.Neighbors:
    """Of `ip -j -4 neigh show`, by address."""
    entries = [
        f.Neighbor(
            address=str(each["dst"]),
            interface=str(each.get("dev", "")),
            mac=each.get("lladdr"),
            state=" ".join(each.get("state", [])).lower(),
        )
        for each in shown
        if "dst" in each
    ]
    return f.Neighbors(neighbors=tuple(sorted(entries, key=lambda entry: IPv4Address(entry.address))))


def fib(shown: Sequence[Mapping[str, Any]]) -> f.Fib:
    """Of `ip -j -4 route show`, by prefix."""
    return f.Fib(routes=tuple(sorted(map(_fib_route, shown), key=lambda route: IPv4Network(route.prefix))))


def _fib_route(shown: Mapping[str, Any]) -> f.FibRoute:
    kind = str(shown.get("type", "unicast"))
    hops = shown.get("nexthops", [shown] if kind == "unicast" else [])
    protocol = str(shown.get("protocol", ""))
    return f.FibRoute(
        prefix="0.0.0.0/0" if shown["dst"] == "default" else str(IPv4Network(shown["dst"])),
        kind=kind,
        protocol="static" if protocol == _STATIC_PROTOCOL else protocol,
        metric=int(shown.get("metric", 0)),
        hops=tuple(_fib_hop(hop) for hop in hops),
    )


def _fib_hop(shown: Mapping[str, Any]) -> f.Hop:
    dead = {"dead", "linkdown"} & {str(flag).lower() for flag in shown.get("flags", [])}
    return f.Hop(gateway=shown.get("gateway"), interface=shown.get("dev"), is_active=not dead)


def packet_filter(shown: Any) -> f.PacketFilter:
    """Of `nft -j list ruleset`."""
    entries = shown.get("nftables", []) if isinstance(shown, dict) else []
    chains = [entry["chain"] for entry in entries if "policy" in entry.get("chain", {})]
    return f.PacketFilter(
        defaults={
            f.chain_of(str(chain.get("family", "ip")), str(chain["name"])): str(chain["policy"]) for chain in chains
        },
        rules=tuple(_rule(entry["rule"]) for entry in entries if "rule" in entry),
    )


def _rule(entry: Mapping[str, Any]) -> f.FilterRule:
    conditions: dict[str, tuple[str, ...]] = dict.fromkeys(nft_shown.FIELDS.values(), ())
    others: list[str] = []
    action, packets = "count", None
    for part in entry.get("expr", []):
        if "match" in part:
            place = nft_shown.looked_at(part["match"].get("left", {}))
            field = nft_shown.FIELDS.get(place)
            if field is None or part["match"].get("op") not in ("==", "in"):
                others.append(_spelled(place, part["match"]))
                continue
            values = tuple(nft_shown.values(part["match"].get("right")))
            if field == "protocols":
                values = tuple(nft_shown.PROTOCOLS.get(value, value) for value in values)
            conditions[field] += values
            if field == "destination_ports" and not conditions["protocols"]:
                conditions["protocols"] = (place[0],)
        elif isinstance(part.get("counter"), dict):
            packets = int(part["counter"].get("packets", 0))
        elif "mangle" in part:
            key, value = part["mangle"].get("key", {}), part["mangle"].get("value", "")
            others.append(f"set {' '.join(nft_shown.looked_at(key))} {' '.join(nft_shown.values(value))}")
        else:
            action = next((name for name in _ACTIONS if name in part), action)
            if isinstance(part.get(action), dict) and "addr" in part[action]:
                others.append(f"to {' '.join(nft_shown.values(part[action]['addr']))}")
    return f.FilterRule(
        table=str(entry.get("table", "")),
        family=str(entry.get("family", "ip")),
        chain=str(entry.get("chain", "")),
        action=action,
        packets=packets,
        others=tuple(others),
        **conditions,
    )


def _spelled(place: tuple[str, str], match: Mapping[str, Any]) -> str:
    """A condition that has no field of its own, `meta mark 1`, `tcp sport != 80`."""
    operator = "" if match.get("op") in ("==", "in") else f"{match.get('op')} "
    left = " ".join(word for word in place if word) or str(match.get("left"))
    return f"{left} {operator}{', '.join(nft_shown.values(match.get('right')))}"


def processes(text: str) -> f.Processes:
    """Of /proc/uptime and /proc/PID/stat: only the routing software's."""
    first, *lines = text.splitlines()
    uptime_s, ticks = float(first.split()[0]), os.sysconf("SC_CLK_TCK")
    found = []
    for line in lines:
        pid, _, rest = line.partition(" (")
        name, _, values = rest.rpartition(") ")
        if name not in _DAEMONS:
            continue
        numbers = values.split()
        used_s, lived_s = (int(numbers[11]) + int(numbers[12])) / ticks, uptime_s - int(numbers[19]) / ticks
        share = round(100 * used_s / lived_s, 1) if lived_s > 0 else 0.0
        resident_kib = int(numbers[21]) * os.sysconf("SC_PAGE_SIZE") // 1024
        found.append(f.Process(pid=int(pid), name=name, cpu_pct=share, resident_kib=resident_kib))
    return f.Processes(processes=tuple(sorted(found, key=lambda process: process.pid)))


def ping(text: str, target: str, source: str | None, size_bytes: int, count: int) -> f.Ping:
    """Of the program `ping`."""
    rtts = tuple(float(found) for found in _REPLY.findall(text))
    error = _PING_ERROR.search(text)
    return f.Ping(
        target=target,
        source=source,
        size_bytes=size_bytes,
        sent=count,
        rtts_ms=rtts,
        error=error[1] if error and not rtts else None,
    )
