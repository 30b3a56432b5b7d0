"""Runs of tickets and tasks: what is told before they begin, which trial it is, and which tasks there are."""

from pathlib import Path

import pytest
from task_recordings import run, tasks_of, written
from typer.testing import CliRunner

from netopsbench.campaign.task_plan import chosen_tasks
from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.record import TaskSource


def test_the_first_line_tells_what_is_run_and_each_trial_its_number(
    recording: Path, plan: FabricPlan, tmp_path: Path
) -> None:
    words = ("--replay", str(recording), "--agent", "nop", "--agent", "oracle", "--out", str(tmp_path / "out"))
    done = CliRunner().invoke(app, ["rca", "run", *words])
    assert done.exit_code == 0, done.stderr
    count = len(tasks_of(plan))
    lines = done.stderr.splitlines()
    assert lines[0] == f"{2 * count} trials: {count} tasks on xs, agent nop, oracle, in {tmp_path / 'out'}"
    numbers = [line.split()[0] for line in lines if line.startswith("[")]
    assert numbers == [f"[{number}/{2 * count}]" for number in range(1, 2 * count + 1)]


@pytest.mark.parametrize("command", [("rca", "run"), ("benchmark", "run")])
def test_a_dry_run_tells_trials_time_and_cost_and_leaves_nothing(
    recording: Path, plan: FabricPlan, tmp_path: Path, command: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    words = ("--replay", str(recording), "--agent", "nop", "--dry-run", "--budget", "seconds=30", "--out", str(out))
    if command[0] == "benchmark":
        done = CliRunner().invoke(app, [*command, str(written(plan, tmp_path / "suite")), *words[2:]])
    else:
        done = CliRunner().invoke(app, [*command, *words])
    assert done.exit_code == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()] == [[each.id, "xs", "nop"] for each in tasks_of(plan)]
    assert "the agents may take up to" in done.stderr
    assert ("starting, breaking and restoring" in done.stderr) == (command[0] == "benchmark")
    assert "cost: none" in done.stderr
    assert not out.exists()


def test_a_dry_run_of_tickets_needs_no_lab_and_names_unknown_agents() -> None:
    words = ["tickets", "run", "simple_bgp", "--dry-run", "--agent"]
    done = CliRunner().invoke(app, [*words, "command:/bin/cat"])
    assert done.exit_code == 0, done.stderr
    assert all(line.split()[1] == "simple_bgp" for line in done.stdout.splitlines())
    assert f"{len(done.stdout.splitlines())} trials, one after the other" in done.stderr
    assert "cost: unknown before the run" in done.stderr
    assert CliRunner().invoke(app, [*words, "nobdy"]).exit_code == 2


def test_a_limit_is_written_either_way_but_once(recording: Path) -> None:
    words = ("--replay", str(recording), "--agent", "nop", "--dry-run")
    code, said = run(*words, "--budget", "calls=3", "--tool-calls", "4")
    assert code == 2
    assert "--tool-calls: '4'; the same limit is in --budget too" in said
    assert run(*words, "--budget", "calls=3", "--wall-time-s", "4")[0] == 0


def test_networks_without_tasks_of_a_kind_are_answered_with_those_that_have_some(plan: FabricPlan) -> None:
    tasks = [task.model_copy(update={"network": "xs" if task.kind == "rca" else "small"}) for task in tasks_of(plan)]
    for name in ("small", "atlantis"):
        with pytest.raises(SpecError) as refused:
            chosen_tasks(tasks, TaskSource(kind="rca", networks=(name,), limit=3))
        assert str(refused.value) == f"--network: '{name}'; of --kind rca, one of xs"
    of_other_kind = next(task.id for task in tasks if task.kind == "path")
    with pytest.raises(SpecError, match=f"{of_other_kind} is of --kind path on small"):
        chosen_tasks(tasks, TaskSource(kind="rca", ids=(of_other_kind,)))


def test_tasks_are_listed_by_network_and_kind(plan: FabricPlan, tmp_path: Path) -> None:
    folder = written(plan, tmp_path / "suite")
    done = CliRunner().invoke(app, ["rca", "list", str(folder)])
    assert done.exit_code == 0, done.stderr
    kinds = [task.kind for task in tasks_of(plan)]
    (row,) = [line for line in done.stdout.splitlines() if " xs " in line]
    assert [cell.strip() for cell in row.split("│")[1:4]] == ["xs", str(kinds.count("rca")), str(kinds.count("path"))]
