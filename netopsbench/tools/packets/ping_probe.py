"""Sends the probes of `ping_test` from inside a node; standard library only.

Runs beside the nodes, started by `ping_test`. One JSON request on stdin, one JSON reply on stdout, then it ends.
"""

import errno
import json
import os
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from netopsbench.fabric import netlink

_IP_MTU_DISCOVER, _IP_PMTUDISC_PROBE, _IP_RECVERR = 10, 3, 11
_ICMP_ECHO_REPLY, _ICMP_ECHO = 0, 8
_STAMP = struct.Struct("!QI")
# struct sock_extended_err, then the sockaddr_in of the router that complained.
_EXTENDED_ERROR = struct.Struct("=IBBBBII")
_GAP_S = 0.001
_LONGEST = 65536


@dataclass
class Sweep:
    """All probes from one source port (or all ICMP probes), and what came back."""

    source_port: int | None
    opened: socket.socket | None = None
    sent_at: dict[int, float] = field(default_factory=dict)
    rtt_ms: dict[int, float] = field(default_factory=dict)
    given_up: set[int] = field(default_factory=set)
    """Probes of which a router or the node itself said that they won't arrive."""
    refused: int = 0
    """Probes that the node's own kernel would not send."""
    answered_by: str | None = None
    error: str | None = None

    @property
    def is_waiting(self) -> bool:
        return len(self.rtt_ms) + len(self.given_up) < len(self.sent_at)


