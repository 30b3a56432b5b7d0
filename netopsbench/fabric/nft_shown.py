"""Conditions of packet filter rules as `nft -j` shows them; standard library only."""

from collections.abc import Iterator, Mapping
from typing import Any

PROTOCOLS = {"1": "icmp", "6": "tcp", "17": "udp"}
"""nft shows well-known protocols by number where it can't be sure that names are wanted."""
FIELDS = {
    ("meta", "iifname"): "in_interfaces",
    ("meta", "oifname"): "out_interfaces",
    ("meta", "l4proto"): "protocols",
    ("ip", "saddr"): "sources",
    ("ip", "daddr"): "destinations",
    ("ip", "protocol"): "protocols",
    ("tcp", "dport"): "destination_ports",
    ("udp", "dport"): "destination_ports",
}
"""What a condition looks at, to the field of a rule that keeps its values."""


def looked_at(left: Mapping[str, Any]) -> tuple[str, str]:
    """What a condition looks at: `meta iifname`, `ip saddr`."""
    if "meta" in left:
        return "meta", str(left["meta"].get("key", ""))
    payload = left.get("payload", {})
    return str(payload.get("protocol", "")), str(payload.get("field", ""))


def values(right: Any) -> Iterator[str]:
    """The values of a condition: one, a prefix, a range, or a set of these."""
    if isinstance(right, dict) and "set" in right:
        for each in right["set"] if isinstance(right["set"], list) else [right["set"]]:
            yield from values(each)
    elif isinstance(right, dict) and "prefix" in right:
        yield f"{right['prefix']['addr']}/{right['prefix']['len']}"
    elif isinstance(right, dict) and "range" in right:
        yield "-".join(map(str, right["range"]))
    else:
        yield str(right)
