"""`netopsbench rca run`, `resume` and `report`: give tasks to agents, and read what came out."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from netopsbench.campaign.contestants import check_names
from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.limits import LIMITS, Limits, check_limits, parse_limits
from netopsbench.campaign.rca_recorded import TaskReplay
from netopsbench.campaign.task_folder import Give, TaskFolder, from_recording, nothing, on_networks, same_recording
from netopsbench.campaign.task_plan import Asked, asked_for
from netopsbench.campaign.verbs import free_folder
from netopsbench.cli.ahead import Given, numbered, show_ahead, tell_ahead
from netopsbench.cli.cut_short import Progress, told_how_far
from netopsbench.cli.numbers import count, seconds
from netopsbench.cli.replay import tell_recording
from netopsbench.cli.speak import note, plainly
from netopsbench.cli.task_tables import figures_tables
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.rca.files import is_suite
from netopsbench.rca.metrics import RcaFigures
from netopsbench.rca.record import TaskPlan, TaskRun, TaskSource, TaskTrial
from netopsbench.records.answers import Budget
from netopsbench.replay.task_bundle import is_of_tasks
from netopsbench.report.naming import short_tasks, shortener, whole_names
from netopsbench.report.tasks import read_task_report, write_task_report

BUDGET = Budget(wall_time_s=900.0, tool_calls=400)
"""For one task, where neither a recording nor the user says otherwise."""
_USUAL = " by default, in a replay as in the recording."
Only = Annotated[list[str] | None, typer.Option("--only", help="Id of a task; may be repeated.")]
Kind = Annotated[str | None, typer.Option("--kind", help="rca or path; both by default.")]
Network = Annotated[list[str] | None, typer.Option("--network", help="Tasks on this network; may be repeated.")]
Limit = Annotated[int | None, count("The first so many of the chosen tasks.", "--limit")]
RunPath = Annotated[Path, typer.Argument(help="Folder of a run of tasks.")]


@plainly
def run_(
    agents: Annotated[list[str], typer.Option("--agent", help="Who is examined; may be repeated.")],
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of `benchmark prepare --suite ctbench`: `…/ctbench`.")
    ] = None,
    only: Only = None,
    kind: Kind = None,
    network: Network = None,
    limit: Limit = None,
    wall_time_s: Annotated[
        float | None, seconds(f"An agent's time for one task, seconds; {BUDGET.wall_time_s:g}{_USUAL}")
    ] = None,
    tool_calls: Annotated[int | None, count(f"An agent's tool calls for one task; {BUDGET.tool_calls}{_USUAL}")] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(help=f"Another limit than the usual one, or than the recording's: {LIMITS}; may be repeated."),
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Say what would be run, and how long it would take.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the run; runs/<name>-<time> by default.")
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Record each task, so that it can be replayed.")] = False,
    replay: Annotated[
        Path | None, typer.Option(help="Instead of a folder: a recording of tasks; no network is needed.")
    ] = None,
) -> None:
    """Give tasks to agents: break the network, ask, restore it, and grade the answers; or replay recorded tasks."""
    limits = _limits(wall_time_s, tool_calls, budget or ())
    if (folder is None) == (replay is None):
        raise SpecError([Problem("rca run", "FOLDER", "", "name a folder of tasks, or a recording with --replay")])
    source = TaskSource(
        folder=_whole(folder),
        recording=_whole(replay),
        ids=tuple(only or ()),
        kind=kind,
        networks=tuple(network or ()),
        limit=limit,
    )
    refuse_recording_twice(source, record)
    asked = asked_for(source, is_recorded=record)
    examine_on_tasks(asked, agents, limits, out, dry_run=dry_run)


@plainly
def resume_(
    run_folder: RunPath,
    accept_changes: Annotated[bool, typer.Option(help="Go on although something was changed; written down.")] = False,
) -> None:
    """Go on with a run that was cut short: what is over stays, what is missing is given."""
    resume_tasks(run_folder, accept_changes=accept_changes)


@plainly
def report_(run_folder: RunPath) -> None:
    """Work the figures of a run out again, also of one that was cut short, and write its report."""
    _show(run_folder)


def holds_tasks(source: Path) -> bool:
    """Whether a folder or a recording is one of root-cause and path tasks."""
    if source.is_dir():
        return is_suite(source)
    return source.is_file() and is_of_tasks(source)


def refuse_recording_twice(source: TaskSource, record: bool) -> None:
    """Raises SpecError when a recording is to be recorded."""
    if record and source.recording is not None:
        raise SpecError([Problem("--record", "", "", "a recording is recorded already; leave it out")])


def examine_on_tasks(
    asked: Asked, agents: list[str], limits: Limits, out: Path | None, *, dry_run: bool = False
) -> None:
    """Give the tasks to the agents, within the recording's budget or `BUDGET` but for `limits`; tell how they fared.

    With `dry_run` tell only what would be run.
    """
    budget = limits.over(BUDGET if asked.replay is None else asked.replay.bundle.about.budget)
    check_names(agents, "tasks")
    check_limits(agents, budget)
    if dry_run:
        show_ahead(_given(asked.plan), agents, "task", budget, is_replayed=asked.replay is not None)
        return
    path = free_folder(out, asked.name)
    tell_ahead(_given(asked.plan), agents, "task", path)
    give, versions = _giving(asked.replay)
    with RunFolder(path).claimed():
        run = TaskFolder(path).begin(asked, agents, budget, versions)
        if run.conditions.seed_sha256:
            note(f"secret seed, SHA-256 {run.conditions.seed_sha256}; the seed is told when the run has ended")
        _carry_out(path, run, give)
    _show(path)


def _limits(wall_time_s: float | None, tool_calls: int | None, budget: Sequence[str]) -> Limits:
    """The limits of both ways to write them. Raises SpecError for one that is given twice."""
    limits = parse_limits(budget)
    problems = [
        Problem(option, "", f"{value:g}", "the same limit is in --budget too; give it once")
        for option, value, other in (
            ("--wall-time-s", wall_time_s, limits.wall_time_s),
            ("--tool-calls", tool_calls, limits.tool_calls),
        )
        if value is not None and other is not None
    ]
    if problems:
        raise SpecError(problems)
    given = {"wall_time_s": wall_time_s, "tool_calls": tool_calls}
    return limits.model_copy(update={name: value for name, value in given.items() if value is not None})


def _given(plan: TaskPlan) -> Given:
    return [(task.id, task.network) for task in plan.tasks]


def resume_tasks(path: Path, *, accept_changes: bool) -> None:
    """Go on with the run in a folder, and tell how the agents fared."""
    folder = TaskFolder(path)
    plan, run = folder.plan(), folder.run()
    progress = _progress(folder, plan, run)
    note(str(progress))
    is_left = progress.over < progress.planned
    if is_left:
        check_names(run.agents, "tasks")
    replay = same_recording(plan, run) if is_left else None
    with RunFolder(path).claimed():
        run = folder.go_on(accept_changes=accept_changes)
        _carry_out(path, run, _giving(replay)[0] if is_left else nothing)
    _show(path)


def _giving(replay: TaskReplay | None) -> tuple[Give, dict[str, str]]:
    """How tasks are given, and by which versions of what isn't ours."""
    if replay is not None:
        return from_recording(replay), {}
    software = fetch_software(note)
    return on_networks(NativeEngine(software)), {"FRR": software.frr_version}


