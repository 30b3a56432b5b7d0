"""`netopsbench tickets run` and `report`: give tickets to agents, and read what came out."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.campaign.ticket_run import Sitting, begin, check_agents, finish, keep, run_tickets
from netopsbench.campaign.ticket_trial import TicketTerms
from netopsbench.campaign.verbs import default_folder
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import FabricSpec
from netopsbench.records.answers import Budget
from netopsbench.report.tickets import read_ticket_report, write_ticket_report
from netopsbench.tickets.convert import as_ticket, renamed, what_imports_lack
from netopsbench.tickets.importing import Reading, import_scenarios, persona_of
from netopsbench.tickets.kathara import read_kathara
from netopsbench.tickets.kathara_native import native_lab
from netopsbench.tickets.load import load_tickets, shipped_folder
from netopsbench.tickets.model import PERSONAS, Ticket
from netopsbench.tickets.question import TURNS
from netopsbench.tickets.record import TicketTrial
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tickets.text_judge import judge_settings
from netopsbench.tools.serving.server import Profile

RunPath = Annotated[Path, typer.Argument(help="Folder of a run of tickets.")]


@dataclass(frozen=True)
class Selection:
    """Which of a lab's tickets are given."""

    ids: tuple[str, ...] = ()
    """All when there are none."""
    personas: tuple[str, ...] = ()
    """The standard voice when there are none."""


@dataclass(frozen=True)
class Room:
    """A lab, by name or somebody else's, and its tickets."""

    lab: str | FabricSpec
    tickets: list[Ticket]


@plainly
def run_(
    source: Annotated[str, typer.Argument(help="A lab of `tickets list`; with --lab, published scenarios.")],
    agents: Annotated[list[str], typer.Option("--agent", help="Who is examined; may be repeated.")],
    only: Annotated[list[str] | None, typer.Option("--only", help="Id of a ticket; may be repeated.")] = None,
    personas: Annotated[
        list[str] | None, typer.Option("--persona", help="Voices, standard by default; may be repeated.")
    ] = None,
    tools: Annotated[Profile, typer.Option(help="The tools under our names, or the 22 published ones.")] = "own",
    lab: Annotated[Path | None, typer.Option(help="Kathará folder of the lab that SOURCE is about.")] = None,
    is_compat: Annotated[bool, typer.Option("--compat/--strict", help="How SOURCE is read, with --lab.")] = False,
    wall_time_s: Annotated[float, typer.Option(help="An agent's time for one ticket, seconds.")] = 300.0,
    tool_calls: Annotated[int, typer.Option(help="An agent's tool calls for one ticket.")] = 200,
    turns: Annotated[int, typer.Option(min=1, help="Replies of an agent's model for one ticket.")] = TURNS,
    hide_turns: Annotated[
        bool, typer.Option("--hide-turns", help="Don't tell the agent how many turns it has; the limit holds.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the run; runs/<name>-<time> by default.")
    ] = None,
) -> None:
    """Give a lab's tickets to agents: break the lab, ask, carry out the proposed fix, restore; write the report."""
    reading: Reading = "compat" if is_compat else "strict"
    room = _shipped(source) if lab is None else _foreign(Path(source), lab, reading)
    chosen = chosen_tickets(room.tickets, Selection(tuple(only or ()), tuple(personas or ())))
    budget = Budget(wall_time_s=wall_time_s, tool_calls=tool_calls, turns=turns, tells_turns=not hide_turns)
    terms = TicketTerms(budget=budget, tools=tools)
    check_agents(agents, chosen[0], terms)
    judge = judge_settings(os.environ)
    with StandingLab(room.lab, NativeEngine(fetch_software(note))) as standing:
        check_devices(chosen, standing.plan)
        folder = out or default_folder(f"tickets-{standing.plan.name}")
        carry_out(chosen, agents, Sitting(standing, terms, judge), folder)
        for usual in standing.usual:
            note(f"usual in this lab: {usual}")
    show(folder)


@plainly
def report(run_folder: RunPath) -> None:
    """Work the figures of a run out again, also of one that was cut short, and write its report."""
    show(run_folder)


