"""Sends the witness's own probes between nodes; standard library only.

Runs in the sandbox, started by `netopsbench.faults.witness`. One JSON request a line on stdin, one JSON reply a line
on stdout. Its sockets live only as long as one sweep, so that nothing in a node tells where the witness looks.
"""

import contextlib
import json
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from netopsbench.fabric import netlink
from netopsbench.faults.wire_probe import measure

_LISTEN_PORT = 34434
_FIRST_PORT = 34000
# Smaller than any MTU: probes without a size prove a path alone.
_PROBE = struct.Struct("!QHH")
_LARGEST = 65_535
_IP_MTU_DISCOVER, _IP_PMTUDISC_DONT, _IP_PMTUDISC_PROBE = 10, 0, 3
# What a receive buffer of default size holds of jumbo datagrams.
_AT_ONCE = 8


@dataclass
class Path:
    """One path of a sweep, and what came of its probes."""

    destination: tuple[str, int]
    senders: dict[int, socket.socket]
    """By source port, from 0; fewer where the node lacks the address."""
    size: int | None
    """Bytes of payload that must not be fragmented; None for small probes."""
    sent: int = 0
    arrived: set[int] = field(default_factory=set)
    returned: set[int] = field(default_factory=set)


class Sweep:
    """One probe per path and source port, out and back."""

    def __init__(self, paths: list[dict[str, Any]]) -> None:
        self._nonce = int.from_bytes(os.urandom(8), "big")
        self._poll = select.epoll()
        self._listeners: dict[tuple[int, str], socket.socket | None] = {}
        self._senders: dict[tuple[int, str], dict[int, socket.socket | None]] = {}
        self._echoing: dict[int, socket.socket] = {}
        self._collecting: dict[int, socket.socket] = {}
        self.paths = [self._open(path) for path in paths]

    def close(self) -> None:
        for opened in (*self._echoing.values(), *self._collecting.values()):
            opened.close()
        self._poll.close()

    def run(self, wait_s: float) -> None:
        """Send everything, answer what arrives, and stop at the deadline or when all is back."""
        for number, path in enumerate(self.paths):
            for port, sender in path.senders.items():
                self._send(path, sender, _PROBE.pack(self._nonce, number, port))
                if path.sent % _AT_ONCE == 0:
                    self._serve(0)
            self._serve(0)
        deadline = time.monotonic() + wait_s
        while any(len(path.returned) < path.sent for path in self.paths):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                break
            self._serve(left_s)

    def _open(self, wanted: dict[str, Any]) -> Path:
        there, here = (wanted["dst_pid"], wanted["dst"]), (wanted["src_pid"], wanted["src"])
        if there not in self._listeners:
            with netlink.inside(there[0]):
                self._listeners[there] = self._bound(there[1], _LISTEN_PORT, self._echoing)
        opened = self._senders.setdefault(here, {})
        with netlink.inside(here[0]):
            for port in range(len(opened), wanted["ports"]):
                opened[port] = self._bound(here[1], _FIRST_PORT + port, self._collecting)
        senders = {port: opened[port] for port in range(wanted["ports"])}
        return Path(
            (wanted["dst"], _LISTEN_PORT), {port: s for port, s in senders.items() if s is not None}, wanted["size"]
        )

    def _send(self, path: Path, sender: socket.socket, probe: bytes) -> None:
        # Past the route cache: what it learned of a path's MTU is no finding, and would outlive the fault.
        mode = _IP_PMTUDISC_DONT if path.size is None else _IP_PMTUDISC_PROBE
        sender.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, mode)
        # A node that itself knows no way, or has a smaller port, refuses: the probe is lost at its source.
        with contextlib.suppress(OSError):
            sender.sendto(probe.ljust(path.size or 0, b"\0"), path.destination)
            path.sent += 1

    def _bound(self, address: str, port: int, kept: dict[int, socket.socket]) -> socket.socket | None:
        """A UDP socket at this address; None where the node doesn't have the address now."""
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            opened.bind((address, port))
        except OSError:
            opened.close()
            return None
        kept[opened.fileno()] = opened
        self._poll.register(opened, select.EPOLLIN)
        return opened

    def _serve(self, wait_s: float) -> None:
        for handle, _ in self._poll.poll(wait_s):
            if handle in self._echoing:
                self._answer(self._echoing[handle])
            else:
                for path, port, _, _ in self._received(self._collecting[handle]):
                    path.returned.add(port)

    def _answer(self, listener: socket.socket) -> None:
        for path, port, payload, source in self._received(listener):
            path.arrived.add(port)
            # A node that knows no way back refuses: the reply is lost at its source.
            with contextlib.suppress(OSError):
                mode = _IP_PMTUDISC_DONT if len(payload) == _PROBE.size else _IP_PMTUDISC_PROBE
                listener.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, mode)
                listener.sendto(payload, source)

    def _received(self, opened: socket.socket) -> Iterator[tuple[Path, int, bytes, tuple[str, int]]]:
        """This sweep's probes that wait at a socket; strangers' packets are passed over."""
        while True:
            try:
                payload, source = opened.recvfrom(_LARGEST)
            except OSError:
                return
            if len(payload) >= _PROBE.size:
                nonce, number, port = _PROBE.unpack_from(payload)
                if nonce == self._nonce and number < len(self.paths):
                    yield self.paths[number], port, payload, source


def main() -> None:
    """Answer requests until stdin closes."""
    for line in sys.stdin:
        request = json.loads(line)
        sweep = Sweep(request["paths"])
        try:
            sweep.run(request["wait_s"])
            reply: list[Any] = [
                {"sent": path.sent, "arrived": len(path.arrived), "returned": len(path.returned)}
                for path in sweep.paths
            ]
        finally:
            sweep.close()
        if request.get("links"):
            reply += measure(request["links"], request["links_wait_s"])
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
