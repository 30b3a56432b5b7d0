"""A fabric whose devices print what the test tells them to."""

import subprocess
from collections.abc import Sequence

from netopsbench.core.process import Completed
from netopsbench.fabric.engine import Wire
from netopsbench.fabric.plan import FabricPlan

SECOND_NS = 1_000_000_000


class PrintingFabric:
    """Every command on every device prints `printed` and ends with `returncode`; the commands are kept."""

    def __init__(self, plan: FabricPlan) -> None:
        self.plan = plan
        self.printed = ""
        self.returncode = 0
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.beside: list[str] = ["cat"]
        """What `spawn` starts instead of what it is asked for."""

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        self.asked.append((node, tuple(argv)))
        return Completed(tuple(argv), self.returncode, self.printed, "")

    def exec_wire(self, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        raise NotImplementedError("no tool looks at the wire")

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(self.beside, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)

    def pid(self, node: str) -> int:
        return 4711

    def wire(self, link: str) -> Wire:
        raise NotImplementedError("no tool looks at the wire")

    def destroy(self) -> None:
        """Nothing runs."""