def carry_out(tickets: list[Ticket], agents: list[str], sitting: Sitting, folder: Path) -> None:
    """Run the tickets and keep every trial as soon as it is over."""
    run = begin(folder, sitting, agents, len(tickets))
    for trial in run_tickets(tickets, agents, sitting):
        keep(folder, trial)
        note(f"{trial.ticket_id}, {trial.agent}: {_told(trial)}")
    finish(folder, run)


def check_devices(tickets: list[Ticket], plan: FabricPlan) -> None:
    """Raises SpecError naming every device of a ticket that the lab doesn't have."""
    known = {node.name for node in plan.nodes}
    problems = [
        Problem(ticket.id, "device", name, f"the lab {plan.name} has: {', '.join(sorted(known))}")
        for ticket in tickets
        for name in sorted(ticket.devices - known)
    ]
    if problems:
        raise SpecError(problems)


def _shipped(lab: str) -> Room:
    return Room(lab, load_tickets(shipped_folder(lab)))


def _foreign(scenarios: Path, folder: Path, reading: Reading) -> Room:
    """Published scenarios and their Kathará lab, as it is written."""
    kathara = read_kathara(folder)
    native = native_lab(kathara)
    devices = [machine.name for machine in kathara.machines]
    imported = import_scenarios(scenarios, reading, {kathara.name: devices})
    for each in (*native.notes, *imported.notes):
        note(str(each))
    tickets = [renamed(as_ticket(each, persona_of(each)), native.names) for each in imported.scenarios]
    for line in what_imports_lack(tickets):
        note(line)
    return Room(native.spec, tickets)


def chosen_tickets(found: list[Ticket], wanted: Selection) -> list[Ticket]:
    """Raises SpecError for ids and voices that there aren't."""
    unknown = sorted(set(wanted.ids) - {ticket.id for ticket in found})
    strange = sorted(set(wanted.personas) - set(PERSONAS))
    known = ", ".join(ticket.id for ticket in found if ticket.persona == "standard")
    problems = [Problem("tickets run", "--only", each, f"one of {known}") for each in unknown]
    problems += [Problem("tickets run", "--persona", each, f"one of {', '.join(PERSONAS)}") for each in strange]
    voices = wanted.personas or ("standard",)
    chosen = [ticket for ticket in found if (ticket.id in wanted.ids if wanted.ids else ticket.persona in voices)]
    if not chosen and not problems:
        problems.append(Problem("tickets run", "--persona", ", ".join(voices), "a voice that tickets here have"))
    if problems:
        raise SpecError(problems)
    return chosen


def show(folder: Path) -> None:
    """Write a run's report and print its figures. Exits with 1 when trials are invalid."""
    page = write_ticket_report(folder)
    found = read_ticket_report(folder)
    summary = found.summary
    for title, rows in (("by class", summary.by_class), ("false premises by voice", summary.by_persona)):
        # Narrow, so that a terminal of 80 columns cuts no agent's name.
        table = Table(title=title, collapse_padding=True, pad_edge=False)
        for head in ("group", "agent"):
            table.add_column(head, overflow="fold")
        for head in ("tickets", "time-\nouts", "outcome", "exact", "over-\ndiagn.", "fix"):
            table.add_column(head, justify="right")
        for row in rows:
            figures = row.figures
            shares = (figures.outcome, figures.exact, figures.over_diagnosis, figures.fix)
            cells = ("" if share is None else f"{share:.2f}" for share in shares)
            table.add_row(row.group, row.agent, str(figures.tickets), str(figures.timeouts), *cells)
        Console().print(table)
    note(f"report: {page}")
    if found.invalid:
        note(f"{found.invalid} of {len(found.rows)} trials are invalid and in no figure")
        raise typer.Exit(FAILED)


def _told(trial: TicketTrial) -> str:
    if trial.score is None:
        return f"invalid, {trial.error.message if trial.error else ''}"
    fix = "" if trial.score.fix is None else f", fix {trial.score.fix:g}"
    if trial.fix and trial.ticket_class != "false-premise" and trial.score.fix != 1:
        fix = f"{fix or ', no figure for the fix'} ({trial.fix.why})"
    harm = f", lab {trial.fix.harm}" if trial.fix and trial.fix.harm != "none" else ""
    why = f", {trial.error.reason}" if trial.error else ""
    return f"outcome {trial.score.outcome:.2f}{fix}{harm}{why}, {trial.elapsed_s:.0f} s"
