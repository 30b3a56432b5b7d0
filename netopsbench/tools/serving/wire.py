"""Lines of JSON on a unix socket, as the tool server and its clients speak; standard library only."""

import json
import socket
from collections.abc import Iterator
from typing import Any

LONGEST_REQUEST = 1 << 18
"""Bytes of a request; a longer one ends the connection."""
LONGEST_REPLY = 1 << 26

TOOLS_VARIABLE = "NETOPSBENCH_TOOLS"
"""Environment variable in which an agent finds the path of the socket."""


def line_of(message: dict[str, Any]) -> bytes:
    """A message as it is sent. Raises TypeError, RecursionError for what isn't JSON."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def send(peer: socket.socket, message: dict[str, Any]) -> None:
    """Send one line. Raises OSError when the other side is gone."""
    peer.sendall(line_of(message))


def lines(peer: socket.socket, longest: int) -> Iterator[bytes]:
    """The lines that arrive, until the other side closes. Raises OSError, ValueError on a line over `longest`."""
    rest = b""
    while block := peer.recv(1 << 16):
        head, newline, tail = block.partition(b"\n")
        while newline:
            yield rest + head
            rest = b""
            head, newline, tail = tail.partition(b"\n")
        rest += head
        if len(rest) > longest:
            raise ValueError(f"a line of more than {longest} bytes")
