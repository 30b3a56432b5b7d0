"""Sends the packets of `traceroute` from inside a node; standard library only.

Runs beside the nodes, started by `traceroute`. One JSON request on stdin, one JSON reply on stdout, then it ends.
"""

import errno
import json
import os
import select
import socket
import struct
import sys
import time
from typing import Any

from netopsbench.fabric import netlink

_IP_RECVERR, _IP_MTU_DISCOVER, _IP_PMTUDISC_OFF = 11, 10, 0
_EXTENDED_ERROR = struct.Struct("=IBBBBII")
_ICMP_TIME_EXCEEDED, _ICMP_UNREACHABLE, _PORT_UNREACHABLE = 11, 3, 3


class Answer:
    """What came back for one packet."""

    def __init__(self, address: str | None, kind: int, code: int, error: int) -> None:
        self.address = address
        self.is_passing = (kind, error) == (_ICMP_TIME_EXCEEDED, errno.EHOSTUNREACH)
        """A router on the way let the packet end there."""
        self.is_target = kind == 0 or (kind, code) == (_ICMP_UNREACHABLE, _PORT_UNREACHABLE)
        self.note = None if self.is_passing or self.is_target else os.strerror(error)


def open_socket(request: dict[str, Any]) -> socket.socket:
    """A UDP socket in the node, bound to the source port, and to `source` if an address is given. Raises OSError."""
    with netlink.inside(request["pid"]):
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    opened.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
    opened.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _IP_PMTUDISC_OFF)
    opened.bind((request.get("source", ""), request["source_port"]))
    opened.connect((request["address"], request["destination_port"]))
    return opened


def probe(opened: socket.socket, ttl: int, wait_s: float) -> tuple[Answer | None, float]:
    """Send one packet and wait for its answer; the second value is the round trip in ms."""
    opened.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
    # Routers send it back, so an answer that comes too late isn't taken for one to the next packet.
    mark = os.urandom(16)
    started = time.monotonic()
    try:
        opened.send(mark)
    except OSError as refused:
        return Answer(None, -1, 0, refused.errno or errno.EIO), 0.0
    poll = select.poll()
    poll.register(opened, select.POLLIN)
    while (left_s := started + wait_s - time.monotonic()) > 0:
        if poll.poll(left_s * 1000):
            answer = _read(opened, mark)
            if answer is not None:
                return answer, (time.monotonic() - started) * 1000
    return None, 0.0


def _read(opened: socket.socket, mark: bytes) -> Answer | None:
    """An answer out of the error queue, or the target's own reply; None when neither is there after all."""
    try:
        returned, notes, _, _ = opened.recvmsg(512, 512, socket.MSG_ERRQUEUE)
    except OSError:
        return _reply(opened)
    if not returned.startswith(mark):
        return None
    for level, sort, raw in notes:
        if (level, sort) == (socket.IPPROTO_IP, _IP_RECVERR) and len(raw) >= _EXTENDED_ERROR.size + 8:
            error, _, kind, code, *_ = _EXTENDED_ERROR.unpack_from(raw)
            origin = socket.inet_ntoa(raw[_EXTENDED_ERROR.size + 4 : _EXTENDED_ERROR.size + 8])
            return Answer(None if origin == "0.0.0.0" else origin, kind, code, error)
    return None


def _reply(opened: socket.socket) -> Answer | None:
    try:
        opened.recv(65536)
    except OSError:
        # A pending error is reported once here after its details were read.
        return None
    return Answer(opened.getpeername()[0], 0, 0, 0)


def trace(request: dict[str, Any]) -> dict[str, Any]:
    """Every hop up to the target, or to the last that is asked for."""
    hops: list[dict[str, Any]] = []
    with open_socket(request) as opened:
        for ttl in range(1, request["max_hops"] + 1):
            hop: dict[str, Any] = {"ttl": ttl, "address": None, "packets_sent": 0, "rtt_ms": [], "note": None}
            hops.append(hop)
            for _ in range(request["count"]):
                answer, rtt_ms = probe(opened, ttl, request["wait_s"])
                hop["packets_sent"] += 1
                if answer is None:
                    continue
                hop["address"], hop["note"] = answer.address or hop["address"], answer.note
                if answer.address is not None:
                    hop["rtt_ms"].append(rtt_ms)
                if answer.is_target:
                    return {"hops": hops, "is_reached": True}
    return {"hops": hops, "is_reached": False}


def main() -> None:
    """Work on the one request."""
    try:
        reply = trace(json.loads(sys.stdin.readline()))
    except OSError as failure:
        reply = {"error": failure.strerror}
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
