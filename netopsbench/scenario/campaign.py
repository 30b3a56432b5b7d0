"""A campaign file: how many cases of which kind, at which scales."""

from typing import Literal

from pydantic import Field, JsonValue, model_validator

from netopsbench.core.model import Model
from netopsbench.faults.places import InterfaceRole
from netopsbench.records.answers import Budget
from netopsbench.scenario.model import Difficulty, Timeline

DeviceRole = Literal["leaf", "spine", "edge", "agg", "core"]


class Amount(Model):
    """A number of cases: the same at every scale, or one for each scale."""

    count: int | None = Field(default=None, ge=0)
    count_per_scale: dict[str, int] | None = None
    """A scale that isn't named gets none."""

    @model_validator(mode="after")
    def _either(self) -> "Amount":
        if (self.count is None) == (self.count_per_scale is None):
            raise ValueError("give either count or count_per_scale")
        return self

    def at(self, scale: str) -> int:
        """Cases at one scale."""
        return self.count if self.count is not None else (self.count_per_scale or {}).get(scale, 0)


class FaultDraw(Model):
    """A fault of which only the place is drawn."""

    fault_type: str
    device_role: DeviceRole = "leaf"
    """`leaf` means edge switches on a fat-tree, and `spine` the core."""
    interface_role: InterfaceRole = "any"
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """Keys of the fault other than its place, which is drawn."""


class Template(Amount, FaultDraw):
    """Cases that differ in nothing but where the fault is."""

    name: str
    """Unique in the campaign; case seeds derive from it."""
    difficulty: Difficulty = "easy"
    also: tuple[FaultDraw, ...] = ()
    """Further faults of the same case, each somewhere where it can't hide the others."""


class OfferedTools(Model):
    """What agents are offered beside the tools that every case has."""

    shell: bool = False
    """`run_command`, a shell on devices that can change nothing."""
    command_lines: bool = False
    """`execute`, the devices' own command lines, each in the words of a vendor that is drawn for it."""


class Campaign(Model):
    """A whole campaign."""

    version: Literal[1]
    name: str
    description: str = ""
    seed: int = Field(default=42, ge=0)
    scales: tuple[str, ...] = Field(min_length=1)
    """Files of `fabrics/` by their names."""
    budget: Budget
    """For each case of the campaign, so that the question is the same in all."""
    tools: OfferedTools = OfferedTools()
    defaults: Timeline = Timeline()
    healthy: Amount = Amount(count=0)
    fault_templates: tuple[Template, ...]

    @property
    def most_faults(self) -> int:
        """How many faults a case of this campaign can have."""
        return max((1 + len(template.also) for template in self.fault_templates), default=1)
