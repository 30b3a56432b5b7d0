"""Replays of tasks and of cases that are killed or told to end, and go on as if nothing had happened."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from task_recordings import run

from netopsbench.scoring.run import score_run

# What runs in another process is taken for the same code.
pytestmark = pytest.mark.usefixtures("same_code")

AGENTS = ("--agent=oracle", "--agent=nop", "--agent=sweeper")
TRIALS = 2 * len(AGENTS)
SLOW = Path(__file__).with_name("slow_tasks.py")
TIMES = frozenset({"elapsed_s", "started_ns", "finished_ns", "run_id", "sittings", "machines"})


@contextmanager
def started(*words: str, trials: int) -> Iterator["subprocess.Popen[str]"]:
    """A command that has begun so many trials."""
    with subprocess.Popen([sys.executable, str(SLOW), *words], stdout=-1, stderr=-1, text=True) as process:
        for _ in range(trials):
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "begins\n", process.stderr.read()
        yield process
        process.wait(120)


def without_times(told: Any) -> Any:
    """A record without what differs between any two runs."""
    if isinstance(told, dict):
        return {key: without_times(value) for key, value in told.items() if key not in TIMES}
    return [without_times(each) for each in told] if isinstance(told, list) else told


def result(folder: Path) -> Any:
    """Everything that a run came to."""
    return without_times(json.loads((folder / "result.json").read_text()))


def files(folder: Path) -> dict[str, int]:
    """Trials that are over, with the time at which each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "trials").glob("*.json")}


def test_a_killed_run_of_tasks_goes_on_and_equals_an_undisturbed_one(recording: Path, tmp_path: Path) -> None:
    words = ("--replay", str(recording), *AGENTS)
    assert run(*words, "--out", str(tmp_path / "undisturbed"))[0] == 0
    folder = tmp_path / "killed"
    with started("rca", "run", *words, "--out", str(folder), trials=4) as process:
        process.kill()
    over = files(folder)
    assert len(over) == 3
    code, said = run(str(folder), command=("rca", "resume"))
    assert code == 0, said
    assert f"3 of {TRIALS} trials are over" in said
    assert over.items() <= files(folder).items()
    assert len(files(folder)) == TRIALS
    assert result(folder) == result(tmp_path / "undisturbed")
    assert "cut short and resumed" in (folder / "report.html").read_text()


def test_sigterm_leaves_a_report_and_says_how_far_the_run_came_and_how_to_go_on(
    recording: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "ended"
    words = ("rca", "run", "--replay", str(recording), *AGENTS, "--out", str(folder))
    with started(*words, trials=3) as process:
        process.send_signal(signal.SIGTERM)
        said = " ".join(process.communicate(timeout=120)[1].split())
    assert process.returncode == 128 + signal.SIGTERM
    assert f"2 of {TRIALS} trials are over and saved, report: {folder}/report.html" in said
    assert said.endswith(f"go on with: netopsbench rca resume {folder}")
    assert len(result(folder)["trials"]) == 2
    assert f"The run has not ended: 2 of {TRIALS} trials are there." in (folder / "report.html").read_text()
    assert run(str(folder), command=("benchmark", "resume"))[0] == 0
    assert len(result(folder)["trials"]) == TRIALS


def test_a_killed_replay_of_cases_goes_on_and_equals_an_undisturbed_one(tmp_path: Path) -> None:
    words = ("--replay", "smoke", "--agent", "always-healthy")
    assert run(*words, "--out", str(tmp_path / "undisturbed"), command=("benchmark", "run"))[0] == 0
    folder = tmp_path / "killed"
    with started("benchmark", "run", *words, "--out", str(folder), trials=3) as process:
        process.kill()
    over = files(folder)
    assert len(over) == 2
    code, said = run(str(folder), command=("benchmark", "resume"))
    assert code == 0, said
    assert "2 of " in said
    assert over.items() <= files(folder).items()
    scored, wanted = score_run(folder), score_run(tmp_path / "undisturbed")
    assert scored.scores == wanted.scores
    assert len(scored.records.info.sittings) == 2
    assert files(folder).keys() == files(tmp_path / "undisturbed").keys()
