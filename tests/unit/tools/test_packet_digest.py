"""Frames summed up by flow, also when they are damaged or hostile."""

import base64
import random

import pytest

scapy_inet = pytest.importorskip("scapy.layers.inet", reason="scapy is not installed")

from scapy.layers.inet import ICMP, IP, TCP, UDP  # noqa: E402
from scapy.layers.l2 import ARP, Ether  # noqa: E402
from scapy.packet import Packet, Raw  # noqa: E402

from netopsbench.tools.packets.packet_digest import digest  # noqa: E402


def caught(packet: Packet, *, is_outgoing: bool = False) -> tuple[bool, int, str]:
    raw = bytes(packet)
    return is_outgoing, len(raw), base64.b64encode(raw[:192]).decode()


def udp(port: int) -> Packet:
    return Ether() / IP(src="10.0.0.1", dst="10.0.0.2", flags="DF") / UDP(sport=port, dport=33434) / Raw(b"x" * 900)


def test_flows_are_counted_by_direction_and_ports() -> None:
    flows = digest([caught(udp(1000)), caught(udp(1000)), caught(udp(1001)), caught(udp(1000), is_outgoing=True)])
    first = flows[0]
    assert (first["direction"], first["protocol"], first["src"], first["packets"]) == ("in", "UDP", "10.0.0.1:1000", 2)
    assert first["bytes"] == 2 * (14 + 20 + 8 + 900)
    assert first["notes"] == ["don't-fragment set (2)"]
    assert len(flows) == 3


def test_bgp_messages_and_tcp_flags_are_named() -> None:
    keepalive = Raw(b"\xff" * 16 + b"\x00\x13\x04")
    talk = Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=179, dport=4000, flags="PA") / keepalive
    reset = Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / TCP(sport=179, dport=4000, flags="R")
    (flow,) = digest([caught(talk), caught(reset)])
    assert set(flow["notes"]) == {"BGP KEEPALIVE (1)", "TCP flags R (1)"}


def test_icmp_complaints_and_arp_are_told_apart_from_what_they_are_about() -> None:
    complaint = Ether() / IP(src="10.0.0.9", dst="10.0.0.1") / ICMP(type=3, code=1) / IP(dst="10.0.0.2") / UDP(sport=7)
    question = Ether() / ARP(psrc="10.0.0.1", pdst="10.0.0.2")
    icmp, arp = digest([caught(complaint), caught(question)])
    assert (icmp["protocol"], icmp["src"]) == ("ICMP", "10.0.0.9")
    assert "host-unreachable" in icmp["notes"][0]
    assert (arp["protocol"], arp["dst"]) == ("ARP", "10.0.0.2")


def test_no_frames_are_no_flows() -> None:
    assert digest([]) == []


def test_frames_of_any_content_are_digested() -> None:
    chance = random.Random(7)
    whole = bytes(udp(1))
    damaged = [whole[:length] for length in range(14, 60)]
    noise = [chance.randbytes(chance.randrange(14, 192)) for _ in range(200)]
    ipish = [whole[:14] + chance.randbytes(80) for _ in range(200)]
    frames = [(False, len(raw), base64.b64encode(raw).decode()) for raw in (*damaged, *noise, *ipish)]
    assert sum(flow["packets"] for flow in digest(frames)) == len(frames)
