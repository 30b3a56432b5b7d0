"""`netopsbench fabric graph` and `export`: a fabric on paper, without running it."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from netopsbench.cli.speak import note
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.export.containerlab import to_containerlab
from netopsbench.fabric.export.dot import to_dot
from netopsbench.fabric.export.plan_json import plan_schema, to_json
from netopsbench.fabric.export.svg import to_svg
from netopsbench.fabric.export.terminal import draw_text
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files

SpecName = Annotated[str, typer.Argument(help="Name of a fabric (xs, …) or path of a fabric file.")]
OutFile = Annotated[Path | None, typer.Option("--out", help="File to write; standard output by default.")]


Format = TypeVar("Format", bound=StrEnum)


class GraphFormat(StrEnum):
    """How a fabric is drawn."""

    text = "text"
    svg = "svg"
    dot = "dot"


class ExportFormat(StrEnum):
    """What a fabric is written as."""

    json = "json"
    schema = "schema"
    containerlab = "containerlab"
    svg = "svg"
    dot = "dot"


def graph(
    spec: SpecName,
    drawn_as: Annotated[str, typer.Option("--format", help="text (for a terminal), svg or dot.")] = GraphFormat.text,
    out: OutFile = None,
) -> None:
    """Draw a fabric in its tiers."""
    chosen = _format(GraphFormat, drawn_as)
    plan = _checked_plan(spec)
    if chosen is not GraphFormat.dot:
        _require_tiers(plan, f"--format {GraphFormat.dot}")
    if chosen is GraphFormat.text and out is None:
        Console().print(draw_text(plan, Console().width), soft_wrap=True, highlight=False, markup=False)
        return
    draw = {GraphFormat.text: draw_text, GraphFormat.svg: to_svg, GraphFormat.dot: to_dot}
    _write(draw[chosen](plan), out)


def export(
    spec: SpecName,
    written_as: Annotated[
        str, typer.Option("--format", help="json, schema (of json), containerlab, svg or dot.")
    ] = ExportFormat.json,
    out: Annotated[Path | None, typer.Option("--out", help="File to write, for containerlab a folder.")] = None,
) -> None:
    """Write a fabric for other programs: the plan as JSON, a containerlab topology with its files, a graph."""
    chosen = _format(ExportFormat, written_as)
    if chosen is ExportFormat.schema:
        _write(plan_schema(), out)
        return
    plan = _checked_plan(spec)
    if chosen not in (ExportFormat.json, ExportFormat.dot):
        _require_tiers(plan, f"--format {ExportFormat.json} or {ExportFormat.dot}")
    if chosen is ExportFormat.containerlab:
        _write_folder(to_containerlab(plan, render_files(plan)), out or Path(f"{plan.name}.clab"))
        return
    _write({ExportFormat.json: to_json, ExportFormat.svg: to_svg, ExportFormat.dot: to_dot}[chosen](plan), out)


def _format(formats: type[Format], given: str) -> Format:
    if given not in {each.value for each in formats}:
        raise SpecError([Problem("--format", "", given, f"one of {', '.join(formats)}")])
    return formats(given)


def _require_tiers(plan: FabricPlan, instead: str) -> None:
    if plan.lab is not None:
        raise SpecError([Problem("--format", "", plan.name, f"a lab has no tiers to lay out; use {instead}")])


def _checked_plan(spec: str) -> FabricPlan:
    plan = plan_fabric(load_spec(spec))
    problems = check_plan(plan)
    if problems:
        raise SpecError(problems)
    return plan


def _write(content: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(content if content.endswith("\n") else content + "\n")
        return
    try:
        write_atomic(out, content)
    except OSError as refused:
        raise SpecError([Problem("--out", "", str(out), f"it can't be written: {refused.strerror}")]) from refused
    note(f"{out} is written")


def _write_folder(files: dict[str, str], folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise SpecError([Problem("--out", "", str(folder), "the folder is not empty; choose another one")])
    for name, content in files.items():
        write_atomic(folder / name, content)
    note(f"{len(files)} files are written into {folder}")
