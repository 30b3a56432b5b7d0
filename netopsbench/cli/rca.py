"""`netopsbench rca`: root-cause and path tasks, their proofs, and agents that work on them."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from netopsbench.campaign.task_plan import chosen_tasks, counted
from netopsbench.cli.fabric import AsJson
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.cli.task_run import Kind, Limit, Network, Only, report_, resume_, run_
from netopsbench.cli.task_tables import counts_table, labels_table
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.rca.breaking.repertoire import MAKERS, NOT_MADE
from netopsbench.rca.files import load_tasks
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.network.proving import prove
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.record import TaskSource

rca = typer.Typer(help="Tasks that ask for all root causes, or for the paths of packets.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of `benchmark prepare --suite ctbench`: `…/ctbench`.")]


@rca.command("labels")
@plainly
def labels_(as_json: AsJson = False) -> None:
    """Causes, what is wrong then, where they stand in the hierarchy, and why some of them are in no task."""
    rows = [
        {**cause.model_dump(), "is_real": cause.label in MAKERS, "reason": NOT_MADE.get(cause.label, "")}
        for cause in CAUSES
    ]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    Console().print(labels_table(CAUSES, NOT_MADE))


@rca.command("list")
@plainly
def list_(folder: Folder, as_json: AsJson = False) -> None:
    """How many tasks of each kind a folder holds on each network."""
    counts = counted(load_tasks(folder))
    if as_json:
        print(json.dumps(counts, indent=1))
        return
    Console().print(counts_table(counts))


@rca.command("prove")
@plainly
def prove_(folder: Folder, only: Only = None, kind: Kind = None, network: Network = None, limit: Limit = None) -> None:
    """Bring networks up and prove tasks: healthy before, broken as the key says, solved with what is permitted."""
    source = TaskSource(folder=folder, ids=tuple(only or ()), kind=kind, networks=tuple(network or ()), limit=limit)
    chosen = chosen_tasks(load_tasks(folder), source)
    valid = 0
    for name in dict.fromkeys(task.network for task in chosen):
        with StandingNetwork(name, NativeEngine(fetch_software(note))) as standing:
            for task in (each for each in chosen if each.network == name):
                proof = prove(task, standing)
                valid += proof.is_valid
                note(f"{name} {task.id}: {'valid' if proof.is_valid else 'NOT VALID'}, {proof.elapsed_s:.1f} s")
                for problem in proof.problems:
                    note(f"    {problem}")
    note(f"{valid} of {len(chosen)} tasks are valid")
    if valid < len(chosen):
        raise typer.Exit(FAILED)


rca.command("run")(run_)
rca.command("resume")(resume_)
rca.command("report")(report_)