class Prober:
    """One request being worked on."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._request = request
        self._address = str(request["address"])
        self._is_icmp = request["protocol"] == "icmp"
        self._nonce = int.from_bytes(os.urandom(8))
        self._poll = select.epoll()
        ports = [None] if self._is_icmp else request["source_ports"]
        with netlink.inside(request["pid"]):
            self.sweeps = [self._open(port) for port in ports]
        self._by_handle = {sweep.opened.fileno(): sweep for sweep in self.sweeps if sweep.opened}
        for handle in self._by_handle:
            self._poll.register(handle, select.EPOLLIN | select.EPOLLERR)

    def run(self) -> None:
        """Send every probe, then wait for the last answers."""
        number = 0
        for _ in range(self._request["count"]):
            for sweep in self.sweeps:
                self._send(sweep, number)
                number += 1
                self._collect(_GAP_S)
        deadline = time.monotonic() + self._request["wait_s"]
        while any(sweep.is_waiting for sweep in self.sweeps):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                break
            self._collect(left_s)

    def _open(self, port: int | None) -> Sweep:
        sweep = Sweep(port)
        kind, protocol = (
            (socket.SOCK_RAW, socket.IPPROTO_ICMP) if self._is_icmp else (socket.SOCK_DGRAM, socket.IPPROTO_UDP)
        )
        opened = socket.socket(socket.AF_INET, kind | socket.SOCK_NONBLOCK, protocol)
        try:
            # PROBE sets don't-fragment without letting one bad path poison the node's route cache.
            discovery = _IP_PMTUDISC_PROBE if self._request["dont_fragment"] else 0
            opened.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, discovery)
            opened.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
            if port is not None:
                opened.bind(("", port))
            opened.connect((self._address, 0 if self._is_icmp else self._request["destination_port"]))
        except OSError as failure:
            opened.close()
            sweep.error = _in_words(failure)
            return sweep
        sweep.opened = opened
        return sweep

    def _send(self, sweep: Sweep, number: int) -> None:
        if sweep.opened is None:
            sweep.refused += 1
            return
        stamp = _STAMP.pack(self._nonce, number)
        payload = stamp + bytes(max(0, self._request["size_bytes"] - len(stamp)))
        packet = _echo_request(self._nonce, number, payload) if self._is_icmp else payload
        # Before the send: on an idle path the answer is there before the system call returns.
        started = time.monotonic()
        try:
            sweep.opened.send(packet)
        except ConnectionRefusedError:
            # The complaint about the probe before this one; that probe is counted, this one goes out now.
            self._complaints(sweep)
            self._send(sweep, number)
            return
        except OSError as failure:
            sweep.refused += 1
            sweep.error = _in_words(failure)
            return
        sweep.sent_at[number] = started

    def _collect(self, wait_s: float) -> None:
        for handle, events in self._poll.poll(wait_s):
            sweep = self._by_handle[handle]
            if events & select.EPOLLERR:
                self._complaints(sweep)
            if events & select.EPOLLIN:
                self._answers(sweep)

    def _answers(self, sweep: Sweep) -> None:
        while sweep.opened is not None:
            try:
                packet, source = sweep.opened.recvfrom(_LONGEST)
            except OSError:
                return
            if self._is_icmp:
                packet = packet[(packet[0] & 15) * 4 :]
                if packet[:1] != bytes([_ICMP_ECHO_REPLY]):
                    continue
                packet = packet[8:]
            self._answered(sweep, packet, source[0])

    def _complaints(self, sweep: Sweep) -> None:
        """Read what routers, the target and the node's own kernel said of probes."""
        while sweep.opened is not None:
            try:
                payload, notes, _, _ = sweep.opened.recvmsg(_LONGEST, 512, socket.MSG_ERRQUEUE)
            except OSError:
                break
            for level, kind, raw in notes:
                if (level, kind) != (socket.IPPROTO_IP, _IP_RECVERR) or len(raw) < _EXTENDED_ERROR.size + 8:
                    continue
                code, *_ = _EXTENDED_ERROR.unpack_from(raw)
                origin = socket.inet_ntoa(raw[_EXTENDED_ERROR.size + 4 : _EXTENDED_ERROR.size + 8])
                if code == errno.ECONNREFUSED:
                    # A closed port answers too: the probe arrived, and the answer came back.
                    self._answered(sweep, payload, origin)
                else:
                    speaker = "the device itself" if origin == "0.0.0.0" else origin
                    sweep.error = f"{os.strerror(code)}, said {speaker}"
                    number = self._number(payload[8:] if self._is_icmp else payload)
                    if number is not None and number not in sweep.rtt_ms:
                        sweep.given_up.add(number)

    def _answered(self, sweep: Sweep, payload: bytes, source: str) -> None:
        number = self._number(payload)
        if number in sweep.sent_at and number not in sweep.rtt_ms:
            sweep.rtt_ms[number] = (time.monotonic() - sweep.sent_at[number]) * 1000
            sweep.answered_by = source

    def _number(self, payload: bytes) -> int | None:
        """Which of our probes a payload belongs to."""
        if len(payload) < _STAMP.size:
            return None
        nonce, number = _STAMP.unpack_from(payload)
        return int(number) if nonce == self._nonce else None


def _echo_request(nonce: int, number: int, payload: bytes) -> bytes:
    identifier, sequence = nonce & 0xFFFF, number & 0xFFFF
    head = struct.pack("!BBHHH", _ICMP_ECHO, 0, 0, identifier, sequence)
    return struct.pack("!BBHHH", _ICMP_ECHO, 0, _checksum(head + payload), identifier, sequence) + payload


def _checksum(packet: bytes) -> int:
    padded = packet + b"\0" * (len(packet) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def _in_words(failure: OSError) -> str:
    if failure.errno == errno.EADDRINUSE:
        return "this source port is in use on the device"
    return f"{failure.strerror}, said the device itself"


def main() -> None:
    """Work on the one request."""
    prober = Prober(json.loads(sys.stdin.readline()))
    prober.run()
    reply = [
        {
            "source_port": sweep.source_port,
            "packets_sent": len(sweep.sent_at) + sweep.refused,
            "rtt_ms": list(sweep.rtt_ms.values()),
            "answered_by": sweep.answered_by,
            "error": sweep.error,
        }
        for sweep in prober.sweeps
    ]
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
