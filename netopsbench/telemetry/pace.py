"""How fast the mesh is probed: as published, or as fast as two cores allow.

The budget of the quick pace. A probe costs 17 microseconds of one core at the prober and 15 at the echo (20 switches,
don't-fragment probes of 9,072 bytes included). Two thirds of that is the kernel carrying the datagram over all hops,
which it does in the time of whoever sent it; a third tier adds about 10. Two cores carry 20,000 small probes a second
through three tiers when nothing else runs; 18,500 small or 12,000 large ones leave something for routing daemons,
background traffic, collectors and the store's owner. Where that is too little, an epoch just takes longer.

| clients            | pairs  | ordinary probes | s    | DF ports an epoch | DF probes | s   |
|--------------------|-------:|----------------:|-----:|-------------------|----------:|----:|
| 2 (xs)             |      2 |              32 |  0.4 | 16                |        32 | 0.1 |
| 8 (small)          |     56 |             896 |  0.4 | 16                |       896 | 0.5 |
| 16 (medium)        |    240 |           3,840 |  0.4 | 8 of 16 in turn   |     1,920 | 0.5 |
| 64 (large)         |  4,032 |          64,512 |  3.5 | 6, 6, 4 in turn   |    24,192 | 2.0 |
| 128 (xlarge, k8)   | 16,256 |         260,096 | 14.1 | 2 in turn         |    32,512 | 2.7 |
| 144 (k12)          | 20,592 |         329,472 | 17.8 | 2 in turn         |    41,184 | 3.4 |

A port that is too small for its links drops every DF probe that meets it, so few of them already show it.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import clients
from netopsbench.telemetry.schedule import PORTS, cycles

Timing = Literal["fast", "paper"]

FAST_PROBES_PER_S = 18_500
"""Two cores carry 20,000 probes a second through a three-tier fabric when nothing else runs."""
FAST_SHORTEST_CYCLE_S = 0.4
FAST_TIMEOUT_S = 0.6
"""A reply that took 120 ms more in both directions is late by far less, so it counts as slow, not as lost."""
FAST_DF_PROBES_PER_S = 12_000
FAST_DF_PROBES_PER_CLIENT_S = 240
"""A full buffer holds 24 of them, a tenth of a second."""
FAST_DF_BATCHES: tuple[tuple[int, tuple[int, ...]], ...] = ((8, (16,)), (16, (8, 8)), (64, (6, 6, 4)))
"""Up to so many clients, the source ports of DF probes epoch by epoch."""
FAST_DF_LARGE_BATCHES = (2,) * 8
PAPER_TIMEOUT_S = 1.0
PAPER_SMALL_CYCLE_S = 1.0
PAPER_LARGE_CYCLE_S = 3.0
PAPER_LARGE_DESTINATIONS = 16
PAPER_SLACK_CYCLES = 2


class Pace(Model):
    """Rhythm and batches of coverage epochs."""

    timing: Timing = "fast"
    """Don't-fragment probes have a part of the epoch to themselves and ignore what the host knows of path MTUs
    (`fast`), or go out among the others, one per destination and cycle, and obey it (`paper`)."""
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
    df_batches: tuple[int, ...] = (PORTS,)
    """Source ports of don't-fragment probes, epoch by epoch in rotation (`fast` only)."""
    df_s: float = Field(default=0.1, gt=0)
    """Over which don't-fragment probes are spread (`fast` only)."""

    @model_validator(mode="after")
    def _covers_all_ports(self) -> Self:
        if any(
            sum(batches) != PORTS or min(batches, default=0) < 1 for batches in (self.port_batches, self.df_batches)
        ):
            raise ValueError(f"port batches must add up to {PORTS}")
        return self


def pace_for(plan: FabricPlan, timing: Timing) -> Pace:
    """The pace for a fabric of this many clients."""
    ends = len(clients(plan))
    return _paper_pace(ends) if timing == "paper" else _fast_pace(ends)


def _fast_pace(ends: int) -> Pace:
    pairs = ends * (ends - 1)
    cycle_s = max(pairs * PORTS / FAST_PROBES_PER_S, FAST_SHORTEST_CYCLE_S)
    batches = next((batches for most, batches in FAST_DF_BATCHES if ends <= most), FAST_DF_LARGE_BATCHES)
    df_per_s = min(FAST_DF_PROBES_PER_S, FAST_DF_PROBES_PER_CLIENT_S * ends)
    df_s = max(pairs * max(batches) / df_per_s, 0.05)
    return Pace(epoch_s=cycle_s + df_s, cycle_s=cycle_s, timeout_s=FAST_TIMEOUT_S, df_batches=batches, df_s=df_s)


def _paper_pace(ends: int) -> Pace:
    """The published batches; the last two cycles of a large mesh are slack."""
    if ends > 64:
        batches: tuple[int, ...] = (4, 4, 4, 4)
        number = len(cycles(ends, batches, PAPER_LARGE_DESTINATIONS)) + PAPER_SLACK_CYCLES
        return Pace(
            timing="paper",
            epoch_s=number * PAPER_LARGE_CYCLE_S,
            cycle_s=PAPER_LARGE_CYCLE_S,
            timeout_s=PAPER_TIMEOUT_S,
            port_batches=batches,
            destinations=PAPER_LARGE_DESTINATIONS,
        )
    batches = (8, 8) if ends <= 8 else (6, 6, 4) if ends <= 16 else (4, 4, 4, 4)
    return Pace(
        timing="paper",
        epoch_s=len(batches) * PAPER_SMALL_CYCLE_S,
        cycle_s=PAPER_SMALL_CYCLE_S,
        timeout_s=PAPER_TIMEOUT_S,
        port_batches=batches,
    )
