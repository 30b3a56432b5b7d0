"""What agents may use up and use can be chosen for a run, is told to them and is written down."""

import json
from pathlib import Path

import pytest
from fake_trials import campaign_file, ids, planned

from netopsbench.campaign.contestants import program_digest
from netopsbench.campaign.limits import Limits, parse_limits
from netopsbench.campaign.plan import RunRequest, changes_since, plan_run
from netopsbench.core.errors import SpecError
from netopsbench.records.answers import Budget
from netopsbench.scenario.question import question_for

OWN = Budget(wall_time_s=60, tool_calls=50)


def test_limits_replace_those_of_the_campaign_and_leave_the_others():
    limits = parse_limits(["calls=40", "usd=2", "turns=9", "tokens=8000"])
    assert limits.over(OWN) == Budget(wall_time_s=60, tool_calls=40, turns=9, tokens=8000, cost_usd=2)
    assert parse_limits([]).over(OWN) == OWN
    assert parse_limits(["seconds=1.5"]).over(OWN).wall_time_s == 1.5


def test_all_wrong_limits_are_told_at_once():
    with pytest.raises(SpecError) as refused:
        parse_limits(["calls=many", "usd=0", "memory=3", "turns=1", "turns=2"])
    told = str(refused.value)
    assert all(word in told for word in ("calls is 'many'", "usd is '0'", "'memory=3'", "give each limit once"))


def test_a_runs_limits_are_part_of_the_plan_of_its_records_and_of_the_trial_ids(tmp_path):
    limited = planned(tmp_path, budget=Limits(tool_calls=7))
    assert (limited.cases.budget.tool_calls, limited.info.budget.tool_calls) == (7, 7)
    assert set(ids(limited)).isdisjoint(ids(planned(tmp_path)))


def test_a_limit_of_money_is_refused_before_the_run_for_a_model_of_unknown_price(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "x" * 20)
    with pytest.raises(SpecError, match="home-made"):
        planned(tmp_path, "claude:home-made,key_env=SOME_KEY", "nop", budget=Limits(cost_usd=1))
    assert planned(tmp_path, "claude:home-made,key_env=SOME_KEY").info.budget.cost_usd is None


def with_shell(folder: Path) -> Path:
    path = campaign_file(folder)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tools": {"shell": True}}))
    return path


def test_a_campaign_that_offers_a_shell_says_so_in_the_question_and_in_the_records(tmp_path):
    plain = planned(tmp_path)
    plan = plan_run(RunRequest(source=str(with_shell(tmp_path)), agents=("nop",)))
    assert (plan.cases.has_shell, plan.info.has_shell) == (True, True)
    assert (plain.cases.has_shell, plain.info.has_shell) == (False, False)
    assert set(ids(plan)).isdisjoint(ids(plain))
    assert "run_command" in question_for(OWN, has_shell=True).text
    assert "run_command" not in question_for(OWN).text


@pytest.fixture
def agent(tmp_path) -> Path:
    folder = tmp_path / "my-agent"
    folder.mkdir()
    (folder / "main.py").write_text("print('one')")
    (folder / "rules.txt").write_text("first")
    return folder


@pytest.mark.parametrize("kind", ["command", "command+trust"])
def test_a_changed_script_of_an_agent_is_noticed(kind: str, tmp_path, agent: Path):
    plan = planned(tmp_path, f"{kind}:python3 {agent / 'main.py'}")
    assert changes_since(plan) == ()
    (agent / "main.py").write_text("print('two')")
    (change,) = changes_since(plan)
    assert change.startswith(f"program of {kind}:python3 {agent / 'main.py'} was ")


def test_a_changed_file_in_an_agents_folder_is_noticed_and_what_running_it_leaves_is_not(tmp_path, agent: Path):
    plan = planned(tmp_path, f"command:python3 {agent}/./main.py")
    (agent / "__pycache__").mkdir()
    (agent / "__pycache__" / "main.pyc").write_text("compiled")
    assert changes_since(plan) == ()
    (agent / "rules.txt").write_text("second")
    assert len(changes_since(plan)) == 1


def test_a_changed_executable_is_noticed(tmp_path, agent: Path):
    program = agent / "run"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    plan = planned(tmp_path, f"command:{program}")
    program.write_text("#!/bin/sh\necho\n")
    assert len(changes_since(plan)) == 1


def test_another_agents_code_is_fingerprinted_as_a_whole_and_has_no_files_of_its_own(tmp_path):
    assert not [name for name in planned(tmp_path, "baseline").info.fingerprint if name.startswith("program")]


@pytest.mark.parametrize("name", ["run.json", "tasks.json", "tickets.json"])
def test_an_agent_in_the_folder_of_a_run_is_refused_as_the_keys_lie_there(name: str, agent: Path):
    (agent / name).write_text("{}")
    with pytest.raises(SpecError, match="it is no agent's folder"):
        program_digest(f"command:python3 {agent}/./main.py")
