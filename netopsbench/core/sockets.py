"""Unix sockets by paths of any length; standard library only."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """Another name of `path` that fits into a socket address (108 bytes), however deep the folder lies."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def connect(path: Path, timeout_s: float) -> socket.socket:
    """A socket connected to the one that listens at `path`. Raises OSError."""
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        peer.settimeout(timeout_s)
        with short_path(path) as name:
            peer.connect(name)
    except BaseException:
        peer.close()
        raise
    return peer


def listen(path: Path) -> socket.socket:
    """A socket that listens at `path`, open to the user who made it only. Raises OSError."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        with short_path(path) as name:
            listener.bind(name)
        path.chmod(0o600)
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener
