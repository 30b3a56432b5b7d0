"""A campaign that offers a shell: the question says so, the agent can use it, and each command is a metered call."""

import json
import sys
from pathlib import Path

import pytest
from case_runs import NULL_ROUTE, campaign_of, run_all, whole_trials
from scripted_agents import ANSWER, HERE

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.records.trial import Trial

pytestmark = [pytest.mark.live, pytest.mark.slow]
COMMANDS = [("run_command", {"device": "leaf1", "command": line}) for line in ("ip route", "ip link set eth1 down")]


def trial_of(keys: dict[str, object], engine: NativeEngine, folder: Path) -> Trial:
    folder.mkdir()
    script = folder / "script.json"
    script.write_text(json.dumps({"calls": COMMANDS, "answer": ANSWER}))
    agent = f"command:{sys.executable} {HERE / 'scripted_agent.py'} {script}"
    run_all(keys, [agent], engine, folder / "campaign")
    (trial,) = whole_trials(folder / "campaign")
    return trial


def test_it_is_offered_where_the_campaign_says_so_and_nowhere_else(engine: NativeEngine, tmp_path: Path) -> None:
    keys = campaign_of(NULL_ROUTE)
    trial = trial_of({**keys, "tools": {"shell": True}}, engine, tmp_path / "with")
    assert [(call.tool, call.is_error) for call in trial.calls] == [("run_command", False)] * 2
    shown, refused = (json.loads(call.result) for call in trial.calls)
    assert shown["exit_code"] == 0
    assert refused["exit_code"] != 0
    question = tmp_path / "with" / "campaign" / "run" / "trajectories" / f"{trial.trial_id}.1.jsonl"
    assert "run_command" in json.loads(question.read_text().splitlines()[0])["content"]["text"]
    without = trial_of(keys, engine, tmp_path / "without")
    assert all("unknown_tool" in call.result for call in without.calls)
    assert without.error is None
