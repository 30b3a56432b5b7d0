"""Runs whose trials happen in no network: `fake_trial` stands in for `run_trial`."""

import json
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from netopsbench.campaign.plan import RunPlan, RunRequest, plan_run
from netopsbench.campaign.record import TrialOrder
from netopsbench.campaign.trial import run_trial
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Answer
from netopsbench.records.trial import Trial, TrialError
from netopsbench.scenario.truth import truth_of

PHASES = ("deploy", "baseline", "inject", "agent", "destroy")
RunTrial = type(run_trial)


def campaign_file(folder: Path, *, faulty: int = 2, healthy: int = 1, seed: int = 7) -> Path:
    """A campaign on the smallest fabric."""
    keys = {
        "version": 1,
        "name": "small",
        "seed": seed,
        "scales": ["xs"],
        "budget": {"wall_time_s": 60, "tool_calls": 50},
        "healthy": {"count": healthy},
        "fault_templates": [
            {
                "name": "uplink",
                "fault_type": "link_down",
                "interface_role": "uplink",
                "count": faulty,
                "parameters": {"variant": "admin"},
            }
        ],
    }
    path = folder / "small.yaml"
    path.write_text(json.dumps(keys))
    return path


def planned(folder: Path, *agents: str, **request: Any) -> RunPlan:
    """The plan of a run of that campaign."""
    source = str(campaign_file(folder))
    return plan_run(RunRequest(source=source, agents=agents or ("nop",), **request))


def trial_of(order: TrialOrder, **changes: Any) -> Trial:
    """The record that an order becomes when the agent always finds the network healthy."""
    scenario = order.scenario
    fields = {
        "trial_id": order.trial_id,
        "case_id": scenario.id,
        "agent": order.contestant,
        "fabric": scenario.fabric,
        "scale": scenario.scale,
        "difficulty": scenario.difficulty,
        "seed": scenario.seed,
        "repeat": order.repeat,
        "started_ns": 1,
        "end": "scored",
        "was_question_asked": True,
        "truth": truth_of(scenario.faults, plan_fabric(load_spec(scenario.fabric))),
        "answer": Answer(verdict="network_healthy"),
        "agent_time_s": 1.0,
        "infra_time_s": 2.0,
    }
    return Trial.model_validate(fields | changes)


def invalid(order: TrialOrder, reason: str = "effect_not_seen", *, asked: bool = False) -> Trial:
    error = TrialError(side="infra", reason=reason, message="see the log")
    return trial_of(order, end="invalid", error=error, answer=None, was_question_asked=asked)


class FakeTrials:
    """Stands in for `run_trial`; what comes of an order is told by `outcome(order, number of the try)`."""

    def __init__(self, outcome: Callable[[TrialOrder, int], Trial] | None = None) -> None:
        self._outcome = outcome or (lambda order, number: trial_of(order))
        self._guard = threading.Lock()
        self.ran: list[str] = []
        """Trial ids in the order in which they were begun."""

    def __call__(self, order, entry, question, engine, folder, hear) -> Trial:
        with self._guard:
            self.ran.append(order.trial_id)
            number = self.ran.count(order.trial_id)
        for phase in PHASES:
            hear(phase)
        return self._outcome(order, number)


class Heard:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def phase(self, trial_id: str, phase: str) -> None:
        pass

    def finished(self, trial: Trial) -> None:
        self.trials.append(trial)


class NoEngine:
    """Deploys nothing: fake trials need no fabric."""

    def deploy(self, plan, files, progress=None):
        raise AssertionError("a fake trial asked for a fabric")


def files_in(folder: Path, pattern: str) -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


def ids(plan: RunPlan) -> Iterable[str]:
    return [planned.trial_id for planned in plan.info.planned]
