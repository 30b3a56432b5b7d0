"""`netopsbench tickets`: tickets that may be wrong, ours and published ones."""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
import yaml
from rich.console import Console
from rich.table import Table

from netopsbench.cli.fabric import AsJson
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.cli.ticket_run import report, resume_, run_
from netopsbench.cli.ticket_tables import counts_tables
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.tickets.convert import as_scenario, as_ticket, published_path, what_imports_lack
from netopsbench.tickets.importing import Reading, import_scenarios, persona_of
from netopsbench.tickets.kathara import read_kathara
from netopsbench.tickets.kathara_native import native_lab
from netopsbench.tickets.load import load_tickets, shipped_folder, shipped_labs
from netopsbench.tickets.manifest import Row, Spread, published_tables, read_manifest
from netopsbench.tickets.model import CLASSES, Ticket
from netopsbench.tickets.published_write import write_scenario
from netopsbench.tickets.standing_lab import StandingLab, proofs

tickets = typer.Typer(help="Tickets that may be wrong, and how they are judged.", no_args_is_help=True)

Out = Annotated[Path | None, typer.Option("--out", help="Folder to write to; nothing is written without it.")]


@tickets.command("list")
@plainly
def list_(as_json: AsJson = False) -> None:
    """Tickets of this package: how many of each class and persona per lab."""
    found = {lab: load_tickets(shipped_folder(lab)) for lab in shipped_labs()}
    if as_json:
        everything = [each.model_dump(mode="json") for own in found.values() for each in own]
        print(json.dumps(everything, indent=1))
        return
    for table in counts_tables(found):
        Console().print(table)


@tickets.command("check")
@plainly
def check(
    source: Annotated[str, typer.Argument(metavar="LAB|FOLDER", help="A lab of `tickets list`, or a folder.")],
) -> None:
    """Read tickets and name every mistake in them. Nothing is started."""
    found = _load(source)
    note(f"{len(found)} tickets, no mistake found")


@tickets.command("prove")
@plainly
def prove_(
    lab: Annotated[str, typer.Argument(help="A lab of `tickets list`.")],
    only: Annotated[list[str] | None, typer.Option("--only", help="Id of a ticket; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Bring the lab up and prove its tickets: healthy before, broken after, every claim as marked, restored.

    Rewrites say the same as their parents, so only tickets in the standard voice are proven.
    """
    found = [ticket for ticket in load_tickets(shipped_folder(lab)) if ticket.persona == "standard"]
    chosen = [ticket for ticket in found if not only or ticket.id in only]
    unknown = sorted(set(only or ()) - {ticket.id for ticket in found})
    if unknown:
        known = ", ".join(ticket.id for ticket in found)
        raise SpecError([Problem("tickets prove", "--only", ", ".join(unknown), f"ids of {lab}: {known}")])
    proven = []
    with StandingLab(lab, NativeEngine(fetch_software(note))) as standing:
        for proof in proofs(standing, chosen):
            proven.append(proof)
            note(f"{proof.ticket_id}: {'valid' if proof.is_valid else 'NOT VALID'}, {proof.elapsed_s:.1f} s")
            for problem in proof.problems:
                note(f"    {problem}")
    if as_json:
        print(json.dumps([proof.model_dump(mode="json") for proof in proven], indent=1))
    valid = sum(proof.is_valid for proof in proven)
    note(f"{valid} of {len(proven)} tickets are valid")
    if valid < len(proven):
        raise typer.Exit(FAILED)


tickets.command("run")(run_)
tickets.command("resume")(resume_)
tickets.command("report")(report)


@tickets.command("import")
@plainly
def import_(
    path: Annotated[Path, typer.Argument(help="A published scenario file, or a folder of them.")],
    is_compat: Annotated[
        bool, typer.Option("--compat/--strict", help="Read as published, or refuse what that reading loses.")
    ] = False,
    lab: Annotated[
        list[Path] | None, typer.Option("--lab", help="Kathará folder of a topology, to check device names against.")
    ] = None,
    out: Out = None,
) -> None:
    """Read published scenarios, and with --out write them as tickets of this package."""
    reading: Reading = "compat" if is_compat else "strict"
    labs = {read.name: [m.name for m in read.machines] for read in map(read_kathara, lab or [])}
    imported = import_scenarios(path, reading, labs)
    for each in imported.notes:
        note(str(each))
    found = [as_ticket(scenario, persona_of(scenario)) for scenario in imported.scenarios]
    classes = Counter(ticket.ticket_class for ticket in found)
    note(f"{len(found)} scenarios: " + ", ".join(f"{classes[name]} {name}" for name in CLASSES if classes[name]))
    for line in what_imports_lack(found):
        note(line)
    if out is not None:
        for ticket in found:
            written = ticket.model_dump(mode="json")
            text = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=110)
            write_atomic(out / ticket.lab / ticket.persona / f"{ticket.id}.yaml", text)
        note(f"written to {out}")


@tickets.command("lab")
@plainly
def lab_(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A Kathará lab: lab.conf and what is beside it.")],
    out: Annotated[Path | None, typer.Option("--out", help="Lab file to write; `fabric up FILE` starts it.")] = None,
) -> None:
    """Read a Kathará lab, and name what it needs and this machine lacks."""
    native = native_lab(read_kathara(folder))
    for each in native.notes:
        note(str(each))
    plan = plan_fabric(native.spec)
    note(f"{plan.name}: {len(plan.nodes)} nodes, {len(plan.links)} links")
    if out is not None:
        written = native.spec.model_dump(mode="json", exclude_defaults=True)
        write_atomic(out, yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=110))
        note(f"written to {out}")


@tickets.command("export")
@plainly
def export(
    source: Annotated[str, typer.Argument(metavar="LAB|FOLDER", help="A lab of `tickets list`, or a folder.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")],
) -> None:
    """Write tickets in the published format."""
    files = {published_path(ticket): write_scenario(as_scenario(ticket)) for ticket in _load(source)}
    for path, text in files.items():
        write_atomic(out / path, text)
    note(f"{len(files)} scenarios written to {out}")


@tickets.command("published")
@plainly
def published(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST.csv", help="Your copy of the registry of runs.")],
    as_json: AsJson = False,
) -> None:
    """Work the published tables out again."""
    tables = published_tables(read_manifest(manifest))
    if as_json:
        print(tables.model_dump_json(indent=1))
        return
    for title, rows in (("by class", tables.by_class), ("false premises by persona", tables.by_persona)):
        table = Table(*_HEADINGS, title=title, title_justify="left")
        for row in rows:
            table.add_row(*_cells(row))
        Console().print(table)
    if tables.left_out:
        note("left out: " + ", ".join(f"{count} {status}" for status, count in tables.left_out.items()))


_HEADINGS = ("group", "agent", "runs", "timeouts", "outcome", "with timeouts", "over-diagnosis", "fix", "reasoning")


def _cells(row: Row) -> tuple[str, ...]:
    over = "" if row.over_diagnosis is None else f"{row.over_diagnosis:.0%}"
    counts = (str(row.runs), str(row.timeouts))
    outcome = (_spread(row.outcome), f"{row.outcome_with_timeouts:.3f}")
    return (row.group, row.agent, *counts, *outcome, over, _spread(row.fix), _spread(row.reasoning))


def _spread(spread: Spread) -> str:
    if spread.mean is None:
        return ""
    return f"{spread.mean:.3f}" + ("" if spread.deviation is None else f" ± {spread.deviation:.3f}")


def _load(source: str) -> list[Ticket]:
    folder = Path(source)
    return load_tickets(folder if folder.is_dir() else shipped_folder(source))
