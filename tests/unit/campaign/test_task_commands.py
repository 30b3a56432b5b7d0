"""Root-cause and path tasks given on the command line: sources, budgets, names, and where results are kept."""

import json
from pathlib import Path

import pytest
from task_recordings import BUDGET, recording_from, run, tasks_of, written
from typer.testing import CliRunner

from netopsbench.campaign.rca_recorded import TaskReplay
from netopsbench.campaign.recorded import RECORDING, sealed_path
from netopsbench.cli import task_run
from netopsbench.cli.main import app
from netopsbench.fabric.plan import FabricPlan


def test_a_recording_is_replayed_from_the_command_line(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said = run("--replay", str(recording), "--agent", "sweeper", "--kind", "rca", "--out", str(out))
    assert code == 0, said
    assert '"recording"' in (out / "result.json").read_text()
    assert (out / "report.html").exists()


def test_benchmark_run_replays_tasks_too_and_names_what_means_nothing_for_them(recording: Path, tmp_path: Path) -> None:
    words = ("--replay", str(recording), "--agent", "nop", "--out", str(tmp_path / "out"))
    code, said = run(*words, "--budget", "calls=7", command=("benchmark", "run"))
    assert code == 0, said
    assert '"tool_calls": 7' in (tmp_path / "out" / "result.json").read_text()
    options = ("--timing=fast", "--repeat=2", "--workers=8", "--telemetry=influx://127.0.0.1/points")
    code, said = run(*words, *options, command=("benchmark", "run"))
    assert code == 2
    for option in options:
        assert f"{option.partition('=')[0]}: root-cause and path tasks are run as they are" in said


@pytest.mark.parametrize("command", [("rca", "run"), ("benchmark", "run")])
def test_a_replay_has_the_budget_of_the_recording_but_for_what_is_given(
    recording: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    words = ("--replay", str(recording), "--agent", "nop")
    given = ("--tool-calls", "7") if command[0] == "rca" else ("--budget", "calls=7")
    for more, calls in (((), BUDGET.tool_calls), (given, 7)):
        out = tmp_path / f"out{calls}"
        code, said = run(*words, *more, "--out", str(out), command=command)
        assert code == 0, said
        told = json.loads((out / "result.json").read_text())["report"]["run"]["budget"]
        assert (told["wall_time_s"], told["tool_calls"]) == (BUDGET.wall_time_s, calls)


@pytest.mark.parametrize("option", ["--tool-calls", "--wall-time-s"])
def test_a_limit_of_nothing_is_refused(recording: Path, option: str) -> None:
    code, said = run("--replay", str(recording), "--agent", "nop", option, "0")
    assert code == 2
    assert option in said


def test_the_variable_for_telemetry_keeps_nobody_from_a_replay(recording: Path, tmp_path: Path) -> None:
    words = ["benchmark", "run", "--replay", str(recording), "--agent", "nop", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words, env={"NETOPSBENCH_TELEMETRY": "influx://127.0.0.1/points"})
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [(("rca", "run"), "--only", "x1"), (("benchmark", "run"), "--case", "x1"), (("rca", "run"), "--network", "k8")],
)
def test_a_name_that_there_is_not_is_told_with_its_option_and_the_known_ones(
    recording: Path, plan: FabricPlan, command: tuple[str, ...], option: str, value: str
) -> None:
    code, said = run("--replay", str(recording), "--agent", "nop", option, value, command=command)
    assert code == 2
    known = "xs" if option == "--network" else ", ".join(task.id for task in tasks_of(plan))
    assert f"netopsbench: {option}: '{value}'; one of {known}" in " ".join(said.split())


@pytest.mark.parametrize("command", [("rca", "run"), ("benchmark", "run")])
def test_a_replay_of_tasks_is_kept_where_runs_are_kept(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = run("--replay", str(recording), "--agent", "nop", command=command)
    assert code == 0, said
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("tasks-replayed-")
    assert {path.name for path in folder.iterdir()} == {
        "plan.json", "tasks.json", "trials", "lock", "result.json", "report.html"
    }  # fmt: skip


@pytest.fixture
def prepared(plan: FabricPlan, tmp_path: Path) -> Path:
    return written(plan, tmp_path / "ctbench")


@pytest.mark.parametrize("command", [("rca", "run"), ("benchmark", "run")])
def test_tasks_are_recorded_without_a_folder_being_named(
    prepared: Path, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    replay = TaskReplay(recording)
    monkeypatch.setattr(task_run, "_giving", lambda _: (recording_from(replay), {"FRR": "8.4"}))
    monkeypatch.chdir(tmp_path)
    code, said = run(str(prepared), "--agent", "nop", "--record", command=command)
    assert code == 0, said
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("ctbench-")
    assert len(TaskReplay(folder / RECORDING).tasks) == 2
    assert f"{sealed_path(Path('runs') / folder.name / RECORDING)} is for scoring alone" in " ".join(said.split())


def test_a_limit_of_money_that_nobody_could_keep_is_told_before_a_network_is_built(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(*_: object) -> None:
        raise AssertionError("a network was asked for")

    monkeypatch.setattr(task_run, "_giving", built)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    words = (str(prepared), "--agent", "claude:model=home-made", "--budget", "usd=2")
    code, said = run(*words, command=("benchmark", "run"))
    assert code == 2
    assert "its price is unknown" in said


def test_a_choice_that_leaves_no_task_is_told(recording: Path, plan: FabricPlan) -> None:
    path = next(task for task in tasks_of(plan) if task.kind == "path")
    code, said = run("--replay", str(recording), "--agent", "nop", "--only", path.id, "--kind", "rca")
    assert code == 2
    assert f"no task is all that was asked for: {path.id} is of --kind path on xs" in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--replay"),
        (("tasks", "--replay", "x.zip"), "--replay"),
        (("--replay", "x.zip", "--record"), "recorded already"),
        (("--replay", "x.zip"), "No such file"),
    ],
)
def test_sources_that_do_not_go_together_are_told(words: tuple[str, ...], told: str) -> None:
    code, said = run("--agent", "nop", *words)
    assert code == 2
    assert told in said
