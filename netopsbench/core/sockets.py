"""Unix sockets by paths of any length; standard library only."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
    with ExitStack() as undoing:
        peer = undoing.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        peer.settimeout(timeout_s)
        with short_path(path) as name:
            peer.connect(name)
        undoing.pop_all()
    return peer


def listen(path: Path) -> socket.socket:
    """A socket that listens at `path`, open to the user who made it only. Raises OSError."""
    with ExitStack() as undoing:
        listener = undoing.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        path.unlink(missing_ok=True)
        with short_path(path) as name:
            listener.bind(name)
        path.chmod(0o600)
        listener.listen(128)
        undoing.pop_all()
    return listener
