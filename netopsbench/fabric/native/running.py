"""A running native fabric: commands inside it, and its end."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.errors import InfraError
from netopsbench.core.process import Completed, run
from netopsbench.fabric.engine import Wire
from netopsbench.fabric.native.handle import Handle, start_time
from netopsbench.fabric.native.order import wire_names
from netopsbench.fabric.plan import FabricPlan

# What runs inside must not carry the caller's environment: an agent may be looking.
_ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/root",
    # vtysh would keep every command in a file that an agent could read.
    "VTYSH_HISTFILE": "/dev/null",
}
_END_DEADLINE_S = 10.0


class NativeFabric:
    """A fabric in a sandbox of this machine, reached by nsenter."""

    def __init__(self, handle: Handle, lifeline: "subprocess.Popen[bytes] | None" = None) -> None:
        """`lifeline` is the sandbox's starter when the fabric must not outlive this process."""
        self._handle = handle
        self._lifeline = lifeline
        self._wires = {link.id: wire_names(number) for number, link in enumerate(handle.plan.links)}

    @property
    def handle(self) -> Handle:
        return self._handle

    @property
    def is_running(self) -> bool:
        return self.handle.is_running

    @property
    def versions(self) -> dict[str, str]:
        return self._handle.versions

    @property
    def plan(self) -> FabricPlan:
        return self.handle.plan

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        target = str(self.handle.nodes[node].outer)
        enter = ["nsenter", "-t", target, *self._user(), "-m", "-n", "-p", "-u", "-i", "--", *argv]
        return run(enter, timeout_s=timeout_s, stdin=stdin, env=_ENVIRONMENT)

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        return run([*self._beside(), *argv], timeout_s=timeout_s, stdin=stdin, env=_ENVIRONMENT)

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [*self._beside(), *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=_ENVIRONMENT,
            start_new_session=True,
        )  # fmt: skip

    def pid(self, node: str) -> int:
        return self.handle.nodes[node].inner

    def wire(self, link: str) -> Wire:
        a_end, b_end = self._wires[link]
        return Wire(a_end=a_end, b_end=b_end)

    def destroy(self) -> None:
        end_sandbox(self.handle.keeper, self.handle.keeper_start, self.handle)
        if self._lifeline is not None:
            release(self._lifeline)

    def _user(self) -> list[str]:
        return ["-U", "--preserve-credentials"] if self.handle.has_user_namespace else []

    def _beside(self) -> list[str]:
        return ["nsenter", "-t", str(self.handle.keeper), *self._user(), "-m", "-n", "-p", "-i", "--"]


def attach(path: Path) -> NativeFabric:
    """Reach a fabric that another process started, by its handle file.

    Raises InfraError("deploy_failed") when the fabric is gone or the file isn't a handle.
    """
    try:
        handle = Handle.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as failure:
        raise InfraError("deploy_failed", f"{path} is not the handle of a fabric: {failure}") from failure
    if not handle.is_running:
        raise InfraError("deploy_failed", f"fabric {handle.plan.name} (process {handle.keeper}) is no longer running")
    return NativeFabric(handle)


def end_sandbox(keeper: int, keeper_start: int, handle: Handle | None = None) -> None:
    """Kill a sandbox's first process and wait until the kernel has ended all the others."""
    if start_time(keeper) == keeper_start:
        with contextlib.suppress(ProcessLookupError):
            os.kill(keeper, signal.SIGKILL)
    deadline = time.monotonic() + _END_DEADLINE_S
    waited_for = [keeper, *(pids.outer for pids in handle.nodes.values())] if handle else [keeper]
    while time.monotonic() < deadline:
        waited_for = [pid for pid in waited_for if Path(f"/proc/{pid}").exists() and start_time(pid) is not None]
        if not waited_for:
            return
        time.sleep(0.005)
    raise InfraError("deploy_failed", f"processes {waited_for[:5]} of a fabric did not end in {_END_DEADLINE_S:g} s")


def release(starter: "subprocess.Popen[bytes]") -> None:
    """Collect a sandbox's starter and close its pipes."""
    for pipe in (starter.stdin, starter.stdout, starter.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        starter.wait(_END_DEADLINE_S)
    except subprocess.TimeoutExpired:
        starter.kill()
        starter.wait()
