"""The whole smoke campaign with each kind of agent: whoever calls the tools, the same is metered and scored."""

import sys
from pathlib import Path

import pytest
from case_runs import Follower
from scripted_agents import CALLS, HERE, counted, scripted

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.run import Terms, run
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.records.trial import Trial

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(3600)]
CASES = 13
BY_CHANCE = {"packet_loss", "packet_corruption", "link_flapping"}
"""Faults of which two trials don't show the same, so that the baseline looks more often in one than in the other."""


def smoked(agents: tuple[str, ...], engine: NativeEngine, folder: Path) -> dict[str, dict[str, Trial]]:
    """The trials of the smoke campaign by case and agent; all of them came to their end."""
    plan = plan_run(RunRequest(source="smoke", agents=agents))
    run(plan, engine, folder / "run", Follower(), Terms(workers=1))
    found: dict[str, dict[str, Trial]] = {}
    for path in (folder / "run" / "trials").iterdir():
        trial = Trial.model_validate_json(path.read_bytes())
        assert trial.error is None, (trial.agent, trial.error)
        found.setdefault(trial.case_id, {})[trial.agent] = trial
    assert len(found) == CASES
    return found


def claimed(trial: Trial) -> tuple[str, list[tuple[str, str]]]:
    """What of an answer is graded."""
    assert trial.answer is not None
    return trial.answer.verdict, [(each.fault_type, str(each.location)) for each in trial.answer.findings]


def test_both_mcp_clients_and_claude_complete_the_smoke_campaign_with_the_same_metered_calls(
    engine: NativeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted(tmp_path, monkeypatch) as agents:
        trials = smoked(tuple(agents.values()), engine, tmp_path)
    for case_id, by_agent in trials.items():
        metered = {name: counted(by_agent[spec].calls) for name, spec in agents.items()}
        assert metered["python"] == metered["typescript"] == metered["claude"], case_id
        assert metered["python"].total() == len(CALLS), case_id


def test_the_baseline_over_mcp_answers_the_smoke_campaign_as_it_does_without(
    engine: NativeEngine, tmp_path: Path
) -> None:
    over_mcp = f"command:{sys.executable} {HERE / 'baseline_over_mcp.py'}"
    for case_id, by_agent in smoked(("baseline", over_mcp), engine, tmp_path).items():
        own, other = by_agent["baseline"], by_agent[over_mcp]
        assert claimed(own) == claimed(other), case_id
        if not BY_CHANCE & {fault.fault_type for fault in own.truth.faults}:
            assert len(own.calls) == len(other.calls), case_id
