"""A place where somebody's program sees Python, its tools and nothing else."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import BinaryIO

from netopsbench.agent.programs.program import Program
from netopsbench.core.errors import UnsupportedError
from netopsbench.core.model import Model
from netopsbench.fabric.native.software import find_software

SOCKET_INSIDE = "/run/tools"
"""Where an agent finds the tool server, whatever its socket is called outside."""

CARRIED_INSIDE = "/agent"
"""Where an agent finds its own files."""

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "NETOPSBENCH_TOOLS": SOCKET_INSIDE}

_ROOMS = ("__init__.py", "core", "records", "vendors", "tools", "agent")
"""The parts of this package that an agent in Python needs."""
_STRANGER_FIRST, _STRANGER_COUNT = 1_900_000_000, 100_000_000
"""User ids that no system gives out: processes of one are counted by the kernel for one sandbox alone."""
_NOBODY = 65534
_MIB = 1 << 20


class Limits(Model):
    """What a program may use."""

    memory_mib: int = 2048
    """Private memory of one process."""
    processes: int = 256
    """Processes and threads at once."""
    file_mib: int = 64
    """One file; and all files of a folder that can be written."""
    open_files: int = 1024


@dataclass(frozen=True)
class Room:
    """How to start one program in a sandbox."""

    argv: list[str]
    arguments: bytes = field(repr=False)
    """For bubblewrap, over a descriptor: on its command line the program could read where everything comes from."""
    socket_owner: int | None
    """User id that must be able to connect to the tool server; None when it is the caller's own."""


def python_program(module: str, *words: str) -> tuple[str, ...]:
    """The command line of one of our modules, for use inside."""
    return (sys.executable, "-m", module, *words)


def room_for(program: Program, tool_socket: Path, limits: Limits, arguments_fd: int) -> Room:
    """A place for `program`, whose bubblewrap reads its arguments from `arguments_fd`.

    Raises UnsupportedError when bubblewrap is missing.
    """
    bwrap = [str(find_bwrap()), "--args", str(arguments_fd), "--"]
    if program.access == "trusted":
        # Only so that all its processes end with it.
        options = ["--unshare-pid", "--die-with-parent", "--new-session", "--dev-bind", "/", "/", "--proc", "/proc"]
        return Room(argv=[*bwrap, *program.argv], arguments=_as_arguments(options), socket_owner=None)
    # Root's processes escape the kernel's limit on their number, so root becomes a stranger; an ordinary user gets a
    # user namespace, in which the count starts at nothing.
    stranger = _stranger()
    prison = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if stranger is None:
        prison = ["--unshare-all", "--uid", str(_NOBODY), "--gid", str(_NOBODY)]
    if program.access == "network":
        prison = [word for word in prison if word != "--unshare-net"] + (["--share-net"] if stranger is None else [])
    variables = {**ENVIRONMENT, **program.environment}
    options = [
        *prison,
        *("--new-session", "--die-with-parent", "--hostname", "agent", "--clearenv"),
        *(word for name, value in variables.items() for word in ("--setenv", name, value)),
        *_files(tool_socket, limits, program),
        *("--chdir", "/tmp"),
    ]
    command = [*_restraint(stranger, limits), *program.argv]
    return Room(argv=[*bwrap, *command], arguments=_as_arguments(options), socket_owner=stranger)


def environment_of(program: Program, tool_socket: Path) -> dict[str, str]:
    """The environment to start bubblewrap with.

    A program that is shut in gets its own through bubblewrap, which stays on as the first process inside, where its
    environment can be read; one that is trusted gets everything from here.
    """
    if program.access != "trusted":
        return dict(ENVIRONMENT)
    return {**os.environ, **program.environment, "NETOPSBENCH_TOOLS": str(tool_socket)}


def _as_arguments(options: Sequence[str]) -> bytes:
    return b"\0".join(os.fsencode(word) for word in options) + b"\0"


@cache
def find_bwrap() -> Path:
    """Bubblewrap, the fabrics' own first. Raises UnsupportedError when there is none."""
    software = find_software()
    if software is not None:
        return software.bwrap
    on_path = shutil.which("bwrap")
    if on_path is None:
        raise UnsupportedError("bubblewrap is missing, so agents can't be shut in; run: netopsbench doctor --fix")
    return Path(on_path)


def _stranger() -> int | None:
    """A user id to become; None when this process can't become one."""
    if os.getuid() != 0:
        return None
    candidate = _STRANGER_FIRST + random.SystemRandom().randrange(_STRANGER_COUNT)
    maps = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return candidate if any(first <= candidate < first + count for first, _, count in maps) else None


