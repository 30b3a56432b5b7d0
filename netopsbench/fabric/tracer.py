"""Asks the kernels of a running fabric which way packets of a 5-tuple go; standard library only.

Runs in the sandbox, started by `netopsbench.fabric.flows`. The first line on stdin describes the fabric, every other
one holds flows; one JSON reply a line on stdout. Flows move through the fabric in step, so that each switch is asked
for many of them with one system call.
"""

import json
import socket
import struct
import sys
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
    attached: dict[str, str]
    """Client address to the `node:port` of its own port."""


Flow = tuple[str, str, int, int, int]
"""Source address, destination address, IP protocol, source port, destination port."""


class _Switch:
    """A switch's routing table, open for questions."""

    def __init__(self, pid: int) -> None:
        with netlink.inside(pid):
            self.kernel = netlink.Netlink()
            found = netlink.links(self.kernel)
        self.index = {link.name: link.index for link in found}
        self.name = {link.index: link.name for link in found}

    def egress(self, questions: list[tuple[Flow, str]]) -> list[str | None]:
        """Outgoing port of each flow that came in by the named port; None when the kernel has no way for it."""
        answers: list[str | None] = []
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

    def _answer(self, reply: bytes) -> str | None:
        if _HEADER.unpack_from(reply)[1] == netlink.NLMSG_ERROR:
            return None
        found = netlink.attributes(reply[28:])
        return self.name.get(struct.unpack("=i", found[netlink.RTA_OIF])[0]) if netlink.RTA_OIF in found else None


class Tracer:
    """Follows flows from client to client."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._switches = {name: _Switch(pid) for name, pid in layout["pids"].items()}

    def trace(self, flows: list[Flow]) -> list[list[str]]:
        """Outgoing ports `node:port` of each flow, the source client's first.

        A path that ends before the destination client's port was lost at the switch behind its last port.
        """
        paths = [[self._layout["attached"][flow[0]]] for flow in flows]
        moving = list(range(len(flows)))
        for _ in range(_MOST_HOPS):
            waiting: dict[str, list[tuple[int, str]]] = {}
            for number in moving:
                node, port = self._layout["peers"][paths[number][-1]]
                if node in self._switches:
                    waiting.setdefault(node, []).append((number, port))
            if not waiting:
                break
            moving = []
            for node, arrived in waiting.items():
                answers = self._switches[node].egress([(flows[number], port) for number, port in arrived])
                for (number, _), egress in zip(arrived, answers, strict=True):
                    if egress is not None and f"{node}:{egress}" in self._layout["peers"]:
                        paths[number].append(f"{node}:{egress}")
                        moving.append(number)
        return paths


def _number(address: str) -> int:
    return int(struct.unpack("=I", socket.inet_aton(address))[0])


def main() -> None:
    """Answer until stdin closes."""
    tracer = Tracer(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        print(json.dumps(tracer.trace(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
