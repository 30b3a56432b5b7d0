"""What a running fabric takes of its machine."""

import os
from pathlib import Path

from netopsbench.fabric.native.handle import Handle

KEEPER = "(keeper)"
"""Name under which what belongs to no node is counted."""


def memory_mib(handle: Handle) -> dict[str, float]:
    """Memory of each node in MiB, and of the sandbox's own processes under `KEEPER`.

    Proportional set size: pages that processes share are divided between them, so that the sum is what is taken.
    """
    node_of = {_pid_namespace(pids.outer): name for name, pids in handle.nodes.items()}
    node_of[_pid_namespace(handle.keeper)] = KEEPER
    used = dict.fromkeys((*handle.nodes, KEEPER), 0.0)
    for process in Path("/proc").glob("[0-9]*"):
        name = node_of.get(_pid_namespace(int(process.name)))
        if name is not None:
            used[name] += _proportional_kib(process) / 1024
    return used


def cpu_s(handle: Handle) -> dict[str, float]:
    """CPU seconds that the sandbox's processes have used, by program; `start`: of daemons until they detached."""
    ours = {_pid_namespace(pids.outer) for pids in handle.nodes.values()} | {_pid_namespace(handle.keeper)}
    tick = os.sysconf("SC_CLK_TCK")
    used: dict[str, float] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if _pid_namespace(int(process.name)) not in ours:
                continue
            name, _, rest = (process / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        used[name] = used.get(name, 0.0) + (int(fields[11]) + int(fields[12])) / tick
        if name == "sh":
            used["start"] = used.get("start", 0.0) + (int(fields[13]) + int(fields[14])) / tick
    return used


def _pid_namespace(pid: int) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return f"gone {pid}"


def _proportional_kib(process: Path) -> int:
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
