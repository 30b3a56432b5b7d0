"""Background traffic inside the sandbox: `python -m netopsbench.traffic.generator`; standard library only.

One process holds both ends of every flow, in the namespaces of the clients. It reads its configuration as one line of
JSON on standard input and answers with `ready` or `failed`; every further line is a question for the counters. It
ends when standard input ends.
"""

import contextlib
import gc
import json
import os
import resource
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass
from typing import Any

from netopsbench.fabric import netlink

STANDARD_INPUT = 0
START_DEADLINE_S = 20.0
TICK_S = 0.004
DRAIN_NS = 50_000_000
"""Arrivals are counted so often; a default receive buffer holds many times what a flow sends meanwhile."""
SLIP_NS = 50_000_000
"""When sending lags by more, what was missed is left out: catching up in a burst would fill buffers."""
SEND_BUFFER = 16_384
"""A flow that is cut holds back no more than this, so that it comes back without a burst."""
NICENESS = 5
"""Probes go first: what they measure is the network, not the wait for this process."""


@dataclass
class Flow:
    """Both ends of a flow, and what passed through them."""

    sender: socket.socket
    receiver: socket.socket
    """A bound UDP socket; of TCP the listener first, then the connection."""
    is_tcp: bool
    sent: int = 0
    """Bytes of TCP, datagrams of UDP."""
    received: int = 0
    refused: int = 0
    """Packets that the sending host would not take: no route, or a full buffer on a path that is cut."""


class Generator:
    """Sends round robin at a steady pace, and counts what arrives."""

    def __init__(self, flows: list[Flow], interval_ns: int, payload: bytes) -> None:
        """`interval_ns`: between two packets, whichever flows they are of."""
        self._flows = flows
        self._interval_ns = interval_ns
        self._payload = payload
        self._buffer = bytearray(1 << 16)
        self._arrivals = select.epoll()
        self._by_file = {flow.receiver.fileno(): flow for flow in flows}
        for file in self._by_file:
            self._arrivals.register(file, select.EPOLLIN)

    def run(self) -> None:
        """Send until standard input ends."""
        started = drained = time.monotonic_ns()
        done = 0
        while True:
            ready, _, _ = select.select([STANDARD_INPUT], [], [], TICK_S)
            if ready and not self._answer():
                return
            now = time.monotonic_ns()
            due = (now - started) // self._interval_ns
            if (due - done) * self._interval_ns > SLIP_NS + TICK_S * 1e9:
                done = due - SLIP_NS // self._interval_ns
            for number in range(done, due):
                self._send(self._flows[number % len(self._flows)])
            done = due
            if now - drained > DRAIN_NS:
                self._drain()
                drained = now

    def _send(self, flow: Flow) -> None:
        try:
            length = flow.sender.send(self._payload)
        except OSError:
            flow.refused += 1
            return
        flow.sent += length if flow.is_tcp else 1

    def _drain(self) -> None:
        """Take one packet, or a bufferful of a stream, from every socket that has some, until none has."""
        while True:
            waiting = self._arrivals.poll(0, len(self._by_file))
            for file, _ in waiting:
                flow = self._by_file[file]
                length = self._received(flow)
                if flow.is_tcp and not length:
                    # Both ends are ours: the stream was broken off, and would be readable for ever.
                    self._arrivals.unregister(file)
                flow.received += length if flow.is_tcp else min(length, 1)
            if not waiting:
                return

    def _received(self, flow: Flow) -> int:
        try:
            return flow.receiver.recv_into(self._buffer)
        except OSError:
            return 0

    def _answer(self) -> bool:
        """Answer the questions that wait; False when there will be no more."""
        asked = os.read(STANDARD_INPUT, 4096)
        for _ in range(asked.count(b"\n")):
            self._drain()
            size = len(self._payload)
            say(
                event="counts",
                t_ns=time.time_ns(),
                sent=[flow.sent // size if flow.is_tcp else flow.sent for flow in self._flows],
                received=[flow.received // size if flow.is_tcp else flow.received for flow in self._flows],
                refused=[flow.refused for flow in self._flows],
            )
        return bool(asked)


def say(**event: object) -> None:
    """One line of JSON to the runner, which may be gone."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps(event).encode() + b"\n")


def open_flow(asked: dict[str, Any]) -> Flow:
    """Bind both ends of a flow, and begin to connect them. Raises OSError."""
    is_tcp = asked["protocol"] == "tcp"
    kind = socket.SOCK_STREAM if is_tcp else socket.SOCK_DGRAM
    with netlink.inside(asked["dst_pid"]):
        receiver = _bound(kind, asked["dst"], asked["dst_port"])
    if is_tcp:
        receiver.listen(1)
    with netlink.inside(asked["src_pid"]):
        sender = _bound(kind, asked["src"], asked["src_port"])
    if is_tcp:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    with contextlib.suppress(BlockingIOError):
        sender.connect((asked["dst"], asked["dst_port"]))
    return Flow(sender, receiver, is_tcp)


def _bound(kind: socket.SocketKind, ip: str, port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, kind)
    opened.setblocking(False)
    if kind == socket.SOCK_STREAM:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Closing resets the connection: the next generator on the same fabric finds its ports free.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    opened.bind((ip, port))
    return opened


def accept(flow: Flow, deadline: float) -> None:
    """Replace a flow's listener by its connection. Raises TimeoutError."""
    listener = flow.receiver
    listener.settimeout(max(deadline - time.monotonic(), 0.001))
    flow.receiver, _ = listener.accept()
    flow.receiver.setblocking(False)
    listener.close()


def start(asked: dict[str, Any]) -> list[Flow]:
    """Open all flows and wait until every connection stands. Raises OSError, which TimeoutError is."""
    flows = [open_flow(flow) for flow in asked["flows"]]
    deadline = time.monotonic() + START_DEADLINE_S
    for flow in flows:
        if flow.is_tcp:
            accept(flow, deadline)
    return flows


def main() -> int:
    """Start the flows, say so, and send until standard input ends."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asked = json.loads(_first_line())
    try:
        flows = start(asked)
    except OSError as refusal:
        say(event="failed", message=str(refusal))
        return 1
    os.nice(NICENESS)
    gc.freeze()
    gc.disable()
    say(event="ready")
    Generator(flows, asked["interval_ns"], bytes(asked["payload_bytes"])).run()
    return 0


def _first_line() -> bytes:
    """Byte by byte, so that no later question is read ahead into a buffer that `select` can't see."""
    pieces = []
    while (piece := os.read(STANDARD_INPUT, 1)) not in (b"", b"\n"):
        pieces.append(piece)
    return b"".join(pieces)


if __name__ == "__main__":
    sys.exit(main())
