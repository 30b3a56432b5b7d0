"""Processes that live beside the cables as long as a fault; standard library only.

They are started and ended by commands that don't stay themselves, so each is written down by PID and start time in a
folder of the sandbox that no node sees. All of them end with the fabric, whose PID namespace they are in.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path("/run/w")
"""In a tmpfs of the sandbox."""
READY = b"ready\n"
"""What a process says on its stdout once it does its work."""


class KeepError(Exception):
    """A process that didn't start, or doesn't end."""


def start(name: str, argv: Sequence[str]) -> None:
    """Start a process, unless it runs already, and wait until it is ready.

    Raises KeepError with what it said when it ends instead.
    """
    if is_running(name):
        return
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    if process.stdout.readline() != READY:
        raise KeepError(process.stderr.read().decode(errors="replace").strip() or f"{name} ended at its start")
    FOLDER.mkdir(exist_ok=True)
    note(name).write_text(json.dumps([process.pid, _start_time(process.pid)]))


def end(name: str, deadline_s: float) -> None:
    """Ask a process to end and wait until it has; one that is gone is no mistake.

    Raises KeepError at the deadline, when it has been killed.
    """
    found = _written(name)
    if found is not None:
        pid, started = found
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        give_up = time.monotonic() + deadline_s
        while _start_time(pid) == started:
            if time.monotonic() > give_up:
                os.kill(pid, signal.SIGKILL)
                raise KeepError(f"{name} did not end in {deadline_s:g} s")
            time.sleep(0.01)
    note(name).unlink(missing_ok=True)


def is_running(name: str) -> bool:
    """Whether the process that was written down under this name is still there."""
    return _written(name) is not None


def note(name: str) -> Path:
    """Where a process is written down."""
    return FOLDER / f"{name}.pid"


def _written(name: str) -> tuple[int, int] | None:
    try:
        pid, started = json.loads(note(name).read_text())
    except (FileNotFoundError, ValueError):
        return None
    return (pid, started) if _start_time(pid) == started else None


def _start_time(pid: int) -> int | None:
    """In clock ticks since boot: a PID alone may have been given to another process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else int(fields[19])