def _restraint(stranger: int | None, limits: Limits) -> list[str]:
    """Commands of util-linux that bind a process and then become the program."""
    who = str(stranger)
    become = ["setpriv", "--reuid", who, "--regid", who, "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
    return [
        # When memory runs out, it is the agent's fault and not the fabric's.
        *("choom", "-n", "1000", "--"),
        *([] if stranger is None else [*become, "--no-new-privs", "--"]),
        "prlimit",
        # Not the address space: some runtimes reserve a lot of that and never use it.
        f"--data={limits.memory_mib * _MIB}",
        f"--nproc={limits.processes}",
        f"--fsize={limits.file_mib * _MIB}",
        f"--nofile={limits.open_files}",
        "--core=0",
        "--",
    ]


def _files(tool_socket: Path, limits: Limits, program: Program) -> list[str]:
    size = str(limits.file_mib * _MIB)
    return [
        *("--ro-bind", "/usr", "/usr"),
        *_top_folders(),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", size, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
        *("--size", size, "--perms", "1777", "--tmpfs", "/tmp"),
        # After /tmp, in which a Python can lie too.
        *_python(),
        *(_network_files() if program.access == "network" else ()),
        *_carried(program),
        *("--perms", "0755", "--dir", "/run", "--ro-bind", str(tool_socket), SOCKET_INSIDE),
        *("--remount-ro", "/"),
    ]


def _network_files() -> list[str]:
    """How names are looked up, and whose certificates are believed."""
    files = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates", "/etc/pki")
    found = [(str(Path(file).resolve()), file) for file in files if Path(file).exists()]
    return [word for source, file in found for word in ("--ro-bind", source, file)]


def _carried(program: Program) -> list[str]:
    words = ["--perms", "0755", "--dir", CARRIED_INSIDE] if program.carried else []
    for source, inside in program.carried:
        words += ["--perms", "0755", "--dir", str(Path(inside).parent), "--ro-bind", str(source), inside]
    return words


def _top_folders() -> list[str]:
    """/bin, /lib and their like, as links where the system has them as links; and how to find libraries."""
    # Bubblewrap would make the folder above a mount for its own user only, and some runtimes end when they may not look
    # for their settings.
    words = ["--perms", "0755", "--dir", "/etc"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/") / name
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    for file in ("/etc/ld.so.cache", "/etc/alternatives"):
        words += ["--ro-bind-try", file, file]
    return words


def _python() -> list[str]:
    """The interpreter with its packages, and of this package what agents need: no data, no cases, no graders."""
    package = Path(str(resources.files("netopsbench"))).resolve()
    prefixes = [Path(each).resolve() for each in (sys.base_prefix, sys.prefix)]
    words: list[str] = []
    for folder in dict.fromkeys(parent for path in (*prefixes, package) for parent in reversed(path.parents)):
        # Bubblewrap would make the folders above a mount for its own user only.
        if not folder.is_relative_to("/usr") and folder != Path("/"):
            words += ["--perms", "0755", "--dir", str(folder)]
    for prefix in dict.fromkeys(prefixes):
        if not prefix.is_relative_to("/usr"):
            words += ["--ro-bind", str(prefix), str(prefix)]
    words += ["--perms", "0755", "--tmpfs", str(package)]
    for room in _ROOMS:
        words += ["--ro-bind", str(package / room), str(package / room)]
    return [*words, "--remount-ro", str(package)]


def open_socket_to(owner: int | None, tool_socket: Path) -> None:
    """Let the sandbox's user connect. Raises UnsupportedError when it can't be allowed to."""
    if owner is None:
        return
    try:
        os.chown(tool_socket, owner, -1)
    except OSError as failure:
        raise UnsupportedError(f"{tool_socket} can't be given to the agent's user: {failure.strerror}") from failure


@cache
def ensure_usable() -> None:
    """Run this package's agent host in a sandbox once. Raises UnsupportedError with the reason when that fails.

    Later failures are then the agent's own.
    """
    probe = Program((sys.executable, "-c", "import netopsbench.agent.host"))
    with arguments_file() as arguments:
        room = room_for(probe, Path("/dev/null"), Limits(), arguments.fileno())
        arguments.write(room.arguments)
        arguments.seek(0)
        done = subprocess.run(
            room.argv, env=ENVIRONMENT, pass_fds=[arguments.fileno()], capture_output=True, timeout=60, check=False
        )
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()[-500:] or f"exit code {done.returncode}"
        hint = f"other users must be able to read {sys.prefix} and this package" if room.socket_owner else "see doctor"
        raise UnsupportedError(f"agents can't be shut in on this machine: {why} ({hint})")


def arguments_file() -> BinaryIO:
    """A nameless file in memory, for what a program or bubblewrap reads from a descriptor."""
    return os.fdopen(os.memfd_create("agent"), "w+b")
