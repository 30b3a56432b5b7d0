"""What a tool may look at: the plan, the running fabric and the telemetry of two windows, nothing else."""

from dataclasses import dataclass
from functools import cached_property

from netopsbench.core.errors import ToolError
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.records.telemetry import Window
from netopsbench.tools.telemetry.mesh import ClientPair, Comparison, Telemetry, compare
from netopsbench.vendors.lines import CommandLines


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
    command_lines: CommandLines | None = None
    """None where devices are not asked in their vendors' words."""

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

    def pairs(self, src: str | None, dst: str | None) -> list[ClientPair]:
        """Every ordered pair of clients, or those from one and to one. Raises ToolError when either is no client."""
        if src is not None and src == dst:
            raise ToolError(f"no path leads from {src} to itself", "bad_arguments")
        clients = [node for node in self.plan.nodes if not node.is_switch]
        sources = clients if src is None else [self.client(src)]
        targets = clients if dst is None else [self.client(dst)]
        return [
            ClientPair(
                src=source.name,
                dst=target.name,
                src_switch=source.attached_to or "",
                dst_switch=target.attached_to or "",
            )
            for source in sources
            for target in targets
            if source.name != target.name
        ]

    @cached_property
    def whole_mesh(self) -> Comparison:
        """All paths, worked out once: both windows are closed, so it can't change."""
        return compare(self.store, self.baseline, self.current, self.pairs(None, None))
