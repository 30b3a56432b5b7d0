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

_LISTEN_PORT = 34434
_FIRST_PORT = 34000
# Smaller than any MTU: the witness proves a path, not its packet size.
_PROBE = struct.Struct("!QHH")


@dataclass
class Path:
    """One path of a sweep, and what came of its probes."""

    destination: tuple[str, int]
    senders: dict[int, socket.socket]
    """By source port, from 0; fewer where the node lacks the address."""
    sent: int = 0
    arrived: set[int] = field(default_factory=set)
    returned: set[int] = field(default_factory=set)


class Sweep:
    """One probe per path and source port, out and back."""

    def __init__(self, paths: list[dict[str, Any]], ports: int) -> None:
        self._nonce = int.from_bytes(os.urandom(8), "big")
        self._ports = ports
        self._poll = select.epoll()
        self._listeners: dict[tuple[int, str], socket.socket | None] = {}
        self._senders: dict[tuple[int, str], dict[int, socket.socket]] = {}
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
                # A node that itself knows no way refuses: the probe is lost at its source.
                with contextlib.suppress(OSError):
                    sender.sendto(_PROBE.pack(self._nonce, number, port), path.destination)
                    path.sent += 1
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
        if here not in self._senders:
            with netlink.inside(here[0]):
                opened = {n: self._bound(here[1], _FIRST_PORT + n, self._collecting) for n in range(self._ports)}
            self._senders[here] = {n: sender for n, sender in opened.items() if sender is not None}
        return Path((wanted["dst"], _LISTEN_PORT), self._senders[here])

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
                listener.sendto(payload, source)

    def _received(self, opened: socket.socket) -> Iterator[tuple[Path, int, bytes, tuple[str, int]]]:
        """This sweep's probes that wait at a socket; strangers' packets are passed over."""
        while True:
            try:
                payload, source = opened.recvfrom(64)
            except OSError:
                return
            if len(payload) == _PROBE.size:
                nonce, number, port = _PROBE.unpack(payload)
                if nonce == self._nonce and number < len(self.paths):
                    yield self.paths[number], port, payload, source


def main() -> None:
    """Answer requests until stdin closes."""
    for line in sys.stdin:
        request = json.loads(line)
        sweep = Sweep(request["paths"], request["ports"])
        try:
            sweep.run(request["wait_s"])
            reply = [
                {"sent": path.sent, "arrived": len(path.arrived), "returned": len(path.returned)}
                for path in sweep.paths
            ]
        finally:
            sweep.close()
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
