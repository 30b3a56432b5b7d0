"""`netopsbench lab`: the labs that there are, and whether a running one is healthy."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.cli.fabric import AsJson, only_name
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.inspect import Finding, check_lab
from netopsbench.fabric.load import known_labs, load_spec
from netopsbench.fabric.native import registry

lab = typer.Typer(help="Labs written by hand; `fabric up NAME` starts one.", no_args_is_help=True)


@lab.command("list")
@plainly
def list_(as_json: AsJson = False) -> None:
    """The labs that ship with the package."""
    specs = {name: load_spec(name) for name in known_labs()}
    sizes = {name: plan_fabric(spec) for name, spec in specs.items()}
    if as_json:
        rows = [
            {"name": name, "nodes": len(sizes[name].nodes), "links": len(sizes[name].links), "about": spec.description}
            for name, spec in specs.items()
        ]
        print(json.dumps(rows, indent=2))
        return
    table = Table("lab", "nodes", "links", "what it is")
    for name, spec in specs.items():
        table.add_row(name, str(len(sizes[name].nodes)), str(len(sizes[name].links)), spec.description)
    Console().print(table)


@lab.command()
@plainly
def check(
    name: Annotated[str | None, typer.Argument(help="Name of a lab that runs in this directory; the only one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try everything that a healthy lab promises: links, addresses, neighbors, pings, names, pages.

    Exit code 1 when something is wrong.
    """
    called = name or only_name()
    _, running = registry.find(called, str(Path.cwd()))
    if running.plan.lab is None:
        wanted = f"a lab; `netopsbench fabric show {called}` looks at generated fabrics"
        raise SpecError([Problem("lab check", "", called, wanted)])
    findings = check_lab(running)
    if as_json:
        print(json.dumps([finding.model_dump() for finding in findings], indent=2))
    elif findings:
        Console().print(_table(findings))
    note(f"{called} is healthy" if not findings else f"{called}: {len(findings)} things are not as they should be")
    if findings:
        raise typer.Exit(FAILED)


def _table(findings: list[Finding]) -> Table:
    table = Table("kind", "node", "finding")
    for finding in findings:
        table.add_row(finding.kind, finding.node, finding.message)
    return table
