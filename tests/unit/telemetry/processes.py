"""Finding the processes that a test has started."""

import os
import time
from pathlib import Path


def descendant(module: str, of: int | None = None) -> int:
    """PID of the process below `of` (this one) that runs `module`, the eldest when it has forked."""
    generation = [of or os.getpid()]
    while generation:
        children = [
            int(child)
            for pid in generation
            for file in Path(f"/proc/{pid}/task").glob("*/children")
            for child in file.read_text().split()
        ]
        for child in children:
            words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
            if module in words and words[0] != "nsenter":
                return child
        generation = children
    raise AssertionError(f"no process runs {module}")


def is_gone(pid: int, within_s: float) -> bool:
    """Whether a process ended in time; a zombie has ended."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def parent_of(pid: int) -> int:
    """PID of a process' parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
