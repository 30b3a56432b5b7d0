"""Asks routing daemons, hosts and services of a lab from beside its nodes; standard library only.

Runs in the sandbox, started by `netopsbench.fabric.labs.inspect`. One JSON request a line on stdin, one JSON reply a
line on stdout, as long as the list of what was asked. Sockets are opened in a node's network namespace, so packets
go the way of the node's own; no program of a node takes part.
"""

import json
import os
import re
import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from netopsbench.fabric import netlink
from netopsbench.fabric.labs.devices import SeenDevices, devices
from netopsbench.fabric.observer import vty

_PING_WAIT_S = 0.7
_SERVICE_WAIT_S = 2.0
_AT_ONCE = 128
"""Questions side by side: where nobody answers they all wait, and so do all of a lab together."""
_DNS_HEADER = 12
"""Bytes."""
_ECHO, _ECHO_REPLY = 8, 0


def shown(asked: list[tuple[int, str, str]]) -> list[str | None]:
    """Answers to show commands, `(pid, daemon, command)`; None where the daemon doesn't answer."""
    return _side_by_side(_show, asked)


def _show(asked: tuple[int, str, str]) -> str | None:
    try:
        return vty(*asked)
    except OSError:
        return None


def pinged(pairs: list[tuple[int, str]]) -> list[bool]:
    """Whether each `(pid, address)` gets an answer from the address; a lost packet is sent once more."""
    answered: set[int] = set()
    for _ in range(2):
        missing = [number for number in range(len(pairs)) if number not in answered]
        if missing:
            answered |= _ping_once(pairs, missing)
    return [number in answered for number in range(len(pairs))]


def _ping_once(pairs: list[tuple[int, str]], chosen: list[int]) -> set[int]:
    sockets: dict[int, socket.socket] = {}
    identity = os.getpid() & 0xFFFF
    try:
        for number in chosen:
            pid, address = pairs[number]
            if pid not in sockets:
                sockets[pid] = _opened(pid, socket.SOCK_RAW, socket.IPPROTO_ICMP)
            try:
                sockets[pid].sendto(echo_request(identity, number), (address, 0))
            except OSError:
                # No route: the answer is no.
                continue
        return _answers(list(sockets.values()), identity, pairs, set(chosen))
    finally:
        for each in sockets.values():
            each.close()


def _answers(sockets: list[socket.socket], identity: int, pairs: list[tuple[int, str]], wanted: set[int]) -> set[int]:
    answered: set[int] = set()
    deadline = time.monotonic() + _PING_WAIT_S
    while answered != wanted:
        ready, _, _ = select.select(sockets, [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        for each in ready:
            packet, (sender, _port) = each.recvfrom(2048)
            number = echo_reply(packet, identity)
            if number is not None and number < len(pairs) and pairs[number][1] == sender:
                answered.add(number)
    return answered & wanted


def echo_request(identity: int, number: int) -> bytes:
    """An ICMP echo request."""
    header = struct.pack("!BBHHH", _ECHO, 0, 0, identity, number)
    total = sum(struct.unpack("!4H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!BBHHH", _ECHO, 0, ~total & 0xFFFF, identity, number)


def echo_reply(packet: bytes, identity: int) -> int | None:
    """Number of the request that an IP packet answers; None when it is no answer to ours."""
    start = (packet[0] & 0xF) * 4
    kind, _code, _checksum, found, number = struct.unpack_from("!BBHHH", packet, start)
    return int(number) if (kind, found) == (_ECHO_REPLY, identity) else None


def resolved(asked: list[tuple[int, str]]) -> list[str]:
    """The address that each `(pid, name)` gets from the name server in the node's resolv.conf, else empty."""
    opened = [(_opened(pid, socket.SOCK_DGRAM, 0), _name_server(pid), name) for pid, name in asked]
    return _side_by_side(_resolve, opened)


def _name_server(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/root/etc/resolv.conf").read_text()
    except OSError:
        return ""
    found = re.search(r"^nameserver\s+(\S+)", text, re.MULTILINE)
    return found.group(1) if found else ""


def _resolve(asked: tuple[socket.socket, str, str]) -> str:
    line, server, name = asked
    with line:
        line.settimeout(_SERVICE_WAIT_S)
        try:
            line.connect((server, 53))
            line.send(dns_question(name))
            return dns_answer(line.recv(2048))
        except OSError:
            return ""


def dns_question(name: str) -> bytes:
    """A query for the A record of a name."""
    labels = b"".join(bytes((len(label),)) + label.encode() for label in name.split("."))
    return struct.pack("!6H", 1, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)


def dns_answer(reply: bytes) -> str:
    """The first address in a reply whose only record is an A record, as our servers give it; empty without one."""
    if len(reply) < _DNS_HEADER:
        return ""
    _number, flags, _questions, answers, _, _ = struct.unpack_from("!6H", reply)
    return socket.inet_ntoa(reply[-4:]) if answers and not flags & 0xF else ""


def fetched(asked: list[tuple[int, str, int]]) -> list[str | None]:
    """The page at `/` that each `(pid, address, port)` gets; None where no page comes."""
    return _side_by_side(_fetch, [(_opened(pid, socket.SOCK_STREAM, 0), host, port) for pid, host, port in asked])


def _fetch(asked: tuple[socket.socket, str, int]) -> str | None:
    line, host, port = asked
    with line:
        line.settimeout(_SERVICE_WAIT_S)
        answer = b""
        try:
            line.connect((host, port))
            line.sendall(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
            while piece := line.recv(1 << 16):
                answer += piece
        except OSError:
            return None
    head, _, body = answer.partition(b"\r\n\r\n")
    return body.decode(errors="replace") if b" 200 " in head.split(b"\r\n")[0] else None


def listening(asked: list[tuple[int, str, int]]) -> list[bool]:
    """Whether something listens at each `(pid, protocol, port)`; the protocol is `udp` or `tcp`."""
    # A server that takes both IP versions has one socket, in the table of version 6.
    return [
        any(is_bound(Path(f"/proc/{pid}/net/{table}"), port) for table in (protocol, f"{protocol}6"))
        for pid, protocol, port in asked
    ]


def is_bound(table: Path, port: int) -> bool:
    """Whether a table of sockets, /proc/PID/net/udp or tcp, has one on this port that is connected to nobody."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return False
    return any(local.endswith(f":{port:04X}") and far.endswith(":0000") for _, local, far, *_ in map(str.split, lines))


def held(asked: list[tuple[int]]) -> list[SeenDevices]:
    """The bridges and VXLANs of each `(pid,)`."""
    return [devices(pid) for (pid,) in asked]


def _opened(pid: int, kind: int, protocol: int) -> socket.socket:
    with netlink.inside(pid):
        return socket.socket(socket.AF_INET, kind | socket.SOCK_CLOEXEC, protocol)


def _side_by_side(do: Callable[[Any], Any], work: list[Any]) -> list[Any]:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(do, work))


_QUESTIONS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "show": shown,
    "ping": pinged,
    "resolve": resolved,
    "fetch": fetched,
    "listen": listening,
    "devices": held,
}


def main() -> None:
    """Answer requests until stdin closes."""
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_QUESTIONS[request["ask"]]([tuple(each) for each in request["of"]])), flush=True)


if __name__ == "__main__":
    main()
