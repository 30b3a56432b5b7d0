"""Measures one direction of links with many small probes; standard library only.

Part of the witness's prober, in the sandbox. Both ends of a link are sockets of this process, so one clock times the
way there and the way back apart.
"""

import contextlib
import os
import select
import socket
import statistics
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from netopsbench.fabric import netlink

_LISTEN_PORT, _SEND_PORT = 34435, 34050
_HEADER = struct.Struct("!QHIQQ")
"""Nonce, link, number, time of sending, time of arrival (0 on the way there)."""
_PATTERN = bytes(range(48))
_RECEIVE_BUFFER, _SO_RCVBUFFORCE = 4 << 20, 33
"""Bytes; only the host's root may have more than net.core.rmem_max."""
_AT_ONCE, _PAUSE_S = 16, 0.002
"""Probes of one link before the sockets are looked at: far fewer than a buffer holds; and a pause, to load nothing."""


class LinkWanted(TypedDict):
    """One link: where its two ends are, and by which addresses."""

    src_pid: int
    src: str
    dst_pid: int
    dst: str
    probes: int


class LinkMeasured(TypedDict):
    """What came of the probes of one link."""

    sent: int
    arrived: int
    """Undamaged."""
    returned: int
    damaged: int
    """Refused by the far node for their UDP checksum, or delivered with another payload than was sent."""
    there_ms: float | None
    """Median time of the way there; None when nothing arrived."""
    back_ms: float | None


@dataclass
class _Link:
    destination: tuple[str, int]
    sender: socket.socket | None
    listener: socket.socket | None
    dst_pid: int
    probes: int
    sent: int = 0
    damaged: int = 0
    refused_before: int = 0
    there_ns: list[int] = field(default_factory=list)
    back_ns: list[int] = field(default_factory=list)


class Measurement:
    """Probes over several links at once."""

    def __init__(self, wanted: list[LinkWanted]) -> None:
        self._nonce = int.from_bytes(os.urandom(8), "big")
        self._links = [self._open(number, each) for number, each in enumerate(wanted)]
        self._owner = {
            opened.fileno(): (link, opened)
            for link in self._links
            for opened in (link.sender, link.listener)
            if opened is not None
        }
        self._poll = select.epoll()
        for descriptor in self._owner:
            self._poll.register(descriptor, select.EPOLLIN)

    def close(self) -> None:
        """Close every socket."""
        for _, opened in self._owner.values():
            opened.close()
        self._poll.close()

    def run(self, wait_s: float) -> list[LinkMeasured]:
        """Send all probes, and wait for those that are missing."""
        for link in self._links:
            link.refused_before = _checksum_errors(link.dst_pid)
        most = max((link.probes for link in self._links), default=0)
        for start in range(0, most, _AT_ONCE):
            next_s = time.monotonic() + _PAUSE_S
            for number, link in enumerate(self._links):
                self._send(number, link, range(start, min(start + _AT_ONCE, link.probes)))
                self._serve(0)
            while (left_s := next_s - time.monotonic()) > 0:
                self._serve(left_s)
        deadline = time.monotonic() + wait_s
        while self._is_waiting() and (left_s := deadline - time.monotonic()) > 0:
            self._serve(left_s)
        return [self._measured(link) for link in self._links]

    def _open(self, number: int, wanted: LinkWanted) -> _Link:
        with netlink.inside(wanted["dst_pid"]):
            listener = _bound(wanted["dst"], _LISTEN_PORT + number)
        with netlink.inside(wanted["src_pid"]):
            sender = _bound(wanted["src"], _SEND_PORT + number)
        destination = (wanted["dst"], _LISTEN_PORT + number)
        return _Link(destination, sender, listener, wanted["dst_pid"], wanted["probes"])

    def _send(self, number: int, link: _Link, probes: range) -> None:
        if link.sender is None:
            return
        for probe in probes:
            # A port that is down refuses: the probe is lost at its source.
            with contextlib.suppress(OSError):
                link.sent += 1
                packed = _HEADER.pack(self._nonce, number, probe, time.monotonic_ns(), 0)
                link.sender.sendto(packed + _PATTERN, link.destination)

    def _serve(self, wait_s: float) -> None:
        for descriptor, _ in self._poll.poll(wait_s):
            link, opened = self._owner[descriptor]
            with contextlib.suppress(OSError):
                while True:
                    payload, source = opened.recvfrom(256)
                    self._take(link, opened, payload, source)

    def _take(self, link: _Link, opened: socket.socket, payload: bytes, source: tuple[str, int]) -> None:
        now = time.monotonic_ns()
        is_there = opened is link.listener
        if len(payload) != _HEADER.size + len(_PATTERN) or payload[_HEADER.size :] != _PATTERN:
            link.damaged += is_there
            return
        nonce, number, probe, sent_ns, arrived_ns = _HEADER.unpack_from(payload)
        if nonce != self._nonce:
            return
        if is_there:
            link.there_ns.append(now - sent_ns)
            opened.sendto(_HEADER.pack(nonce, number, probe, sent_ns, now) + _PATTERN, source)
        else:
            link.back_ns.append(now - arrived_ns)

    def _is_waiting(self) -> bool:
        return any(len(link.back_ns) < link.sent for link in self._links)

    def _measured(self, link: _Link) -> LinkMeasured:
        return {
            "sent": link.sent,
            "arrived": len(link.there_ns),
            "returned": len(link.back_ns),
            "damaged": link.damaged + _checksum_errors(link.dst_pid) - link.refused_before,
            "there_ms": _median_ms(link.there_ns),
            "back_ms": _median_ms(link.back_ns),
        }


def _median_ms(times_ns: list[int]) -> float | None:
    return statistics.median(times_ns) / 1e6 if times_ns else None


def _checksum_errors(pid: int) -> int:
    """UDP datagrams that a node refused for their checksum, so far."""
    names, values = (
        line.split() for line in Path(f"/proc/{pid}/net/snmp").read_text().splitlines() if line.startswith("Udp:")
    )
    return int(values[names.index("InCsumErrors")])


def _bound(address: str, port: int) -> socket.socket | None:
    """A UDP socket at this address; None where the node doesn't have the address now."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    # A delayed link lets go in one moment of what piled up while the machine was busy.
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    with contextlib.suppress(PermissionError):
        opened.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)
    try:
        opened.bind((address, port))
    except OSError:
        opened.close()
        return None
    return opened


def measure(wanted: list[LinkWanted], wait_s: float) -> list[LinkMeasured]:
    """Probe all links at once; `wait_s` is for those probes that are missing when all are sent."""
    measurement = Measurement(wanted)
    try:
        return measurement.run(wait_s)
    finally:
        measurement.close()
