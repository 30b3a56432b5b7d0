"""What a machine looks like from outside: to be compared before and after."""

import subprocess
from pathlib import Path


def of_fabrics() -> dict[str, list[str]]:
    """Processes of fabrics, host links, host mounts and namespaces, as sorted lists."""
    return {"processes": _processes(), "links": _links(), "mounts": _mounts(), "namespaces": _namespaces()}


def _processes() -> list[str]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = stat.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if any(mark in words for mark in ("native.keeper", "/usr/lib/frr/", "bwrap ", "netopsbench.fabric.observer")):
            found.append(f"{stat.parent.name} {words[:80]}")
    return sorted(found)


def _links() -> list[str]:
    return sorted(path.name for path in Path("/sys/class/net").iterdir())


def _mounts() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return sorted(line.split(" - ")[0].split(maxsplit=3)[-1] for line in lines)


def _namespaces() -> list[str]:
    listed = subprocess.run(
        ["lsns", "--noheadings", "--type", "net", "--output", "NS,COMMAND"], capture_output=True, text=True, check=False
    )
    return sorted(line for line in listed.stdout.splitlines() if "bwrap" in line or "keeper" in line or "sh -c" in line)
