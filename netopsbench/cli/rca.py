"""`netopsbench rca`: root-cause and path tasks, their proofs, and agents that work on them."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.agent.starting import program_for
from netopsbench.campaign.limits import Limits, check_limits
from netopsbench.campaign.rca_recorded import TaskReplay, keep_tasks
from netopsbench.campaign.rca_trial import TaskTrial, entry_of, run_tasks, task_report
from netopsbench.campaign.recorded import sealed_path
from netopsbench.cli.fabric import AsJson
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.rca.files import load_tasks
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.metrics import RcaFigures
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.proving import prove
from netopsbench.rca.record import Group, TaskReport
from netopsbench.rca.repertoire import MAKERS, NOT_MADE
from netopsbench.rca.standing import StandingNetwork
from netopsbench.records.answers import Budget
from netopsbench.replay.task_bundle import is_of_tasks
from netopsbench.report.html import INDEX, Pages

rca = typer.Typer(help="Tasks that ask for all root causes, or for the paths of packets.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of `benchmark prepare --suite ctbench`: `…/ctbench`.")]
Only = Annotated[list[str] | None, typer.Option("--only", help="Id of a task; may be repeated.")]
Kind = Annotated[str | None, typer.Option("--kind", help="rca or path; both by default.")]
Network = Annotated[list[str] | None, typer.Option("--network", help="Tasks on this network; may be repeated.")]
BUDGET = Budget(wall_time_s=900.0, tool_calls=400)
"""For one task, where neither a recording nor the user says otherwise."""
_RECORDED = "recording"
"""Folder of the tasks that are recorded already, until the run is over."""
_USUAL = " by default, in a replay as in the recording."
_NAMED = 20
"""So many of the names that could have been meant are told."""
_TITLES = {"rca": "root causes", "path": "paths"}
_SHORT = {
    "accuracy": "acc",
    "location": "loc",
    "identification": "id",
    "hierarchical": "hier",
    "evidence": "evid",
    "endpoints": "ends",
    "restored": "rest",
}
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="The first so many of the chosen tasks.")]


@rca.command("labels")
@plainly
def labels_(as_json: AsJson = False) -> None:
    """Causes, where they stand in the hierarchy, and why some of them are in no task."""
    rows = [
        {**cause.model_dump(), "is_real": cause.label in MAKERS, "reason": NOT_MADE.get(cause.label, "")}
        for cause in CAUSES
    ]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    table = Table("cause", "category", "place", "in tasks")
    for row in rows:
        place = f"{row['super_category']} > {row['domain']}"
        table.add_row(str(row["label"]), str(row["category"]), place, str(row["reason"]) or "yes")
    Console().print(table)


@rca.command("prove")
@plainly
def prove_(folder: Folder, only: Only = None, kind: Kind = None, network: Network = None, limit: Limit = None) -> None:
    """Bring networks up and prove tasks: healthy before, broken as the key says, solved with what is permitted."""
    source = TaskSource(folder=folder, only=only, kind=kind, network=network, limit=limit)
    chosen = _chosen(load_tasks(folder), source)
    valid = 0
    for name, tasks in _by_network(chosen).items():
        with StandingNetwork(name, NativeEngine(fetch_software(note))) as standing:
            for task in tasks:
                proof = prove(task, standing)
                valid += proof.is_valid
                note(f"{name} {task.id}: {'valid' if proof.is_valid else 'NOT VALID'}, {proof.elapsed_s:.1f} s")
                for problem in proof.problems:
                    note(f"    {problem}")
    note(f"{valid} of {len(chosen)} tasks are valid")
    if valid < len(chosen):
        raise typer.Exit(FAILED)


@rca.command("run")
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
        float | None, typer.Option(min=1, help=f"An agent's time for one task, seconds; {BUDGET.wall_time_s:g}{_USUAL}")
    ] = None,
    tool_calls: Annotated[
        int | None, typer.Option(min=1, help=f"An agent's tool calls for one task; {BUDGET.tool_calls}{_USUAL}")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for result.json and report.html.")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Record each task into the folder of --out, so that it can be replayed.")
    ] = False,
    replay: Annotated[
        Path | None, typer.Option(help="Instead of a folder: a recording of tasks; no network is needed.")
    ] = None,
) -> None:
    """Give tasks to agents: break the network, ask, restore it, and grade the answers; or replay recorded tasks."""
    limits = Limits(wall_time_s=wall_time_s, tool_calls=tool_calls)
    source = TaskSource(folder=folder, replay=replay, only=only, kind=kind, network=network, limit=limit)
    examine_on_tasks(source, agents, limits, out, record=record)


@dataclass(frozen=True)
class TaskSource:
    """Which tasks are given: a folder's or a recording's, all or some of them."""

    folder: Path | None = None
    replay: Path | None = None
    only: list[str] | None = None
    kind: str | None = None
    network: list[str] | None = None
    limit: int | None = None
    id_option: str = "--only"
    """What the command calls the option for ids."""

    @property
    def name(self) -> str:
        """What a run on them is called."""
        return self.folder.resolve().name if self.folder is not None else "tasks-replayed"


def holds_tasks(source: Path) -> bool:
    """Whether a folder or a recording is one of root-cause and path tasks."""
    if source.is_dir():
        return (source / "rca").is_dir() or (source / "path").is_dir()
    return source.is_file() and is_of_tasks(source)


def examine_on_tasks(
    source: TaskSource, agents: list[str], limits: Limits, out: Path | None, *, record: bool = False
) -> None:
    """Give the tasks to the agents, within the recording's budget or `BUDGET` but for `limits`; tell how they fared."""
    _check_sources(source.folder, out, record, source.replay)
    replaying = TaskReplay(source.replay) if source.replay is not None else None
    known = replaying.tasks if replaying is not None else load_tasks(source.folder or Path())
    chosen = _chosen(known, source)
    budget = limits.over(replaying.bundle.about.budget if replaying is not None else BUDGET)
    _check_agents(agents, chosen)
    check_limits(agents, budget)
    versions = {"netopsbench": metadata.version("netopsbench")}
    if replaying is not None:
        versions["recording"] = replaying.bundle.sha256[:12]
        trials = list(map(_noted, replaying.trials(chosen, agents, budget)))
    else:
        trials = _live(chosen, agents, budget, out / _RECORDED if out is not None and record else None)
    report = task_report(chosen, trials, budget, versions)
    if out is not None:
        _write(out, trials, report)
        if record:
            _keep(out, chosen, budget)
    _show(report.groups)


