"""One TCP connection between two nodes for a while; standard library only.

Runs in the sandbox, beside the nodes. One JSON request on standard input, `client`, `server` (PIDs), `address` and
`duration_s`; one JSON reply on standard output, `received_bytes`, `length_s`, `error`.
"""

import json
import socket
import sys
import threading
import time
from typing import Any

from netopsbench.fabric import netlink

_CONNECT_S = 3.0
_STOP_S = 2.0
_BLOCK = bytes(64 * 1024)


class Sink:
    """Takes in what comes on one connection."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.received = 0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            peer, _ = self._listener.accept()
            with peer:
                peer.settimeout(_CONNECT_S)
                while block := peer.recv(len(_BLOCK)):
                    self.received += len(block)
        except OSError:
            # Nobody came, or the connection broke: what was received by then counts.
            return


def measured(request: dict[str, Any]) -> dict[str, Any]:
    """Send for as long as asked; what arrived at the other end."""
    with netlink.inside(request["server"]):
        listener = socket.create_server(("0.0.0.0", 0))
    with netlink.inside(request["client"]):
        sender = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    with listener, sender:
        listener.settimeout(_CONNECT_S + 1)
        sink = Sink(listener)
        error = None
        started = time.monotonic()
        try:
            sender.settimeout(_CONNECT_S)
            sender.connect((request["address"], listener.getsockname()[1]))
            started = time.monotonic()
            while time.monotonic() - started < request["duration_s"]:
                sender.send(_BLOCK)
        except OSError as failure:
            error = failure.strerror or str(failure)
        length_s = time.monotonic() - started
        sender.close()
        sink.thread.join(_STOP_S)
        return {"received_bytes": sink.received, "length_s": round(length_s, 3), "error": error}


def main() -> None:
    """Work on the one request."""
    print(json.dumps(measured(json.loads(sys.stdin.readline()))), flush=True)


if __name__ == "__main__":
    main()
