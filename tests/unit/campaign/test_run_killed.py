"""A run that is killed with -9 at any moment, and goes on as if nothing had happened."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from fake_trials import campaign_file

from netopsbench.report.write import write_report
from netopsbench.scoring.run import score_run

TRIALS = 3 * 2 * 2
FAKE_RUN = Path(__file__).with_name("fake_run.py")


class Process:
    """`fake_run.py` in a process of its own."""

    def __init__(self, verb: str, folder: Path, campaign: Path) -> None:
        command = [sys.executable, str(FAKE_RUN), verb, str(folder), str(campaign)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until(self, words: str, times: int = 1) -> None:
        """Read what it says until it has said this so many times."""
        while times:
            line = self._process.stdout.readline()
            assert line, self._process.stderr.read()
            times -= line.strip() == words

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def end(self) -> None:
        _, errors = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, errors


def figures(folder: Path) -> dict[str, object]:
    """The report without what differs between any two runs: ids and times."""
    summary = score_run(folder).summary
    whole = summary.model_dump(exclude={"run_id", "started_ns", "finished_ns", "pareto"})
    for agent in whole["agents"]:
        del agent["effort"]
    return whole


@pytest.fixture
def undisturbed(tmp_path):
    campaign = campaign_file(tmp_path)
    process = Process("run", tmp_path / "undisturbed", campaign)
    process.end()
    return figures(tmp_path / "undisturbed")


@pytest.mark.parametrize(
    ("moment", "times"), [("phase deploy", 1), ("phase agent", 5), ("phase destroy", TRIALS), ("scoring", 1)]
)
def test_killed_in_a_trial_or_in_scoring_and_again_after_the_resumption(tmp_path, undisturbed, moment, times):
    folder, campaign = tmp_path / "run", tmp_path / "small.yaml"
    first = Process("run", folder, campaign)
    first.until(moment, times)
    first.kill()
    finished = {path.stem for path in (folder / "trials").glob("t*.json")}
    second = Process("resume", folder, campaign)
    second.until("start")
    time.sleep(0.2)
    second.kill()
    Process("resume", folder, campaign).end()
    ran = Counter(Path(f"{folder}.ran").read_text().split())
    assert len(ran) == TRIALS
    assert all(ran[trial_id] == 1 for trial_id in finished)
    assert figures(folder) == undisturbed
    write_report(folder)


def test_killed_before_the_run_began_it_can_be_begun_in_the_same_folder(tmp_path, undisturbed):
    folder, campaign = tmp_path / "run", tmp_path / "small.yaml"
    # What is there when the kill comes between the two files of a plan.
    folder.mkdir()
    (folder / "plan.json").write_text("{")
    (folder / "lock").touch()
    process = Process("run", folder, campaign)
    process.end()
    assert figures(folder) == undisturbed


def test_killed_at_any_moment_of_the_set_up(tmp_path, undisturbed):
    folder, campaign = tmp_path / "run", tmp_path / "small.yaml"
    first = Process("run", folder, campaign)
    first.until("start")
    first.kill()
    verb = "resume" if (folder / "run.json").exists() else "run"
    Process(verb, folder, campaign).end()
    assert figures(folder) == undisturbed


def test_time_of_killed_tries_is_summed_up(tmp_path):
    folder, campaign = tmp_path / "run", campaign_file(tmp_path)
    first = Process("run", folder, campaign)
    first.until("phase destroy", 3)
    first.kill()
    Process("resume", folder, campaign).end()
    summary = score_run(folder).summary
    cut_short = sum(agent.effort.cut_short for agent in summary.agents)
    attempts = sum(agent.effort.attempts for agent in summary.agents)
    assert cut_short >= 1
    assert attempts == TRIALS + cut_short
    assert sum(agent.effort.total_time_s for agent in summary.agents) > TRIALS * 3.0


def test_a_killed_try_of_an_agent_that_calls_no_model_leaves_its_cost_known(tmp_path):
    folder, campaign = tmp_path / "run", campaign_file(tmp_path)
    first = Process("run", folder, campaign)
    first.until("phase agent", 3)
    first.kill()
    Process("resume", folder, campaign).end()
    efforts = [agent.effort for agent in score_run(folder).summary.agents]
    assert sum(effort.cut_short for effort in efforts) >= 1
    assert [(effort.total_tokens, effort.total_cost_usd) for effort in efforts] == [(0, 0.0)] * 2
