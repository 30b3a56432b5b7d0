"""A run of prepared cases that is killed twice and resumed reports what an undisturbed one does."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from case_runs import COMMAND, environment, phases_of

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.scenario.manifest import MANIFEST, Manifest

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(3600)]

CASES_OF_A_SCALE = 2
REPEATS = 2
AGENTS = ("baseline", "always-faulty")
TRIALS = 2 * CASES_OF_A_SCALE * REPEATS * len(AGENTS)
TIMES = frozenset({"run_id", "started_ns", "finished_ns", "time_s", "tool_time_s", "total_time_s"})
TRIES = frozenset({"attempts", "cut_short", "invalid_attempts", "asked"})
"""A try that was killed is counted as one, and called what it is; one may be made again on a busy machine."""
BY_TIME = "best_by"
"""Who is unbeaten by time depends on it."""


def prepared(folder: Path) -> Path:
    out = folder / "cases"
    spoken(folder, "benchmark", "prepare", "--scales", "xs,small", "--out", str(out))
    return out


def words_of_run(cases: Path, out: Path) -> list[str]:
    manifests = [Manifest.model_validate_json(path.read_bytes()) for path in sorted(cases.glob(f"*/{MANIFEST}"))]
    chosen = [Path(name).stem for manifest in manifests for name in sorted(manifest.scenarios)[:CASES_OF_A_SCALE]]
    words = ["benchmark", "run", str(cases), "--repeat", str(REPEATS), "--out", str(out)]
    return [*words, *(word for name in chosen for word in ("--case", name)), *(f"--agent={name}" for name in AGENTS)]


def spoken(folder: Path, *words: str) -> None:
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def killed(folder: Path, out: Path, words: list[str], *, trials: int, phase: str) -> None:
    """Run until so many trials are saved and another one has come to `phase`, and kill it."""
    log = folder / "said"
    with log.open("wb") as said:
        process = subprocess.Popen([*COMMAND, *words], stdout=said, stderr=said, cwd=folder, env=environment())
    try:
        while len(list((out / "trials").glob("*.json"))) < trials:
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        before = len(phases_of(out))
        while phase not in phases_of(out)[before:]:
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    assert len(list((out / "trials").glob("*.json"))) < TRIALS


def without_times(value: Any) -> Any:
    """A report's JSON with everything left out that tells how long things took."""
    if isinstance(value, dict):
        kept = value.keys() - TIMES - TRIES
        return {name: without_times(value[name]) for name in kept if name != BY_TIME}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def test_killed_twice_and_resumed_a_run_reports_what_an_undisturbed_one_does(
    engine: NativeEngine, tmp_path: Path
) -> None:
    cases = prepared(tmp_path)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    spoken(tmp_path, *words_of_run(cases, whole))
    killed(tmp_path, broken, words_of_run(cases, broken), trials=TRIALS // 4, phase="inject")
    killed(tmp_path, broken, ["benchmark", "resume", str(broken)], trials=TRIALS // 2, phase="agent")
    spoken(tmp_path, "benchmark", "resume", str(broken))
    reports = [json.loads((out / "report.json").read_text()) for out in (whole, broken)]
    assert [len(report["agents"]) for report in reports] == [len(AGENTS)] * 2
    assert without_times(reports[1]) == without_times(reports[0])
    attempts = [sum(agent["effort"]["cut_short"] for agent in report["agents"]) for report in reports]
    assert attempts[0] == 0
    assert attempts[1] >= 2
