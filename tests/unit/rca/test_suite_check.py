"""A prepared suite is checked without anything running; `benchmark check` tells every mistake of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.rca.checking import check_suite
from netopsbench.rca.files import MANIFEST, suite_files
from netopsbench.rca.generate import NETWORKS, Suite, generate
from netopsbench.scenario.manifest import sha256


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    plans = {name: plan_fabric(load_spec(name)) for name in NETWORKS}
    whole = generate(plans, 1)
    indirect = [task for task in whole.rca if task.denied][:1]
    return suite_files(Suite(rca=(*whole.rca[:3], *indirect), paths=whole.paths[:3]), plans, 1)


@pytest.fixture
def suite(files: dict[str, bytes], tmp_path: Path) -> Path:
    folder = tmp_path / "ctbench"
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def changed(suite: Path, path: Path, change: Callable[[dict], None]) -> None:
    """Change a task by hand, and own up to it in the manifest."""
    task = yaml.safe_load(path.read_text())
    change(task)
    path.write_text(yaml.safe_dump(task))
    manifest = json.loads((suite / MANIFEST).read_text())
    manifest["tasks"][str(path.relative_to(suite))] = sha256(path.read_bytes())
    (suite / MANIFEST).write_text(json.dumps(manifest))


def said(suite: Path) -> list[str]:
    with pytest.raises(SpecError) as refused:
        check_suite(suite)
    return [str(problem) for problem in refused.value.problems]


def check(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["benchmark", "check", *words])
    return done.exit_code, done.stdout, done.stderr


def test_a_suite_as_it_was_prepared_has_no_mistake_and_its_proof_is_named(suite: Path) -> None:
    code, table, words = check(str(suite))
    assert code == 0
    assert "4 root-cause tasks" in words
    assert "3 path tasks" in words
    assert f"netopsbench rca prove {suite}" in words
    assert all(name in table for name in check_suite(suite).by_network)


def test_the_folder_above_is_checked_too_and_its_figures_are_json(suite: Path) -> None:
    code, figures, _ = check(str(suite.parent), "--json")
    assert code == 0
    (told,) = json.loads(figures)["suites"]
    assert (told["rca"], told["path"]) == (4, 3)


def test_mistakes_of_every_task_are_told_at_once(suite: Path) -> None:
    one, other, third, fourth = sorted(suite.glob("rca/*.yaml"))
    changed(suite, one, lambda task: task["causes"][0]["triple"].update(cause="gremlins"))
    changed(suite, other, lambda task: task.update(source="nobody1"))
    changed(suite, third, lambda task: task.update(network="atlantis"))
    changed(suite, fourth, lambda task: task.update(id="tother"))
    (path, *_) = sorted(suite.glob("path/*.yaml"))
    changed(suite, path, lambda task: task.update(goldn=[]))
    told = said(suite)
    assert f"{one}: causes[1].triple.cause is 'gremlins'; a cause of `netopsbench rca labels`" in told
    assert any(each.startswith(f"{other}: source is 'nobody1'; a device or host of ") for each in told)
    assert any(each.startswith(f"{third}: network is 'atlantis'; known names: ") for each in told)
    assert any(each.startswith(f"{fourth}: id is 'tother'; ") for each in told)
    assert any(each.startswith(f"{path}: goldn") for each in told)
    assert len(told) == 5


def test_a_golden_step_that_is_denied_is_a_mistake(suite: Path) -> None:
    (path, *_) = sorted(suite.glob("path/*.yaml"))

    def deny(task: dict) -> None:
        first = task["golden"][0]
        task["denied"] = [{"device": first["device"], "need": first["need"], "about": ""}]

    changed(suite, path, deny)
    assert any("golden is " in each and "a question that `denied` leaves permitted" in each for each in said(suite))


def test_a_cause_that_its_network_cannot_have_is_a_mistake(suite: Path) -> None:
    (path, *_) = sorted(suite.glob("rca/*.yaml"))
    changed(suite, path, lambda task: task["causes"][0].update(variant=999))
    assert any(each.startswith(f"{path}: causes[1] is ") for each in said(suite))


def test_files_and_figures_that_are_not_as_the_manifest_says_are_mistakes(suite: Path) -> None:
    manifest = json.loads((suite / MANIFEST).read_text())
    manifest["counts"]["rca"] = 126
    (suite / MANIFEST).write_text(json.dumps(manifest))
    assert said(suite) == [f"{suite / MANIFEST}: counts.rca is '126'; the tasks come to 4"]
    (path, *_) = sorted(suite.glob("path/*.yaml"))
    path.write_text(path.read_text() + "\n")
    assert any("the file was changed" in each for each in said(suite))
    path.unlink()
    assert any(str(path.relative_to(suite)) in each for each in said(suite))


def test_a_network_that_was_changed_since_is_a_mistake(suite: Path) -> None:
    manifest = json.loads((suite / MANIFEST).read_text())
    name = sorted(manifest["networks"])[0]
    manifest["networks"][name] = "0" * 64
    (suite / MANIFEST).write_text(json.dumps(manifest))
    assert any(each.startswith(f"{suite / MANIFEST}: networks.{name} ") for each in said(suite))


def test_a_folder_of_neither_cases_nor_tasks_is_told_so(tmp_path: Path) -> None:
    code, _, words = check(str(tmp_path))
    assert code == 2
    assert "neither cases nor tasks" in words
    assert len(words.splitlines()) == 1


def test_whoever_runs_a_folder_of_suites_as_cases_is_shown_the_way(suite: Path) -> None:
    done = CliRunner().invoke(app, ["benchmark", "run", str(suite.parent), "--agent", "nop"])
    assert done.exit_code == 2
    assert f"netopsbench rca run {suite}" in done.stderr


def test_cases_beside_a_suite_are_checked_with_it(suite: Path) -> None:
    words = ["benchmark", "prepare", "--spec", "quickstart", "--out", str(suite.parent)]
    assert CliRunner().invoke(app, words).exit_code == 0
    code, table, told = check(str(suite.parent))
    assert code == 0, told
    assert "6 cases of quickstart: no mistake found" in told
    assert "4 root-cause tasks" in told
    assert "always faulty" in table
