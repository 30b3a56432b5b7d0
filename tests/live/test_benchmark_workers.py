"""Real trials beside each other: the verdicts of one worker, and a run that is interrupted and goes on."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from case_runs import COMMAND, NULL_ROUTE, UPLINK_SHUT, campaign_of, environment, netopsbench, phases_of, written

from netopsbench.campaign.plan import RunRequest
from netopsbench.campaign.verbs import run_campaign
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.scoring.run import score_run

pytestmark = pytest.mark.live

CASES = campaign_of(UPLINK_SHUT, NULL_ROUTE, healthy=1)


def worth(folder: Path) -> dict[str, tuple[float, bool]]:
    return {score.trial_id: (score.strict, score.is_detected) for score in score_run(folder).scores}


@pytest.mark.slow
def test_two_workers_give_the_verdicts_of_one(engine: NativeEngine, tmp_path: Path) -> None:
    campaign = written(CASES, tmp_path / "small.yaml")
    request = RunRequest(source=str(campaign), agents=("baseline",))
    alone = run_campaign(request, tmp_path / "one", workers=1, engine=engine)
    beside = run_campaign(request, tmp_path / "two", workers=2, engine=engine)
    assert len(worth(alone)) == 3
    assert worth(beside) == worth(alone)
    assert {strict for strict, _ in worth(beside).values()} == {1.0}


def test_a_run_that_is_interrupted_with_two_trials_under_way_goes_on(engine: NativeEngine, tmp_path: Path) -> None:
    campaign = written(CASES, tmp_path / "small.yaml")
    words = ("benchmark", "run", str(campaign), "--agent", "baseline", "--workers", "2", "--out", "out")
    said = tmp_path / "said"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [*COMMAND, *words], stdout=log, stderr=log, cwd=tmp_path, env=environment(), start_new_session=True
        )
    deadline = time.monotonic() + 120
    while phases_of(tmp_path / "out").count("observe") < 2:
        assert process.poll() is None, said.read_text()
        assert time.monotonic() < deadline, said.read_text()
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == 130, said.read_text()
    assert "Traceback" not in said.read_text()
    assert "netopsbench benchmark resume out" in said.read_text()
    finished = {path.name for path in (tmp_path / "out" / "trials").glob("*.json")}
    assert not (tmp_path / "out" / "work").exists()
    resumed = netopsbench("benchmark", "resume", "out", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert f"{len(finished)} of 3 trials have a result" in resumed.stderr
    (agent,) = score_run(tmp_path / "out").summary.agents
    assert agent.counts.scored == 3
    assert agent.effort.cut_short == 2
    assert agent.effort.attempts == 5
    assert agent.strict.value == 1.0
