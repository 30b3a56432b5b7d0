"""How fast the mesh is probed: as published, or as fast as two cores allow."""

from typing import Literal, Self

from pydantic import Field, model_validator

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import clients
from netopsbench.telemetry.schedule import PORTS, cycles

Timing = Literal["fast", "paper"]

FAST_PROBES_PER_S = 18_500
"""Two cores carry 20,000 probes a second through a three-tier fabric when nothing else runs."""
FAST_SHORTEST_EPOCH_S = 0.4
FAST_TIMEOUT_S = 0.6
"""A reply that took 120 ms more in both directions is late by far less, so it counts as slow, not as lost."""
PAPER_TIMEOUT_S = 1.0
PAPER_SMALL_CYCLE_S = 1.0
PAPER_LARGE_CYCLE_S = 3.0
PAPER_LARGE_DESTINATIONS = 16
PAPER_SLACK_CYCLES = 2


class Pace(Model):
    """Rhythm and batches of coverage epochs."""

    epoch_s: float = Field(gt=0)
    """From the start of an epoch to the start of the next, when the machine keeps up."""
    cycle_s: float = Field(gt=0)
    """Over which the probes of one cycle are spread."""
    timeout_s: float = Field(gt=0)
    """How long a reply may take before its probe counts as lost."""
    port_batches: tuple[int, ...] = (PORTS,)
    """Source ports per cycle; they add up to all of them."""
    destinations: int = Field(default=0, ge=0)
    """Destinations per cycle; 0 for all."""

    @model_validator(mode="after")
    def _covers_all_ports(self) -> Self:
        if sum(self.port_batches) != PORTS or min(self.port_batches, default=0) < 1:
            raise ValueError(f"port batches must add up to {PORTS}")
        return self


def pace_for(plan: FabricPlan, timing: Timing) -> Pace:
    """The pace for a fabric of this many clients."""
    ends = len(clients(plan))
    return _paper_pace(ends) if timing == "paper" else _fast_pace(ends)


def _fast_pace(ends: int) -> Pace:
    probes = ends * (ends - 1) * PORTS
    epoch_s = max(probes / FAST_PROBES_PER_S, FAST_SHORTEST_EPOCH_S)
    return Pace(epoch_s=epoch_s, cycle_s=epoch_s, timeout_s=FAST_TIMEOUT_S)


def _paper_pace(ends: int) -> Pace:
    """The published batches; the last two cycles of a large mesh are slack."""
    if ends > 64:
        batches: tuple[int, ...] = (4, 4, 4, 4)
        number = len(cycles(ends, batches, PAPER_LARGE_DESTINATIONS)) + PAPER_SLACK_CYCLES
        return Pace(
            epoch_s=number * PAPER_LARGE_CYCLE_S,
            cycle_s=PAPER_LARGE_CYCLE_S,
            timeout_s=PAPER_TIMEOUT_S,
            port_batches=batches,
            destinations=PAPER_LARGE_DESTINATIONS,
        )
    batches = (8, 8) if ends <= 8 else (6, 6, 4) if ends <= 16 else (4, 4, 4, 4)
    return Pace(
        epoch_s=len(batches) * PAPER_SMALL_CYCLE_S,
        cycle_s=PAPER_SMALL_CYCLE_S,
        timeout_s=PAPER_TIMEOUT_S,
        port_batches=batches,
    )
