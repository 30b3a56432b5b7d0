"""Sockets in the network namespaces of nodes; standard library only."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def inside(netns: str) -> Iterator[None]:
    """The calling thread is in the network namespace of the file `netns` for the block; sockets made there stay there.

    Raises OSError. os.setns exists from Python 3.12 on only.
    """
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        target = os.open(netns, os.O_RDONLY)
        try:
            _setns(target, netns)
        finally:
            os.close(target)
        try:
            yield
        finally:
            _setns(home, "its own network namespace")
    finally:
        os.close(home)


def _setns(namespace: int, name: str) -> None:
    if _libc.setns(namespace, CLONE_NEWNET):
        code = ctypes.get_errno()
        raise OSError(code, f"can't enter {name}: {os.strerror(code)}")


def die_with_parent(parent: int, signal_number: int) -> None:
    """Ask the kernel to send this process `signal_number` when its parent, the process `parent`, ends.

    Right only for a parent with a single thread: the kernel watches the thread that forked.
    """
    _libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(0)
