"""What an engine promises: it turns a plan into something that runs."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from netopsbench.core.model import Model
from netopsbench.core.process import Completed
from netopsbench.fabric.plan import FabricPlan

ProgressCallback = Callable[[str, int, int], None]
"""Called with (phase, done, total)."""

NodeFiles = Mapping[str, Mapping[str, str]]
"""Node name to (path below /etc, `frr/bgpd.conf`) to content."""


class Wire(Model):
    """Names of a link's two ends in the wire namespace; `a_end` faces the link's `a` port."""

    a_end: str
    b_end: str


class Fabric(Protocol):
    """A running fabric."""

    @property
    def plan(self) -> FabricPlan: ...

    @property
    def handle(self) -> Model:
        """Enough, as data, to reach the fabric from another process."""
        ...

    @property
    def versions(self) -> Mapping[str, str]:
        """Version by name of the software that runs in it, `frr` at least."""
        ...

    @property
    def is_running(self) -> bool:
        """Whether it hasn't ended, by `destroy` or by itself."""
        ...

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        """Run a command inside a node; `Completed.returncode` 124 at the deadline."""
        ...

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        """Run a command in the wire namespace, where the cables are and no node can look."""
        ...

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        """Start a long-lived process beside the nodes, in the wire namespace, with pipes on stdin and stdout.

        It sees node namespaces as /proc/PID/ns/net with the PIDs of `pid()`; it dies with the fabric.
        """
        ...

    def pid(self, node: str) -> int:
        """PID of a node's first process, as processes started by `spawn` see it."""
        ...

    def wire(self, link: str) -> Wire:
        """The two ends of a link's cable."""
        ...

    def destroy(self) -> None:
        """End it; nothing is left. Safe to call twice."""
        ...


class Engine(Protocol):
    """Something that can bring fabrics up."""

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> Fabric:
        """Start every node and link, without waiting for routing to converge.

        Raises InfraError("deploy_failed") with nothing left behind.
        """
        ...
