"""Asks with ARP who is at the other ends of a node's ports; standard library only.

Runs beside the nodes, started by `get_link_neighbors`. One JSON request on stdin, one JSON reply on stdout.
"""

import contextlib
import ctypes
import json
import select
import socket
import struct
import sys
import time
from typing import Any

from netopsbench.fabric import netlink

_ETH_P_ALL, _ETH_P_ARP, _REQUEST, _REPLY = 0x0003, 0x0806, 1, 2
_SO_ATTACH_FILTER = 26
_FRAME = struct.Struct("!6s6sH HHBBH 6s4s6s4s")
_TRIES = 2
_KEEP_ARP = b"".join(
    struct.pack("=HBBI", *step)
    for step in ((0x28, 0, 0, 12), (0x15, 0, 1, _ETH_P_ARP), (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0))
)
"""Load the frame's type; unless it is ARP, skip what keeps the frame."""
_KEPT = ctypes.create_string_buffer(_KEEP_ARP, len(_KEEP_ARP))
_ARP_ALONE = struct.pack("HL", 4, ctypes.addressof(_KEPT))


class Question:
    """One port and the address that is looked for behind it; `key` is what the answer is told under."""

    def __init__(self, key: str, name: str, own: str, wanted: str) -> None:
        self.key = key
        self._own, self._wanted = socket.inet_aton(own), socket.inet_aton(wanted)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, _ARP_ALONE)
        # A port that was removed from the node has nobody behind it. In a bridge a port's frames are seen before the
        # bridge takes them by those alone who ask for all protocols.
        with contextlib.suppress(OSError):
            self.socket.bind((name, _ETH_P_ALL))

    def ask(self) -> None:
        """Send one request; nothing leaves a port that is down."""
        with contextlib.suppress(OSError):
            mac = self.socket.getsockname()[4]
            body = (1, 0x0800, 6, 4, _REQUEST, mac, self._own, bytes(6), self._wanted)
            self.socket.send(_FRAME.pack(b"\xff" * 6, mac, _ETH_P_ARP, *body))

    def answer(self) -> str | None:
        """The hardware address of who said that the wanted address is theirs."""
        with contextlib.suppress(OSError):
            while True:
                frame = self.socket.recv(128)
                if len(frame) < _FRAME.size:
                    continue
                *_, kind, mac, sender, _, _ = _FRAME.unpack_from(frame)
                if kind == _REPLY and sender == self._wanted:
                    return str(mac.hex(":"))
        return None


def find(request: dict[str, Any]) -> dict[str, str]:
    """Hardware address by key, for the questions that somebody answered."""
    with netlink.inside(request["pid"]):
        questions = [Question(*asked) for asked in request["ports"]]
    found: dict[str, str] = {}
    for _ in range(_TRIES):
        waiting = {each.socket.fileno(): each for each in questions if each.key not in found}
        for each in waiting.values():
            each.ask()
        deadline = time.monotonic() + request["wait_s"]
        while waiting and (left_s := deadline - time.monotonic()) > 0:
            for handle in select.select(list(waiting), [], [], left_s)[0]:
                answer = waiting[handle].answer()
                if answer is not None:
                    found[waiting.pop(handle).key] = answer
    return found


def main() -> None:
    """Work on the one request."""
    print(json.dumps(find(json.loads(sys.stdin.readline()))), flush=True)


if __name__ == "__main__":
    main()
