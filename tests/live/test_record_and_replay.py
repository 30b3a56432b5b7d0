"""The whole smoke campaign, run and recorded, then replayed: the baseline agent says the same in every case."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from netopsbench.fabric.native.engine import NativeEngine

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(3600)]


def netopsbench(*words: str, folder: Path) -> str:
    argv = [sys.executable, "-m", "netopsbench.cli.main", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stderr


def trials_of(folder: Path) -> dict[str, Any]:
    trials = [json.loads(path.read_text()) for path in (folder / "trials").glob("*.json")]
    return {trial["case_id"]: trial for trial in trials if trial["end"] == "scored"}


def test_baseline_says_the_same_live_and_replayed(engine: NativeEngine, tmp_path: Path) -> None:
    words = ("benchmark", "run", "--agent", "baseline")
    told = netopsbench(*words, "smoke", "--record", "--workers", "1", "--out", "live", folder=tmp_path)
    assert "recording.zip" in told
    netopsbench(*words, "--replay", "live/recording.zip", "--out", "again", folder=tmp_path)
    live, again = trials_of(tmp_path / "live"), trials_of(tmp_path / "again")
    assert len(live) >= 12
    assert {case: trial["answer"] for case, trial in again.items()} == {
        case: trial["answer"] for case, trial in live.items()
    }
    assert {case: len(trial["calls"]) for case, trial in again.items()} == {
        case: len(trial["calls"]) for case, trial in live.items()
    }


def test_baseline_is_right_on_cases_recorded_with_another_agent(engine: NativeEngine, tmp_path: Path) -> None:
    words = ("benchmark", "run", "--agent", "random", "--out", "live", "--record")
    netopsbench(*words, "quickstart", "--workers", "1", folder=tmp_path)
    netopsbench("benchmark", "run", "--replay", "live/recording.zip", "--agent", "baseline", "--agent", "oracle",
                "--out", "again", "--fail-under", "0.99", folder=tmp_path)  # fmt: skip
