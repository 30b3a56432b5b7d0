"""Prepared cases run, and one can be looked around in, by the command line."""

import json
import subprocess
from pathlib import Path

import pytest
from case_runs import COMMAND, environment, netopsbench

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.scenario.load import load_scenario

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def prepared(engine: NativeEngine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the smallest scale, with a secret seed."""
    place = tmp_path_factory.mktemp("prepared")
    done = netopsbench("benchmark", "prepare", "--spec", "smoke", "--seed", "secret", "--out", "made", cwd=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "made/xs\n"
    return place / "made" / "xs"


def case_of(folder: Path, kind: str) -> str:
    """Id of the case with this fault."""
    cases = [load_scenario(str(path)) for path in folder.glob("*.yaml")]
    return next(case.id for case in cases if [fault.kind for fault in case.faults] == [kind])


def test_a_prepared_case_runs_and_its_secret_seed_is_told_at_the_end(prepared: Path, tmp_path: Path) -> None:
    case = case_of(prepared, "blackhole_route")
    seed = int((prepared / "seed.secret").read_text())
    words = ("benchmark", "run", str(prepared), "--case", case, "--agent", "oracle", "--out", "run")
    done = netopsbench(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["seed_kind"], run["seed"]) == ("headline", seed)
    assert run["seed_sha256"] in done.stderr
    assert str(seed) not in done.stderr
    shown = json.loads(netopsbench("benchmark", "score", "run", "--json", cwd=tmp_path).stdout)
    assert shown["seed"] == seed


def test_a_case_is_held_at_the_question_and_taken_down_cleanly(prepared: Path, tmp_path: Path) -> None:
    case = case_of(prepared, "blackhole_route")
    done = subprocess.run(
        [*COMMAND, "case", "up", case, "--from", str(prepared), "--hold"],
        input="get_topology limit=1\nget_nothing\nget_topology limit\n\n",
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["page"]["returned"] == 1
    assert "no tool 'get_nothing'" in done.stderr
    assert "write them key=value" in done.stderr
    assert "blackhole_route at leaf" in done.stderr.splitlines()[-1]


def test_an_unknown_case_is_a_mistake_that_names_the_known_ones(prepared: Path, tmp_path: Path) -> None:
    done = netopsbench("case", "up", "c000", "--from", str(prepared), cwd=tmp_path)
    assert done.returncode == 2
    assert case_of(prepared, "blackhole_route") in done.stderr or "…" in done.stderr
