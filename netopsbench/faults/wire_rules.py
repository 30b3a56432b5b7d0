"""What the kernel is told about one impaired end of a cable: pure text, by netem or by nft; standard library only."""

import json
from typing import TypedDict

RATE_PER_S = 25_000
"""Packets a second that a delayed end must hold without loss."""
_LEAST_LIMIT = 1_000
_PLACES = ("@th,8,8", "@nh,64,8", "@th,56,8", "@nh,120,8", "@th,24,8", "@th,64,8", "@th,128,8", "@th,96,8")
"""Bytes that are damaged, each as often as the others; a packet too short for one goes on to the next.

Ports, time to live, source address, the checksum itself and the payload's first bytes. The length of a UDP datagram
isn't among them: the receiver counts a wrong one as no checksum error.
"""
_DEEP_PLACES = ("@th,480,8", "@th,1600,8", "@th,8000,8")


class Impairment(TypedDict):
    """How one end of a cable treats what it is given, in this order; 0 is not at all."""

    loss_pct: float
    corruption_pct: float
    delay_ms: float


CLEAN = Impairment(loss_pct=0, corruption_pct=0, delay_ms=0)


def is_clean(wanted: Impairment) -> bool:
    """Whether nothing is impaired."""
    return wanted == CLEAN


def netem(far: str, wanted: Impairment) -> list[str]:
    """The command that sets a netem qdisc on the wire end which hands the packets to the far node."""
    # netem drops beyond its limit, so a delay that holds too few packets would also lose some.
    limit = max(_LEAST_LIMIT, round(2 * RATE_PER_S * wanted["delay_ms"] / 1000))
    words = ["tc", "qdisc", "replace", "dev", far, "root", "netem", "limit", str(limit)]
    words += ["delay", f"{wanted['delay_ms']:g}ms"]
    words += ["loss", f"{wanted['loss_pct']:g}%", "corrupt", f"{wanted['corruption_pct']:g}%"]
    return words


def netem_drops(listing: str) -> int | None:
    """Packets dropped by the netem qdisc of `tc -s -j qdisc show dev FAR`; None when there is no such qdisc."""
    found = [each for each in json.loads(listing or "[]") if each.get("kind") == "netem"]
    return int(found[0].get("drops", 0)) if found else None


def nft(near: str, exit_end: str, wanted: Impairment) -> str:
    """Rules that impair what comes in at wire end `near` and hand it to `exit_end`.

    One transaction, which replaces older rules without a moment between.
    """
    rules = []
    if wanted["loss_pct"]:
        rules.append(f"in {_chance(wanted['loss_pct'])} counter drop")
    if wanted["corruption_pct"]:
        rules.append(f"in {_chance(wanted['corruption_pct'])} counter jump damage")
        places = (*_DEEP_PLACES, *_PLACES)
        for number, place in enumerate(places):
            share = "" if number == len(places) - 1 else f"numgen random mod {len(places) - number} == 0 "
            rules.append(f"damage {share}{place} set {place} ^ 0x{1 << number % 8:02x} return")
    rules.append(f'in counter fwd to "{exit_end}"')
    lines = [
        f"add table netdev {near}",
        f'add chain netdev {near} in {{ type filter hook ingress device "{near}" priority 0; }}',
        f"add chain netdev {near} damage",
        f"flush table netdev {near}",
        *(f"add rule netdev {near} {rule}" for rule in rules),
    ]
    return "\n".join(lines) + "\n"


def nft_counts(listing: str) -> dict[str, int]:
    """Packets `lost`, `damaged` and `passed` so far, out of `nft -j list table netdev NEAR`."""
    counts = {"lost": 0, "damaged": 0, "passed": 0}
    for entry in json.loads(listing)["nftables"]:
        expressions = entry.get("rule", {}).get("expr", [])
        packets = next((each["counter"]["packets"] for each in expressions if "counter" in each), None)
        if packets is None:
            continue
        verdict = next(iter(expressions[-1]))
        counts[{"drop": "lost", "jump": "damaged", "fwd": "passed"}[verdict]] += int(packets)
    return counts


def _chance(share_pct: float) -> str:
    return f"numgen random mod 100000 < {round(share_pct * 1000)}"
