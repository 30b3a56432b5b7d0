"""The command line as on a system that is not Linux: its modules, sockets, calls and signals are gone.

`elsewhere.py ARGUMENTS…` runs `netopsbench ARGUMENTS…`. Nothing may be started either.
"""

import asyncio  # noqa: F401 - other people's packages know by themselves where they are, and have it looked up here
import concurrent.futures.thread  # noqa: F401
import importlib.abc
import multiprocessing  # noqa: F401
import os
import select
import signal
import socket
import subprocess
import sys
from typing import NoReturn

import duckdb  # noqa: F401
import jinja2  # noqa: F401
import networkx  # noqa: F401
import numpy  # noqa: F401
import pydantic  # noqa: F401
import rich.console
import rich.progress  # noqa: F401
import typer  # noqa: F401
import yaml  # noqa: F401

MODULES = ("fcntl", "grp", "pty", "pwd", "pyroute2", "resource", "syslog", "termios", "tty")
NAMES = {
    socket: ("AF_UNIX", "AF_NETLINK", "AF_PACKET", "SOCK_CLOEXEC", "SOCK_SEQPACKET"),
    os: ("O_DIRECTORY", "O_PATH", "fork", "geteuid", "getgid", "getuid", "killpg", "memfd_create", "pidfd_open",
         "sched_getaffinity", "setns", "setsid", "uname", "unshare"),
    signal: ("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1"),
    select: ("epoll", "poll"),
}  # fmt: skip


class Missing(importlib.abc.MetaPathFinder):
    """Finds nothing under certain names, before anybody else looks."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"there is no {name} here", name=name)


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a process was started")


def main() -> None:
    sys.meta_path.insert(0, Missing())
    for name in MODULES:
        sys.modules.pop(name, None)
    for module, names in NAMES.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    subprocess.Popen = refuse
    from netopsbench.cli.main import app

    app()


if __name__ == "__main__":
    main()
