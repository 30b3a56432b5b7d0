"""A running fabric as data: enough to find it again, and to know when it is gone."""

from pathlib import Path

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan

_EXITING = 0x4
"""PF_EXITING of the kernel's include/linux/sched.h."""


class NodePids(Model):
    """A node's first process, as two PID namespaces number it."""

    inner: int
    """In the sandbox, for processes beside the nodes."""
    outer: int
    """In the caller's namespace, for nsenter."""


class Handle(Model):
    """What one needs to reach into a running fabric."""

    plan: FabricPlan
    keeper: int
    """PID of the sandbox's first process."""
    keeper_start: int
    """Its start time in clock ticks since boot: a PID alone may have been given to another process."""
    has_user_namespace: bool
    nodes: dict[str, NodePids]
    versions: dict[str, str]
    """`frr`, and what else was started."""

    @property
    def is_running(self) -> bool:
        return start_time(self.keeper) == self.keeper_start and not _is_ending(self.keeper)


def start_time(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot; None when there is no such process, or it is a zombie."""
    fields = _stat(pid)
    return int(fields[19]) if fields and fields[0] not in "ZX" else None


def _is_ending(pid: int) -> bool:
    """Whether a process was killed, but isn't gone: one that is first in its namespace waits for all the others."""
    fields = _stat(pid)
    return not fields or bool(int(fields[6]) & _EXITING)


def _stat(pid: int) -> list[str]:
    """What the kernel says of a process, from its state on; empty when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return []
    return text[text.rindex(")") + 2 :].split()


def outer_pids(keeper: int, inner: set[int]) -> dict[int, int]:
    """Outer PID of each process of the keeper's PID namespace, by its PID in there."""
    found: dict[int, int] = {}
    namespace = Path(f"/proc/{keeper}/ns/pid_for_children").readlink()
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            line = next(line for line in status.read_text().splitlines() if line.startswith("NSpid:"))
        except (OSError, StopIteration):
            continue
        pids = [int(word) for word in line.split()[1:]]
        # A node's first process is number 1 in its own namespace, one level below the keeper's.
        if len(pids) < 3 or pids[-1] != 1 or pids[-2] not in inner:
            continue
        if _is_below(pids[0], namespace):
            found[pids[-2]] = pids[0]
    return found


def _is_below(pid: int, namespace: Path) -> bool:
    """Whether a process' parent lives in the PID namespace `namespace` (its own is one level deeper)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        parent = int(text[text.rindex(")") + 2 :].split()[1])
        return Path(f"/proc/{parent}/ns/pid").readlink() == namespace
    except (OSError, ValueError):
        return False
