"""Runs of small campaigns, in this process or by the command line, for the tests of whole cases."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.run import Terms, run
from netopsbench.fabric.engine import Engine
from netopsbench.records.trial import Trial
from netopsbench.scoring.run import ScoredRun, score_run

PHASES = (
    "deploy",
    "converge",
    "traffic",
    "baseline",
    "benign",
    "inject",
    "observe",
    "agent",
    "recheck",
    "undo",
    "restore",
    "destroy",
)
COMMAND = (sys.executable, "-m", "netopsbench.cli.main")


def template(name: str, fault_type: str, **rest: Any) -> dict[str, Any]:
    """One case on a leaf, as a campaign file says it."""
    return {"name": name, "fault_type": fault_type, "device_role": "leaf", "count": 1, **rest}


UPLINK_SHUT = template("uplink-shut", "link_down", interface_role="uplink", parameters={"variant": "admin"})
CLIENT_CABLE = template("client-cable", "link_down", interface_role="downlink", parameters={"variant": "carrier"})
NULL_ROUTE = template("null-route", "blackhole_route", parameters={"variant": "null0"})
REJECT_ROUTE = template("reject-route", "blackhole_route", parameters={"variant": "reject"})


def campaign_of(*templates: Mapping[str, Any], healthy: int = 0, wall_time_s: float = 60) -> dict[str, Any]:
    """The keys of a campaign of quick cases on the smallest fabric."""
    return {
        "version": 1,
        "name": "small",
        "seed": 7,
        "scales": ["xs"],
        "budget": {"wall_time_s": wall_time_s, "tool_calls": 50},
        "defaults": {"baseline_epochs": 1, "fault_epochs": 2},
        "healthy": {"count": healthy},
        "fault_templates": list(templates),
    }


class Follower:
    """Listens to a run, and lets a test act when a phase begins."""

    def __init__(self, at: Mapping[str, Callable[[], None]] | None = None) -> None:
        self._at = at or {}

    def phase(self, trial_id: str, phase: str) -> None:
        self._at.get(phase, lambda: None)()

    def finished(self, trial: Trial) -> None:
        pass


def run_all(
    keys: Mapping[str, Any], agents: Sequence[str], engine: Engine, folder: Path, follower: Follower | None = None
) -> ScoredRun:
    """The whole campaign with all agents, one trial after the other, scored."""
    folder.mkdir()
    campaign = written(keys, folder / "campaign.yaml")
    plan = plan_run(RunRequest(source=str(campaign), agents=tuple(agents)))
    run(plan, engine, folder / "run", follower or Follower(), Terms(workers=1))
    return score_run(folder / "run")


def whole_trials(folder: Path) -> list[Trial]:
    """Everything that `run_all` in this folder recorded of its trials."""
    return [Trial.model_validate_json(path.read_bytes()) for path in sorted((folder / "run" / "trials").iterdir())]


def phases_of(folder: Path) -> list[str]:
    """The phases that trials of a run have come to, in order; a line that is being written is not there yet."""
    journal = folder / "journal.jsonl"
    whole = journal.read_text().rpartition("\n")[0].splitlines() if journal.exists() else []
    return [json.loads(line)["phase"] for line in whole]


def written(keys: Mapping[str, Any], path: Path) -> Path:
    """The campaign as a file."""
    path.write_text(json.dumps(keys))
    return path


def netopsbench(
    *words: str, cwd: Path, env: Mapping[str, str] | None = None, under: Sequence[str] = ()
) -> "subprocess.CompletedProcess[str]":
    """Run the command line to its end; `under` is a command that starts it."""
    return subprocess.run(
        [*under, *COMMAND, *words],
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a shell would hand down, in a terminal that doesn't wrap."""
    return {**os.environ, "COLUMNS": "200", **(more or {})}
