"""Which neighbors a routing daemon has, read from its own words."""

import json
import re
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address
from typing import Any

from netopsbench.fabric.labs.spec import Protocol

QUESTIONS: Mapping[Protocol, tuple[str, str]] = {
    "ospf": ("ospfd", "show ip ospf neighbor json"),
    "isis": ("isisd", "show isis neighbor detail"),
    "rip": ("ripd", "show ip rip status"),
    "eigrp": ("eigrpd", "show ip eigrp neighbor"),
    "bgp": ("bgpd", "show bgp ipv4 unicast summary json"),
}
"""Daemon and show command."""

_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d./])")
_ISIS_NEIGHBOR = re.compile(r"^ (?=\S+ *$)", re.MULTILINE)
_RIP_SOURCE = re.compile(r"^\s*(\d[\d.]+)\s+\d+\s+\d+\s+\d+\s+(\d\d):(\d\d):(\d\d)\s*$", re.MULTILINE)


def neighbors_up(protocol: Protocol, answer: str) -> frozenset[IPv4Address]:
    """Addresses and router ids of the neighbors with which routes are exchanged."""
    return frozenset(IPv4Address(text) for text in _READERS[protocol](answer))


def _ospf(answer: str) -> set[str]:
    found: set[str] = set()
    for router_id, entries in _json(answer).get("neighbors", {}).items():
        for entry in entries if isinstance(entries, list) else [entries]:
            state = str(entry.get("nbrState", entry.get("state", "")))
            # Two routers of a LAN that are neither designated nor backup stay at 2-Way for good.
            if state.startswith("Full") or state == "2-Way/DROther":
                found |= {router_id, str(entry.get("ifaceAddress", entry.get("address", router_id)))}
    return found


def _isis(answer: str) -> set[str]:
    """Addresses in the blocks of neighbors that are up; each block begins with the neighbor's name."""
    blocks = _ISIS_NEIGHBOR.split(answer)
    return {address for block in blocks if "State: Up" in block for address in _ADDRESS.findall(block)}


def _bgp(answer: str) -> set[str]:
    peers: dict[str, dict[str, Any]] = _json(answer).get("peers", {})
    return {address for address, peer in peers.items() if peer.get("state") == "Established"}


def _rip(answer: str) -> set[str]:
    """Gateways that were heard within the timeout: ripd lists them for minutes after they fell silent."""
    timeout = re.search(r"Timeout after (\d+) seconds", answer)
    sources = answer.partition("Routing Information Sources:")[2]
    return {
        address
        for address, hours, minutes, seconds in _RIP_SOURCE.findall(sources)
        if timeout and int(hours) * 3600 + int(minutes) * 60 + int(seconds) <= int(timeout.group(1))
    }


def _eigrp(answer: str) -> set[str]:
    return set(_ADDRESS.findall(answer))


def _json(answer: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(answer or "{}")
    except ValueError:
        return {}
    return found


_READERS: Mapping[Protocol, Callable[[str], set[str]]] = {
    "ospf": _ospf,
    "isis": _isis,
    "rip": _rip,
    "eigrp": _eigrp,
    "bgp": _bgp,
}
