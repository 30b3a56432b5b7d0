"""How often the collectors poll: as published, or as often as a few hundredths of a core allow."""

from pydantic import Field

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import expected_sessions, switches
from netopsbench.telemetry.pace import Timing

PAPER_POLL_S = 10.0
SNAPSHOT_S = 60.0
REDUCED_ABOVE = 128
"""Switches above which healthy sessions are only written in snapshots, as published."""
FAST_SHORTEST_POLL_S = 1.0
CORE_SHARE = 0.04
LOG_S = 0.5

# CPU time of one poll, collectors and routing daemons together, measured at K=12.
SESSION_S = 35e-6
PORT_S = 12e-6
NODE_S = 90e-6


class CollectorPace(Model):
    """Rhythm of the collectors."""

    poll_s: float = Field(gt=0)
    log_s: float = Field(gt=0)
    """How often lines of syslog are fetched."""
    snapshot_s: float = Field(gt=0)
    """How often healthy sessions are written when `is_reduced`."""
    is_reduced: bool


def collector_pace(plan: FabricPlan, timing: Timing) -> CollectorPace:
    """The pace for a fabric of this size."""
    return CollectorPace(
        poll_s=PAPER_POLL_S if timing == "paper" else max(FAST_SHORTEST_POLL_S, poll_cost_s(plan) / CORE_SHARE),
        log_s=LOG_S,
        snapshot_s=SNAPSHOT_S,
        is_reduced=len(switches(plan)) > REDUCED_ABOVE,
    )


def poll_cost_s(plan: FabricPlan) -> float:
    """CPU time that one poll of everything takes."""
    sessions = sum(len(neighbors) for neighbors in expected_sessions(plan).values())
    ports = sum(len(node.interfaces) for node in plan.nodes)
    return sessions * SESSION_S + ports * PORT_S + len(plan.nodes) * NODE_S
