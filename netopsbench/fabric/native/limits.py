"""What the kernel, the session and the container grant to processes of this user."""

import os
import shutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

GIB = 1024**3
_NAMESPACE_KINDS = ("user", "net", "mnt", "pid", "uts", "ipc")
_UNLIMITED = 2**31


@dataclass(frozen=True)
class Limits:
    """Figures of one machine at one moment."""

    memory_gib: float
    """Available now, within the container's limit."""
    cores: float
    """Usable by this process: affinity, and the container's share."""
    disk_gib: float
    """Free for this user where software and results go."""
    namespaces: int
    """The smallest of the kernel's limits for the kinds of namespaces a fabric needs."""
    processes: int
    """The smallest of the limits for processes and threads of this user."""
    open_files: int
    """Descriptors that one process may open after raising its own limit."""
    inotify_instances: int
    neighbours: int | None
    """gc_thresh3 of the kernel; None where only the initial network namespace shows it."""


def read_limits(folder: Path, proc: Path = Path("/proc"), cgroup: Path = Path("/sys/fs/cgroup")) -> Limits:
    """Read them all; `folder` is where software and results go."""
    group = _own_cgroup(proc, cgroup)
    neighbours = _number(proc / "sys/net/ipv4/neigh/default/gc_thresh3", 0)
    return Limits(
        memory_gib=min(_available(proc), _memory_left(group)) / GIB,
        cores=min(len(os.sched_getaffinity(0)), _cpu_share(group)),
        disk_gib=shutil.disk_usage(folder).free / GIB,
        namespaces=min(_number(proc / f"sys/user/max_{kind}_namespaces", 0) for kind in _NAMESPACE_KINDS),
        processes=min(
            _number(proc / "sys/kernel/pid_max", _UNLIMITED),
            _number(proc / "sys/kernel/threads-max", _UNLIMITED),
            _number(group / "pids.max", _UNLIMITED),
            _hard("RLIMIT_NPROC") if os.geteuid() else _UNLIMITED,
        ),
        open_files=min(_hard("RLIMIT_NOFILE"), _number(proc / "sys/fs/nr_open", _UNLIMITED)),
        inotify_instances=_number(proc / "sys/fs/inotify/max_user_instances", 0),
        neighbours=neighbours or None,
    )


def _own_cgroup(proc: Path, cgroup: Path) -> Path:
    try:
        lines = (proc / "self/cgroup").read_text().splitlines()
    except OSError:
        return cgroup
    own = next((line[3:] for line in lines if line.startswith("0::")), "/")
    return cgroup / own.lstrip("/")


def _available(proc: Path) -> float:
    for line in (proc / "meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _memory_left(group: Path) -> float:
    limit = _number(group / "memory.max", 0)
    return max(0, limit - _number(group / "memory.current", 0)) if limit else float("inf")


def _cpu_share(group: Path) -> float:
    try:
        quota, period = (group / "cpu.max").read_text().split()
    except (OSError, ValueError):
        return float("inf")
    return float("inf") if quota == "max" else int(quota) / int(period)


def _number(path: Path, otherwise: int) -> int:
    """The number in a file; `otherwise` when there is no such file or it says `max`."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return otherwise


def _hard(limit: str) -> int:
    # Windows has no such module, and commands that need no fabric load this one there too.
    resource = import_module("resource")
    hard = int(resource.getrlimit(getattr(resource, limit))[1])
    return _UNLIMITED if hard == resource.RLIM_INFINITY else hard
