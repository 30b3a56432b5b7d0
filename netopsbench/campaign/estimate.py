"""What a run will take, before it is started."""

from collections.abc import Mapping

from netopsbench.campaign.cases import plans_of
from netopsbench.campaign.contestants import is_unpaid
from netopsbench.campaign.plan import RunPlan
from netopsbench.campaign.room import Place, place_of, workers_for
from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.size import need_of
from netopsbench.scenario.model import Timeline
from netopsbench.telemetry.pace import Timing, pace_for

_FIXED_S = 6.0
"""Of a case whatever its fabric: the store's and tool server's start, gates, undoing, restoration."""
_EXTRA_EPOCHS: Mapping[Timing, int] = {"fast": 0, "paper": 1}
"""Up to so many are waited for because a window starts with the next epoch; the quick pace begins one for it."""


class RunEstimate(Model):
    """What a run will take; times in seconds of the clock."""

    trials: int
    workers: int
    without_agents_s: float
    """Set-up, observation and clean-up of all trials; the agents' own time comes on top."""
    agents_at_most_s: float
    """If every agent used up its whole budget of time."""
    cost_usd: float | None
    """None when an agent takes part whose price isn't known before."""


def estimate(plan: RunPlan, machine: Place, workers: int | None = None) -> RunEstimate:
    """What a run will take on a machine that has this much to give."""
    fabrics = plans_of(plan.cases)
    scenario_of = {scenario.id: scenario for scenario in plan.cases.scenarios}
    cases = [scenario_of[planned.case_id] for planned in plan.info.planned]
    count = workers or workers_for([place_of(fabrics[case.fabric]) for case in cases], machine)
    spent_s = sum(case_s(fabrics[case.fabric], case.timeline, machine.cores) for case in cases)
    return RunEstimate(
        trials=len(cases),
        workers=count,
        without_agents_s=spent_s / count,
        agents_at_most_s=len(cases) * plan.cases.budget.wall_time_s / count,
        cost_usd=0.0 if all(is_unpaid(agent) for agent in plan.info.agents) else None,
    )


def case_s(fabric: FabricPlan, timeline: Timeline, cores: float) -> float:
    """Seconds of one case without its agent."""
    pace = pace_for(fabric, timeline.timing)
    epochs = timeline.baseline_count(pace.epoch_s) + timeline.fault_count(pace.epoch_s) + _EXTRA_EPOCHS[timeline.timing]
    return _FIXED_S + need_of(fabric).start_s / max(1.0, cores) + epochs * pace.epoch_s
