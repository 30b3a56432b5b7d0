"""Asks the kernels of a running fabric which way packets of a 5-tuple go; standard library only.

Runs in the sandbox, started by `netopsbench.fabric.flows`. The first line on stdin describes the fabric, every other
one holds flows; one JSON reply a line on stdout. Flows move through the fabric in step, so that each switch is asked
for many of them with one system call.
"""

import json
import socket
import struct
import sys
from collections.abc import Iterator
from typing import TypedDict

from netopsbench.fabric import netlink

_HEADER = struct.Struct("=IHHII")
_QUERY = struct.Struct("=IHHII BBBBBBBBI HHI HHI HHI HHBxxx HHHxx HHHxx")
"""Header, rtmsg, then destination, source, incoming interface, protocol, source port, destination port."""
_RTA_SRC, _RTA_IIF, _RTA_IP_PROTO, _RTA_SPORT, _RTA_DPORT = 2, 3, 27, 28, 29
_AT_ONCE = 64
"""Requests in one datagram: their replies have to fit the receive buffer."""
_MOST_HOPS = 16


class Layout(TypedDict):
    """What the tracer must know of a fabric."""

    pids: dict[str, int]
    """Switch to the PID of its first process."""
    peers: dict[str, list[str]]
    """`node:port` to node and port at the other end of the link."""
    lans: dict[str, dict[str, list[str]]]
    """`node:port` on a LAN to node and port of everybody else there, by address."""
    attached: dict[str, str]
    """Client address to the `node:port` of its own port."""
    gateways: dict[str, str]
    """Client address to that of its gateway."""


Flow = tuple[str, str, int, int, int]
"""Source address, destination address, IP protocol, source port, destination port."""


Way = tuple[str, str]
"""Outgoing port, and the next hop's address where it isn't the destination itself."""


class _Switch:
    """A switch's routing table, open for questions."""

    def __init__(self, pid: int) -> None:
        with netlink.inside(pid):
            self.kernel = netlink.Netlink()
            found = netlink.links(self.kernel)
        self.index = {link.name: link.index for link in found}
        self.name = {link.index: link.name for link in found}

    def egress(self, questions: list[tuple[Flow, str]]) -> list[Way | None]:
        """The way of each flow that came in by the named port; None when the kernel has none for it."""
        answers: list[Way | None] = []
        line = self.kernel.socket
        for start in range(0, len(questions), _AT_ONCE):
            part = questions[start : start + _AT_ONCE]
            line.send(b"".join(self._query(flow, port) for flow, port in part))
            answers += [self._answer(line.recv(4096)) for _ in part]
        return answers

    def _query(self, flow: Flow, port: str) -> bytes:
        source, destination, protocol, source_port, destination_port = flow
        # Forwarded packets need source and incoming interface; without them the kernel answers for its own ones.
        return _QUERY.pack(
            _QUERY.size, netlink.RTM_GETROUTE, netlink.NLM_F_REQUEST, 0, 0,
            socket.AF_INET, 32, 32, 0, 0, 0, 0, 0, 0,
            8, netlink.RTA_DST, _number(destination), 8, _RTA_SRC, _number(source), 8, _RTA_IIF, self.index[port],
            5, _RTA_IP_PROTO, protocol, 6, _RTA_SPORT, socket.htons(source_port),
            6, _RTA_DPORT, socket.htons(destination_port),
        )  # fmt: skip

    def _answer(self, reply: bytes) -> Way | None:
        if _HEADER.unpack_from(reply)[1] == netlink.NLMSG_ERROR:
            return None
        found = netlink.attributes(reply[28:])
        name = self.name.get(struct.unpack("=i", found[netlink.RTA_OIF])[0]) if netlink.RTA_OIF in found else None
        gateway = found.get(netlink.RTA_GATEWAY)
        return None if name is None else (name, "" if gateway is None else socket.inet_ntoa(gateway))


class Tracer:
    """Follows flows from client to client."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._switches = {name: _Switch(pid) for name, pid in layout["pids"].items()}

    def trace(self, flows: list[Flow]) -> list[list[str]]:
        """Outgoing ports `node:port` of each flow, the source client's first.

        A path that ends before the destination client's port was lost at the switch behind its last port.
        """
        paths: list[list[str]] = [[] for _ in flows]
        sent = {number: self._first(flow) for number, flow in enumerate(flows)}
        for _ in range(_MOST_HOPS + 1):
            waiting: dict[str, list[tuple[int, str]]] = {}
            for number, (port, next_hop) in sent.items():
                receiver = self._receiver(port, next_hop)
                if receiver is None:
                    continue
                node, arrived_at = receiver
                paths[number].append(f"{port}>{node}:{arrived_at}" if port in self._layout["lans"] else port)
                if node in self._switches:
                    waiting.setdefault(node, []).append((number, arrived_at))
            if not waiting:
                break
            sent = dict(self._forwarded(waiting, flows))
        return paths

    def _first(self, flow: Flow) -> Way:
        """How a client sends: on a LAN to the destination itself where that is there, else to its gateway."""
        port = self._layout["attached"][flow[0]]
        is_near = flow[1] in self._layout["lans"].get(port, ())
        return port, flow[1] if is_near else self._layout["gateways"].get(flow[0], "")

    def _receiver(self, port: str, next_hop: str) -> list[str] | None:
        """The node and port behind a cable, or on a LAN those with the next hop's address; None when nobody is."""
        if port in self._layout["lans"]:
            return self._layout["lans"][port].get(next_hop)
        return self._layout["peers"].get(port)

    def _forwarded(self, waiting: dict[str, list[tuple[int, str]]], flows: list[Flow]) -> Iterator[tuple[int, Way]]:
        """What the switches do with the flows that wait there; those that they have no way for end."""
        for node, arrived in waiting.items():
            answers = self._switches[node].egress([(flows[number], port) for number, port in arrived])
            for (number, _), way in zip(arrived, answers, strict=True):
                if way is not None:
                    yield number, (f"{node}:{way[0]}", way[1] or flows[number][1])


def _number(address: str) -> int:
    return int(struct.unpack("=I", socket.inet_aton(address))[0])


def main() -> None:
    """Answer until stdin closes."""
    tracer = Tracer(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        print(json.dumps(tracer.trace(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
