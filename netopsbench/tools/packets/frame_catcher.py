"""Catches a few seconds of frames on one port of a node; standard library only.

Runs beside the nodes, started by `capture_summary`. One JSON request on stdin, one JSON reply on stdout.
"""

import base64
import json
import select
import socket
import sys
import time
from typing import Any

from netopsbench.fabric import netlink

_ETH_P_ALL = 3
_RECEIVE_BUFFER = 4 << 20
_SNAPPED = 192
"""Bytes kept of each frame: all headers, and the beginning of what they carry."""


def catch(request: dict[str, Any]) -> dict[str, Any]:
    """Number of frames, and the first of them: direction, length on the wire, and its beginning."""
    with netlink.inside(request["pid"]):
        # Opened for no protocol, so that nothing of other ports comes in before it is bound.
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    opened.bind((request["interface"], _ETH_P_ALL))
    seen = 0
    kept: list[tuple[bool, int, str]] = []
    deadline = time.monotonic() + request["seconds"]
    while (left_s := deadline - time.monotonic()) > 0:
        if not select.select([opened], [], [], left_s)[0]:
            break
        frame = bytearray(_SNAPPED)
        length, _, _, address = opened.recvmsg_into([frame], 0, socket.MSG_TRUNC)
        seen += 1
        if len(kept) < request["most"]:
            is_outgoing = address[2] == socket.PACKET_OUTGOING
            kept.append((is_outgoing, length, base64.b64encode(frame[:length]).decode()))
    return {"seen": seen, "frames": kept}


def main() -> None:
    """Work on the one request."""
    try:
        reply = catch(json.loads(sys.stdin.readline()))
    except OSError as failure:
        reply = {"error": failure.strerror}
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