def _carry_out(path: Path, run: TaskRun, give: Give) -> None:
    folder, shorten = TaskFolder(path), shortener(run.agents)
    plan = folder.plan()

    with (
        told_how_far(path, "rca resume", lambda: _progress(folder, plan, run), write_task_report),
        closing(folder.give(plan, run, give)) as trials,
    ):
        before, planned = folder.over(plan, run), len(plan.tasks) * len(run.agents)
        for number, trial in enumerate(trials, start=before + 1):
            note(f"{numbered(number, planned)} {trial.task_id}, {shorten(trial.agent)}: {_told(trial)}")
    if plan.is_recorded:
        tell_recording(path, "task")


def _progress(folder: TaskFolder, plan: TaskPlan, run: TaskRun) -> Progress:
    return Progress(folder.over(plan, run), len(plan.tasks) * len(run.agents))


def _whole(path: Path | None) -> Path | None:
    """A path that means the same wherever a run is gone on with."""
    return None if path is None else path.resolve()


def _show(path: Path) -> None:
    """Write a run's report and print its figures."""
    page = write_task_report(path)
    found = read_task_report(path)
    for table in figures_tables(short_tasks(found)):
        Console().print(table)
    for line in whole_names(found.run.agents):
        note(line)
    conditions = found.run.conditions
    if conditions.seed_sha256 and conditions.seed is not None:
        note(f"the secret seed was {conditions.seed}")
    note(f"report: {page}")
    if found.invalid:
        note(f"{found.invalid} of {len(found.rows)} trials are invalid and in no figure")


def _told(trial: TaskTrial) -> str:
    if trial.score is None:
        return f"invalid: {trial.error.message if trial.error else ''}"
    figures = trial.score.strict
    failed = f", {figures.failure}" if isinstance(figures, RcaFigures) and figures.failure else ""
    failed += f", {trial.error.reason}" if trial.error else ""
    return f"accuracy {figures.accuracy:.0f}{failed}, evidence {trial.score.evidence:.2f}, {trial.score.rounds} calls"
