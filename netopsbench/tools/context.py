"""What a tool may look at: the plan, the running fabric and the telemetry of two windows, nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from netopsbench.core.errors import ToolError
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.records.telemetry import Record, Window


class Telemetry(Protocol):
    """The one question that tools ask a store."""

    def query(
        self, kind: str, window: Window | None = None, where: Mapping[str, str | int] | None = None
    ) -> Sequence[Record]: ...


@dataclass(frozen=True)
class ToolContext:
    """Everything the tools of one case work on."""

    plan: FabricPlan
    fabric: Fabric
    store: Telemetry
    baseline: Window
    """When the network was known to be healthy."""
    current: Window
    """The time that the question is about."""

    def device(self, name: str) -> Node:
        """The node called `name`; ToolError `unknown_device` lists the known ones."""
        for node in self.plan.nodes:
            if node.name == name:
                return node
        known = ", ".join(node.name for node in self.plan.nodes)
        raise ToolError(f"there is no device {name[:80]!r}; the devices are: {known}", "unknown_device")

    def switch(self, name: str) -> Node:
        """The switch called `name`; ToolError also when it is a client."""
        node = self.device(name)
        if node.is_switch:
            return node
        known = ", ".join(each.name for each in self.plan.nodes if each.is_switch)
        raise ToolError(f"{name} is a client and runs no routing; the switches are: {known}", "bad_arguments")

    def client(self, name: str) -> Node:
        """The client called `name`; ToolError also when it is a switch."""
        node = self.device(name)
        if not node.is_switch:
            return node
        known = ", ".join(each.name for each in self.plan.nodes if not each.is_switch)
        raise ToolError(f"{name} is a switch and is not probed; the clients are: {known}", "bad_arguments")