def _check_sources(folder: Path | None, out: Path | None, record: bool, replay: Path | None) -> None:
    if (folder is None) == (replay is None):
        raise SpecError([Problem("rca run", "FOLDER", "", "name a folder of tasks, or a recording with --replay")])
    if record and replay is not None:
        raise SpecError([Problem("--record", "", "", "a recording is recorded already; leave it out")])
    if record and out is None:
        raise SpecError([Problem("--record", "", "", "name the folder for the recording with --out")])


def _check_agents(agents: Sequence[str], tasks: Sequence[RcaTask | PathTask]) -> None:
    for agent in agents if tasks else ():
        entry = entry_of(agent, tasks[0])
        program_for(entry.agent, entry.options)


def _live(
    chosen: list[RcaTask | PathTask], agents: list[str], budget: Budget, recording: Path | None
) -> list[TaskTrial]:
    if recording is not None:
        recording.mkdir(parents=True, exist_ok=True)
    trials: list[TaskTrial] = []
    for name, tasks in _by_network(chosen).items():
        with StandingNetwork(name, NativeEngine(fetch_software(note))) as standing:
            trials += map(_noted, run_tasks(tasks, agents, standing, budget, recording))
    return trials


def _noted(trial: TaskTrial) -> TaskTrial:
    note(f"{trial.task_id}, {trial.agent}: {_told(trial)}")
    return trial


def _write(out: Path, trials: Sequence[TaskTrial], report: TaskReport) -> None:
    record = {
        "trials": [trial.model_dump(mode="json") for trial in trials],
        "report": report.model_dump(mode="json"),
    }
    out.mkdir(parents=True, exist_ok=True)
    write_atomic(out / "result.json", json.dumps(record, indent=1))
    write_atomic(out / INDEX, Pages().tasks(report))
    note(f"written to {out}")


def _keep(out: Path, tasks: Sequence[RcaTask | PathTask], budget: Budget) -> None:
    recording = keep_tasks(out / _RECORDED, tasks, budget, out)
    if recording is None:
        note("nothing was recorded: no task could be scored")
        return
    size = recording.stat().st_size
    note(f"Recording: {recording} ({size / 1e6:.2f} MB), for agents; {sealed_path(recording)} is for scoring alone")


def _show(groups: Sequence[Group]) -> None:
    for family in ("rca", "path"):
        rows = [group for group in groups if group.kind == family]
        if not rows:
            continue
        short = [_SHORT.get(name, name) for name in rows[0].strict]
        table = Table("group", "agent", "tasks", *short, "tolerant", "wrong", "calls", title=_TITLES[family])
        for group in rows:
            cells = [f"{each.value:.2f}" for each in group.strict.values()]
            wrong = " ".join(f"{name}:{count}" for name, count in group.failures.items())
            tolerant = f"{group.tolerant['accuracy'].value:.2f}"
            table.add_row(group.name, group.agent, str(group.tasks), *cells, tolerant, wrong, f"{group.rounds:.1f}")
        Console().print(table)


def _told(trial: TaskTrial) -> str:
    if trial.score is None:
        return f"invalid: {trial.error.message if trial.error else ''}"
    figures = trial.score.strict
    failed = f", {figures.failure}" if isinstance(figures, RcaFigures) and figures.failure else ""
    failed += f", {trial.error.reason}" if trial.error else ""
    return f"accuracy {figures.accuracy:.0f}{failed}, evidence {trial.score.evidence:.2f}, {trial.score.rounds} calls"


def _chosen(tasks: Sequence[RcaTask | PathTask], source: TaskSource) -> list[RcaTask | PathTask]:
    """Those of the tasks that are asked for. Raises SpecError for every name that there isn't."""
    only, kind, network = source.only, source.kind, source.network
    problems = []
    for option, wanted, known in (
        (source.id_option, only or [], [task.id for task in tasks]),
        ("--kind", [kind] if kind else [], ["path", "rca"]),
        ("--network", network or [], sorted({task.network for task in tasks})),
    ):
        shown = f"one of {', '.join(known[:_NAMED])}{' …' if len(known) > _NAMED else ''}"
        problems += [Problem(option, "", each, shown) for each in wanted if each not in known]
    if problems:
        raise SpecError(problems)
    chosen = [
        task
        for task in tasks
        if (not only or task.id in only) and kind in (None, task.kind) and (not network or task.network in network)
    ]
    return chosen[: source.limit]


def _by_network(tasks: list[RcaTask | PathTask]) -> dict[str, list[RcaTask | PathTask]]:
    names = Counter(task.network for task in tasks)
    return {name: [task for task in tasks if task.network == name] for name in names}
