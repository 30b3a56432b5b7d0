"""Tasks of public and of secret seeds: what their files tell, and what a run says of them before and after."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.campaign.plan import seed_hash
from netopsbench.campaign.task_folder import TaskFolder
from netopsbench.campaign.task_plan import asked_for
from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError
from netopsbench.rca.files import drawing_of, load_tasks
from netopsbench.rca.generate import task_id
from netopsbench.rca.record import Drawing, TaskPlan, TaskRun, TaskSource
from netopsbench.records.answers import Budget
from netopsbench.report.conditions import task_conditions
from netopsbench.report.task_view import task_view
from netopsbench.report.tasks import report_of

BUDGET = Budget(wall_time_s=60, tool_calls=10)


def prepared(out: Path, *words: str) -> tuple[int, str]:
    typed = ["benchmark", "prepare", "--suite", "ctbench", "--out", str(out), *words]
    done = CliRunner().invoke(app, typed, env={"COLUMNS": "200"})
    return done.exit_code, " ".join(done.stderr.split())


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    out = tmp_path_factory.mktemp("secret")
    code, said = prepared(out, "--seed", "secret")
    assert code == 0
    return out / "ctbench", said


def begun(folder: Path, run_folder: Path) -> tuple[TaskFolder, TaskPlan, TaskRun]:
    asked = asked_for(TaskSource(folder=folder, kind="path", limit=1))
    run_folder.mkdir()
    place = TaskFolder(run_folder)
    run = place.begin(asked, ["nop"], BUDGET, {})
    return place, asked.plan, run


def told(run: TaskRun, plan: TaskPlan) -> str:
    return " ".join(text for _, text in task_conditions(report_of(plan.tasks, run, [])))


def test_a_secret_seed_is_committed_to_and_its_value_is_for_its_owner(secret: tuple[Path, str]) -> None:
    folder, said = secret
    drawn = drawing_of(folder)
    assert drawn.seed is not None
    assert drawn.seed_sha256 == seed_hash(drawn.seed)
    assert drawn.seed_sha256 in said
    assert str(drawn.seed) not in said
    assert (folder / "seed.secret").stat().st_mode & 0o077 == 0
    others = [path for path in folder.rglob("*") if path.is_file() and path.name != "seed.secret"]
    assert len(others) == 235
    assert not any(str(drawn.seed) in path.read_text() for path in others)


def test_ids_of_a_secret_seed_are_of_no_public_one(secret: tuple[Path, str]) -> None:
    ids = {task.id for task in load_tasks(secret[0])}
    assert len(ids) == 234
    public = {task_id(kind, seed, n) for kind in ("rca", "path") for seed in range(1000) for n in range(126)}
    assert not ids & public


def test_a_run_tells_a_secret_seed_when_it_has_ended(secret: tuple[Path, str], tmp_path: Path) -> None:
    place, plan, run = begun(secret[0], tmp_path / "run")
    seed, hashed = plan.drawn.seed, plan.drawn.seed_sha256
    assert (run.conditions.seed_kind, run.conditions.seed_sha256, run.conditions.seed) == ("headline", hashed, None)
    assert hashed in told(run, plan)
    assert str(seed) not in told(run, plan)
    list(place.give(plan, run, lambda left, budget: iter(())))
    ended = place.run()
    assert ended.conditions.seed == seed
    assert f"it was {seed}" in told(ended, plan)
    assert not any("Practice" in note for note in task_view(report_of(plan.tasks, ended, [])).notes)


def test_without_the_secret_file_a_run_is_a_headline_run_all_the_same(secret: tuple[Path, str], tmp_path: Path) -> None:
    drawn = drawing_of(secret[0])
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "manifest.json").write_bytes((secret[0] / "manifest.json").read_bytes())
    assert drawing_of(bare) == Drawing(seed_sha256=drawn.seed_sha256)
    (bare / "seed.secret").write_text("7\n")
    assert drawing_of(bare).seed is None


def test_a_run_of_a_public_seed_is_practice(tmp_path: Path) -> None:
    code, said = prepared(tmp_path)
    assert code == 0
    assert "seed 1 is public" in said
    _, plan, run = begun(tmp_path / "ctbench", tmp_path / "run")
    assert (run.conditions.seed_kind, run.conditions.seed, run.conditions.seed_sha256) == ("practice", 1, "")
    assert "practice: their seed 1 is no secret" in told(run, plan)
    assert any("Practice run" in note for note in task_view(report_of(plan.tasks, run, [])).notes)
    assert json.loads((tmp_path / "run" / "tasks.json").read_text())["conditions"]["seed_kind"] == "practice"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--scales", "xs"], ["--scales", "xs"]),
        (["--spec", "netopsbench"], ["--spec"]),
        (["--spec", "smoke", "--scales", "small"], ["--spec", "smoke", "--scales", "small"]),
        (["--seed", "mine"], ["--seed", "mine", "or secret"]),
    ],
)
def test_options_that_say_nothing_of_a_suite_are_refused_by_name(
    words: list[str], named: list[str], tmp_path: Path
) -> None:
    code, said = prepared(tmp_path, *words)
    assert code == 2
    assert all(each in said for each in named)
    assert list(tmp_path.iterdir()) == []


def test_a_task_whose_file_has_another_name_is_refused(secret: tuple[Path, str], tmp_path: Path) -> None:
    (tmp_path / "rca").mkdir()
    one = next((secret[0] / "rca").iterdir())
    (tmp_path / "rca" / "t000000000000.yaml").write_bytes(one.read_bytes())
    with pytest.raises(SpecError, match=one.stem):
        load_tasks(tmp_path)
