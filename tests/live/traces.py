"""What fabrics leave on a machine, seen from outside: to be compared before and after."""

import contextlib
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def marked() -> Iterator[str]:
    """Mark this process and all that it starts, so that other fabrics on the machine don't confuse a test.

    The mark is an OOM score adjustment of its own, which every descendant inherits, also one that has lost its parent.
    """
    own = Path("/proc/self/oom_score_adj")
    before, mark = own.read_text(), str(random.randint(100, 900))
    own.write_text(mark)
    try:
        yield mark
    finally:
        # An ordinary user may raise the value and not lower it again.
        with contextlib.suppress(PermissionError):
            own.write_text(before)


def of_fabrics(mark: str = "") -> dict[str, list[str]]:
    """Marked processes other than this one, host links, host mounts, and namespaces that this process holds open."""
    return {"processes": _processes(mark), "links": _links(), "mounts": _mounts(), "held": _held()}


def _processes(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if int(process.name) != os.getpid() and (process / "oom_score_adj").read_text().strip() == mark:
                found.append(f"{process.name} {(process / 'comm').read_text().strip()}")
        except OSError:
            continue
    return sorted(found)


def _links() -> list[str]:
    return sorted(path.name for path in Path("/sys/class/net").iterdir())


def _mounts() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return sorted(line.split(" - ")[0].split(maxsplit=3)[-1] for line in lines)


def _held() -> list[str]:
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(descriptor.readlink()))
    return sorted(target for target in found if target.startswith(("net:", "mnt:", "pid:", "user:")))
