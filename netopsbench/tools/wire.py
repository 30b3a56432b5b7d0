"""Lines of JSON on a unix socket, as the tool server and its clients speak; standard library only."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LONGEST_REQUEST = 1 << 18
"""Bytes of a request; a longer one ends the connection."""
LONGEST_REPLY = 1 << 26

TOOLS_VARIABLE = "NETOPSBENCH_TOOLS"
"""Environment variable in which an agent finds the path of the socket."""


def connect(path: Path, timeout_s: float) -> socket.socket:
    """A socket connected to the one that listens at `path`. Raises OSError."""
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        peer.settimeout(timeout_s)
        with _short(path) as name:
            peer.connect(name)
    except BaseException:
        peer.close()
        raise
    return peer


def listen(path: Path) -> socket.socket:
    """A socket that listens at `path`, for its owner only. Raises OSError."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        with _short(path) as name:
            listener.bind(name)
        path.chmod(0o600)
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def send(peer: socket.socket, message: dict[str, Any]) -> None:
    """Send one line. Raises OSError when the other side is gone."""
    peer.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")


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


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Another name of `path` that fits into a socket address (108 bytes), however deep the folder lies."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
