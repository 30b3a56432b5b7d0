"""Sums up caught frames by flow; the one module that imports scapy.

A process of its own, started by `capture_summary`: a parser of other people's packets shouldn't run in the server.
Reads the frames as JSON on stdin and writes the flows as JSON on stdout.
"""

import base64
import json
import sys
from collections.abc import Iterator
from typing import Any

from scapy.layers.inet import ICMP, IP, TCP, UDP, ICMPerror, IPerror
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet

_BGP_PORT = 179
_BGP_MESSAGES = {1: "OPEN", 2: "UPDATE", 3: "NOTIFICATION", 4: "KEEPALIVE", 5: "ROUTE-REFRESH"}
_MOST_NOTES = 8


def digest(frames: list[tuple[bool, int, str]]) -> list[dict[str, Any]]:
    """Flows with their packets, bytes and what stands out, those with most packets first."""
    flows: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for is_outgoing, length, encoded in frames:
        packet = Ether(base64.b64decode(encoded))
        protocol, src, dst = _ends(packet)
        direction = "out" if is_outgoing else "in"
        key = (direction, protocol, src, dst)
        begun = dict(zip(("direction", "protocol", "src", "dst"), key, strict=True))
        flow = flows.setdefault(key, {**begun, "packets": 0, "bytes": 0, "notes": {}})
        flow["packets"] += 1
        flow["bytes"] += length
        for note in _notes(packet):
            flow["notes"][note] = flow["notes"].get(note, 0) + 1
    shown = sorted(flows.values(), key=lambda flow: -int(flow["packets"]))
    return [{**flow, "notes": _counted(flow["notes"])} for flow in shown]


def _counted(notes: dict[str, int]) -> list[str]:
    most = sorted(notes.items(), key=lambda entry: -entry[1])[:_MOST_NOTES]
    return [f"{note} ({count})" for note, count in most]


def _ends(packet: Packet) -> tuple[str, str, str]:
    """Protocol, source and destination, with ports where there are any."""
    if ARP in packet:
        return "ARP", str(packet[ARP].psrc), str(packet[ARP].pdst)
    if IP not in packet:
        kind = int.from_bytes(packet.original[12:14])
        return f"ethertype {kind:#06x}", str(packet.src), str(packet.dst)
    outer = packet[IP]
    for layer, name in ((TCP, "TCP"), (UDP, "UDP")):
        if layer in packet and ICMPerror not in packet and IPerror not in packet:
            return name, f"{outer.src}:{packet[layer].sport}", f"{outer.dst}:{packet[layer].dport}"
    protocol = "ICMP" if ICMP in packet else f"IP protocol {outer.proto}"
    return protocol, str(outer.src), str(outer.dst)


def _notes(packet: Packet) -> Iterator[str]:
    if ARP in packet:
        yield str(packet[ARP].summary())
    if IP not in packet:
        return
    outer = packet[IP]
    if outer.frag or outer.flags.MF:
        yield "fragment"
    if outer.flags.DF and UDP in packet:
        yield "don't-fragment set"
    if outer.ttl <= 1:
        yield f"TTL {outer.ttl}"
    if ICMP in packet:
        yield str(packet[ICMP].sprintf("%ICMP.type% %ICMP.code%")).strip()
    if TCP in packet:
        yield from _tcp_notes(packet[TCP])


def _tcp_notes(segment: Packet) -> Iterator[str]:
    flags = str(segment.flags)
    if flags not in ("A", "PA"):
        yield f"TCP flags {flags}"
    if _BGP_PORT in (segment.sport, segment.dport):
        carried = bytes(segment.payload)
        # Marker of 16 bytes, length of two, then the kind of the message.
        if len(carried) >= 19 and carried[:16] == b"\xff" * 16:
            yield f"BGP {_BGP_MESSAGES.get(carried[18], carried[18])}"


def main() -> None:
    """Sum up what comes in."""
    json.dump(digest(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
