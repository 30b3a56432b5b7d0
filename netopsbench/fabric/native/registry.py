"""The user's running fabrics, found again by name and directory.

One state file per fabric, below `home()`: two users never share one, and neither do two directories.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.core.home import home
from netopsbench.core.locks import try_lock
from netopsbench.core.model import Model
from netopsbench.fabric.native.handle import Handle
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.records.faults import FaultSpec


class Registered(Model):
    """A fabric that outlives the command that started it."""

    name: str
    directory: str
    """Where the command was given; the same name elsewhere is another fabric."""
    started_ns: int
    handle: Handle
    faults: tuple[FaultSpec, ...] = ()
    """Injected by hand and not cleared yet."""


def register(entry: Registered) -> None:
    """Write the state file of a fabric, new or changed."""
    write_atomic(_path(entry.name, entry.directory), entry.model_dump_json())


def forget(entry: Registered) -> None:
    """Remove the state file of a fabric that has ended."""
    _path(entry.name, entry.directory).unlink(missing_ok=True)


def running(directory: str | None = None) -> list[Registered]:
    """The user's running fabrics, or those of one directory; stale state files are left out."""
    return [entry for entry in _entries() if entry.handle.is_running and directory in (None, entry.directory)]


def clean_stale() -> list[Registered]:
    """Remove state files whose fabric is gone (killed, or the machine was restarted); returns what they named."""
    stale = [entry for entry in _entries() if not entry.handle.is_running]
    for entry in stale:
        forget(entry)
    return stale


def find(name: str, directory: str) -> tuple[Registered, NativeFabric]:
    """The running fabric called `name` that was started in `directory`; SpecError naming those that are there."""
    here = running(directory)
    for entry in here:
        if entry.name == name:
            return entry, NativeFabric(entry.handle)
    names = ", ".join(entry.name for entry in here)
    known = f"running here: {names}" if here else f"none runs here; start one: netopsbench fabric up {name}"
    raise SpecError([Problem("fabric", "", name, known)])


@contextmanager
def starting(name: str, directory: str) -> Iterator[None]:
    """Hold the name while a fabric comes up, so that two commands at once don't start it twice.

    Raises SpecError when it runs already or is being started.
    """
    if any(entry.name == name for entry in running(directory)):
        wanted = f"it runs already; end it first: netopsbench fabric down {name}, or choose another --name"
        raise SpecError([Problem("fabric", "", name, wanted)])
    with _locked(name, directory, "another command is starting it; wait for that one, or choose another --name"):
        yield


@contextmanager
def changing(name: str, directory: str) -> Iterator[tuple[Registered, NativeFabric]]:
    """The running fabric called `name`, with the only right to change its faults for the block.

    Raises SpecError when there is none, or another command is at it.
    """
    find(name, directory)
    with _locked(name, directory, "another command is changing it; wait for that one"):
        # Read again: whoever held the lock before may have changed the state file.
        yield find(name, directory)


@contextmanager
def _locked(name: str, directory: str, wanted: str) -> Iterator[None]:
    path = _path(name, directory).with_suffix(".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with path.open("w") as lock:
            if not try_lock(lock):
                raise SpecError([Problem("fabric", "", name, wanted)])
            if not _is_at(path, lock.fileno()):
                # Whoever held it has removed it between our two steps: what we hold keeps nobody out.
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def _is_at(path: Path, open_file: int) -> bool:
    """Whether an open file still is the one at `path`."""
    try:
        return path.stat().st_ino == os.fstat(open_file).st_ino
    except FileNotFoundError:
        return False


def _folder() -> Path:
    return home() / "fabrics"


def _path(name: str, directory: str) -> Path:
    return _folder() / f"{name}-{hashlib.sha256(directory.encode()).hexdigest()[:10]}.json"


def _entries() -> list[Registered]:
    found = []
    for path in sorted(_folder().glob("*.json")):
        try:
            found.append(Registered.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            # Written by another version, or removed meanwhile: without a readable handle there is nothing to end.
            continue
    return found
