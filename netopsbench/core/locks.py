"""Locks that processes hold on files; they end with the process, however that ends."""

from importlib import import_module
from types import ModuleType
from typing import IO, Any


def _flock() -> ModuleType | None:
    # Windows has no such module, and commands that need no fabric work there.
    try:
        return import_module("fcntl")
    except ImportError:
        return None


def try_lock(file: IO[Any]) -> bool:
    """Take the only lock on an open file until it is closed; False when another process holds it.

    Where the system has no such locks nobody is kept out.
    """
    flock = _flock()
    if flock is None:
        return True
    try:
        flock.flock(file, flock.LOCK_EX | flock.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_lock(file: IO[Any]) -> None:
    """Take the only lock on an open file, however long that takes."""
    flock = _flock()
    if flock is not None:
        flock.flock(file, flock.LOCK_EX)
