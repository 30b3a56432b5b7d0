"""`netopsbench rca`: root-cause and path tasks, their proofs, and agents that work on them."""

import json
from collections import Counter
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.agent.starting import program_for
from netopsbench.campaign.rca_trial import TaskTrial, entry_of, run_tasks, task_report
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
from netopsbench.rca.record import Group
from netopsbench.rca.repertoire import MAKERS, NOT_MADE
from netopsbench.rca.standing import StandingNetwork
from netopsbench.records.answers import Budget
from netopsbench.report.html import INDEX, Pages

rca = typer.Typer(help="Tasks that ask for all root causes, or for the paths of packets.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of `benchmark prepare --suite ctbench`: `…/ctbench`.")]
Only = Annotated[list[str] | None, typer.Option("--only", help="Id of a task; may be repeated.")]
Kind = Annotated[str | None, typer.Option("--kind", help="rca or path; both by default.")]
Network = Annotated[list[str] | None, typer.Option("--network", help="Tasks on this network; may be repeated.")]
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
    chosen = _chosen(folder, only, kind, network)[:limit]
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
    folder: Folder,
    agents: Annotated[list[str], typer.Option("--agent", help="Who is examined; may be repeated.")],
    only: Only = None,
    kind: Kind = None,
    network: Network = None,
    limit: Limit = None,
    wall_time_s: Annotated[float, typer.Option(help="An agent's time for one task, seconds.")] = 900.0,
    tool_calls: Annotated[int, typer.Option(help="An agent's tool calls for one task.")] = 400,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for result.json and report.html.")] = None,
) -> None:
    """Give tasks to agents: break the network, ask, restore it, and grade the answers."""
    chosen = _chosen(folder, only, kind, network)[:limit]
    budget = Budget(wall_time_s=wall_time_s, tool_calls=tool_calls)
    for agent in agents:
        entry = entry_of(agent, chosen[0])
        program_for(entry.agent, entry.options)
    trials: list[TaskTrial] = []
    for name, tasks in _by_network(chosen).items():
        with StandingNetwork(name, NativeEngine(fetch_software(note))) as standing:
            for trial in run_tasks(tasks, agents, standing, budget):
                trials.append(trial)
                note(f"{name} {trial.task_id}, {trial.agent}: {_told(trial)}")
    report = task_report(chosen, trials, budget, {"netopsbench": metadata.version("netopsbench")})
    if out is not None:
        record = {
            "trials": [trial.model_dump(mode="json") for trial in trials],
            "report": report.model_dump(mode="json"),
        }
        out.mkdir(parents=True, exist_ok=True)
        write_atomic(out / "result.json", json.dumps(record, indent=1))
        write_atomic(out / INDEX, Pages().tasks(report))
        note(f"written to {out}")
    _show(report.groups)


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


def _chosen(
    folder: Path, only: list[str] | None, kind: str | None, network: list[str] | None
) -> list[RcaTask | PathTask]:
    tasks = load_tasks(folder)
    problems = []
    for option, wanted, known in (
        ("--only", only or [], {task.id for task in tasks}),
        ("--kind", [kind] if kind else [], {"rca", "path"}),
        ("--network", network or [], {task.network for task in tasks}),
    ):
        shown = "ids of the folder's files" if option == "--only" else f"one of {', '.join(sorted(known))}"
        problems += [Problem("rca", option, each, shown) for each in wanted if each not in known]
    if problems:
        raise SpecError(problems)
    return [
        task
        for task in tasks
        if (not only or task.id in only) and kind in (None, task.kind) and (not network or task.network in network)
    ]


def _by_network(tasks: list[RcaTask | PathTask]) -> dict[str, list[RcaTask | PathTask]]:
    names = Counter(task.network for task in tasks)
    return {name: [task for task in tasks if task.network == name] for name in names}
