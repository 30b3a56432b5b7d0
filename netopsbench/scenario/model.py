"""One case, from its fabric to the time it takes, as a file spells it."""

import hashlib
from math import ceil
from typing import Literal

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.records.faults import FaultSpec

Difficulty = Literal["easy", "medium", "hard"]
Task = Literal["localize"]


class Timeline(Model):
    """How long a case is watched; both a number of whole coverage epochs and a time must have passed."""

    timing: Literal["fast", "paper"] = "fast"
    """Pace of the collectors: as quick as the machine allows, or as published."""
    baseline_epochs: int = Field(default=2, ge=1)
    baseline_s: float = Field(default=0, ge=0)
    fault_epochs: int = Field(default=3, ge=1)
    fault_s: float = Field(default=0, ge=0)

    def baseline_count(self, epoch_s: float) -> int:
        """Epochs of this length in the baseline."""
        return max(self.baseline_epochs, ceil(self.baseline_s / epoch_s))

    def fault_count(self, epoch_s: float) -> int:
        """Epochs of this length in the time in question."""
        return max(self.fault_epochs, ceil(self.fault_s / epoch_s))


class Scenario(Model):
    """What happens in one case."""

    fabric: str
    """A file of `fabrics/` by its name."""
    scale: str
    """Under which scale the case is counted."""
    seed: int = Field(ge=0)
    """Draws all that is random in the case."""
    faults: tuple[FaultSpec, ...] = ()
    """None in a healthy case."""
    pretended_faults: int = Field(default=1, ge=1)
    """As many faults a healthy case goes through the motions of, so that it takes as long as others."""
    task: Task = "localize"
    difficulty: Difficulty = "easy"
    timeline: Timeline = Timeline()

    @property
    def id(self) -> str:
        """Name of the case, out of its content: the same everywhere, and it tells nothing."""
        # Cases that could do without this key keep the id that they had before it was there.
        without = {"pretended_faults"} if self.pretended_faults == 1 else set()
        return "c" + hashlib.sha256(self.model_dump_json(exclude=without).encode()).hexdigest()[:12]
