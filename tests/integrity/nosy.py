"""An agent that reads everything it can reach and reports which of some secrets it met; standard library only.

The secrets travel encoded, so that the program doesn't find what it was given itself. It answers with `inconclusive`
and, in `metadata`, `leaks` (where, which secret) and counts of what it read, which show that it really looked.
"""

import base64
import contextlib
import json
import os
import socket
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 18
UNREADABLE = {"kcore", "kmsg", "kpagecount", "kpagecgroup", "kpageflags", "sysrq-trigger", "acpi", "kallsyms"}
OF_A_PROCESS = ("cmdline", "environ", "mountinfo", "mounts", "maps", "comm", "status", "cgroup", "limits", "sched")


def nosy_program(secrets: Sequence[str], public: Sequence[str] = ()) -> list[str]:
    """The command line of the agent; `public` words may stand in the question, in tool results and in the package's
    own source, as names of devices and faults do, but nowhere else.
    """
    words = base64.b64encode(json.dumps([list(secrets), list(public)]).encode()).decode()
    return [sys.executable, "-c", Path(__file__).read_text(encoding="utf-8"), words]


def leaks_of(answer: dict[str, Any]) -> list[list[str]]:
    """`[where, secret]` of every leak in the agent's answer. Raises AssertionError when it hardly looked."""
    seen = answer["metadata"]
    assert seen["files"] > 100, f"the agent read only {seen['files']} files"
    assert seen["processes"] > 0, "the agent saw no process, not even itself"
    leaks: list[list[str]] = seen["leaks"]
    return leaks


class Nose:
    """Looks for secrets in what it is shown."""

    def __init__(self, secrets: Sequence[str], public: Sequence[str]) -> None:
        self.secrets = [secret.encode() for secret in secrets]
        self.public = [word.encode() for word in public]
        self.leaks: list[list[str]] = []
        self.seen = {"files": 0, "processes": 0, "tools": 0}

    def sniff(self, where: str, smell: bytes, *, is_public_place: bool = False) -> None:
        for secret in self.secrets if is_public_place else (*self.secrets, *self.public):
            if secret in smell and len(self.leaks) < 50:
                self.leaks.append([where, secret.decode()])

    def read(self, path: str) -> None:
        try:
            with open(path, "rb", buffering=0, opener=_without_waiting) as file:
                smell = file.read(MOST_BYTES) or b""
        except (OSError, ValueError):
            return
        self.seen["files"] += 1
        self.sniff(path, smell, is_public_place=path == "/dev/stdin" or "/netopsbench/" in path)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def files() -> Iterator[str]:
    """Every file and folder outside /usr, /proc and the interpreter's own packages."""
    skipped = {"/usr", "/proc", sys.prefix, sys.base_prefix}
    for folder, names, found in os.walk("/", onerror=lambda _: None):
        names[:] = [name for name in names if os.path.join(folder, name) not in skipped]  # noqa: PTH118
        yield from (os.path.join(folder, name) for name in (*names, *found))  # noqa: PTH118


def smell_files(nose: Nose) -> None:
    for path in files():
        nose.sniff(f"the name {path}", path.encode(errors="replace"))
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
                nose.read(path)


def smell_processes(nose: Nose) -> None:
    for process in [name for name in os.listdir("/proc") if name.isdigit()] + ["self"]:  # noqa: PTH208
        nose.seen["processes"] += 1
        for name in OF_A_PROCESS:
            # The maps and memory of this very process hold the secrets decoded, its other files don't.
            nose.read(f"/proc/{process}/{name}")
        for name in ("cwd", "exe", "root"):
            smell_link(nose, f"/proc/{process}/{name}")
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{process}/fd"):  # noqa: PTH208
                smell_link(nose, f"/proc/{process}/fd/{number}")
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{process}/root"):  # noqa: PTH208
                nose.sniff(f"/proc/{process}/root", name.encode(errors="replace"))


def smell_link(nose: Nose, path: str) -> None:
    with contextlib.suppress(OSError):
        nose.sniff(path, os.readlink(path).encode(errors="replace"))  # noqa: PTH115


def smell_kernel(nose: Nose) -> None:
    for folder, names, found in os.walk("/proc", onerror=lambda _: None):
        if folder == "/proc":
            names[:] = [name for name in names if not name.isdigit() and name not in {"self", "thread-self"}]
        for name in found:
            if name not in UNREADABLE and not name.startswith("trace"):
                nose.read(os.path.join(folder, name))  # noqa: PTH118


def smell_environment(nose: Nose) -> None:
    for name, value in os.environ.items():
        nose.sniff(f"variable {name}", f"{name}={value}".encode(errors="replace"))
    nose.sniff("host name", socket.gethostname().encode())
    nose.sniff("working directory", os.getcwd().encode())  # noqa: PTH109


def smell_question(nose: Nose) -> None:
    nose.sniff("question", sys.stdin.buffer.read(), is_public_place=True)


def smell_tools(nose: Nose) -> None:
    """What the tools say, of themselves and of every device, and how they refuse."""
    from netopsbench.core.errors import ToolError
    from netopsbench.tools.client import ToolClient

    tools = ToolClient()

    def say(where: str, shown: object) -> None:
        nose.seen["tools"] += 1
        nose.sniff(where, json.dumps(shown).encode(), is_public_place=True)

    say("tool list", tools.list_tools())
    wanted: list[tuple[str, dict[str, Any]]] = [
        ("get_topology", {}),
        ("get_pingmesh_summary", {}),
        ("no_such_tool", {}),
    ]
    with contextlib.suppress(ToolError):
        for node in tools.call("get_topology")["nodes"]:
            wanted += [(name, {"device": node["name"]}) for name in ("get_device_interfaces", "get_route_table")]
            wanted.append(("get_bgp_neighbors", {"device": node["name"]}))
    for name, arguments in (*wanted, ("get_route_table", {"device": "nowhere"}), ("get_topology", {"limit": "many"})):
        try:
            say(name, tools.call(name, **arguments))
        except ToolError as refused:
            say(name, str(refused))


def main() -> None:
    nose = Nose(*json.loads(base64.b64decode(sys.argv[1])))
    smell_question(nose)
    smell_environment(nose)
    smell_processes(nose)
    smell_kernel(nose)
    smell_files(nose)
    if os.environ.get("NETOPSBENCH_TOOLS"):
        smell_tools(nose)
    print(json.dumps({"verdict": "inconclusive", "metadata": {"leaks": nose.leaks, **nose.seen}}))


if __name__ == "__main__":
    main()
