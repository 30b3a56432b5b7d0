"""`netopsbench tickets run`, `resume` and `report`: give tickets to agents, and read what came out."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.ticket_folder import TicketFolder
from netopsbench.campaign.ticket_plan import lab_of, plan_tickets
from netopsbench.campaign.ticket_run import check_agents
from netopsbench.campaign.ticket_trial import TicketTerms
from netopsbench.campaign.verbs import free_folder
from netopsbench.cli.ahead import numbered, show_ahead, tell_ahead
from netopsbench.cli.cut_short import Progress, told_how_far
from netopsbench.cli.numbers import count, seconds
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.cli.ticket_tables import figures_tables
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import Software, fetch_software
from netopsbench.records.answers import Budget
from netopsbench.report.naming import short_tickets, shortener, whole_names
from netopsbench.report.tickets import read_ticket_report, write_ticket_report
from netopsbench.tickets.question import TURNS
from netopsbench.tickets.record import TicketPlan, TicketRun, TicketSource, TicketTrial
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tickets.text_judge import judge_settings
from netopsbench.tools.serving.server import Profile

RunPath = Annotated[Path, typer.Argument(help="Folder of a run of tickets.")]


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
    wall_time_s: Annotated[float, seconds("An agent's time for one ticket, seconds.")] = 300.0,
    tool_calls: Annotated[int, count("An agent's tool calls for one ticket.")] = 200,
    turns: Annotated[int, count("Replies of an agent's model for one ticket.")] = TURNS,
    hide_turns: Annotated[
        bool, typer.Option("--hide-turns", help="Don't tell the agent how many turns it has; the limit holds.")
    ] = False,
    dry_run: Annotated[bool, typer.Option(help="Say what would be run, and how long it would take.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the run; runs/<name>-<time> by default.")
    ] = None,
) -> None:
    """Give a lab's tickets to agents: break the lab, ask, carry out the proposed fix, restore; write the report."""
    wanted = TicketSource(
        # A path means the same wherever the run is gone on with.
        scenarios=source if lab is None else str(Path(source).resolve()),
        lab=None if lab is None else lab.resolve(),
        is_compat=is_compat,
        ids=tuple(only or ()),
        personas=tuple(personas or ()),
    )
    plan = plan_tickets(wanted, note)
    budget = Budget(wall_time_s=wall_time_s, tool_calls=tool_calls, turns=turns, tells_turns=not hide_turns)
    terms = TicketTerms(budget=budget, tools=tools, judge=judge_settings(os.environ))
    check_agents(agents, terms)
    name = lab_of(plan).name
    given = [(ticket.id, name) for ticket in plan.tickets]
    if dry_run:
        show_ahead(given, agents, "ticket", budget)
        return
    path = free_folder(out, f"tickets-{name}")
    tell_ahead(given, agents, "ticket", path)
    software = fetch_software(note)
    with RunFolder(path).claimed():
        run = TicketFolder(path).begin(plan, agents, terms, {"FRR": software.frr_version})
        _carry_out(path, plan, run, software)
    show(path)


@plainly
def resume_(
    run_folder: RunPath,
    accept_changes: Annotated[bool, typer.Option(help="Go on although something was changed; written down.")] = False,
) -> None:
    """Go on with a run that was cut short: what is over stays, what is missing is given."""
    folder = TicketFolder(run_folder)
    plan, run = folder.plan(), folder.run()
    note(str(_progress(folder, plan, run)))
    if folder.left(plan, run):
        check_agents(run.agents, TicketTerms(budget=run.budget, tools=run.tools))
        software = fetch_software(note)
        with RunFolder(run_folder).claimed():
            run = folder.go_on(os.environ, accept_changes=accept_changes)
            _carry_out(run_folder, plan, run, software)
    show(run_folder)


@plainly
def report(run_folder: RunPath) -> None:
    """Work the figures of a run out again, also of one that was cut short, and write its report."""
    show(run_folder)


def _carry_out(path: Path, plan: TicketPlan, run: TicketRun, software: Software) -> None:
    folder, shorten = TicketFolder(path), shortener(run.agents)
    with (
        told_how_far(path, "tickets resume", lambda: _progress(folder, plan, run), write_ticket_report),
        StandingLab(plan.lab, NativeEngine(software)) as standing,
    ):
        planned = len(plan.tickets) * len(run.agents)
        before = planned - folder.left(plan, run)
        for number, trial in enumerate(folder.give(plan, run, standing), start=before + 1):
            note(f"{numbered(number, planned)} {trial.ticket_id}, {shorten(trial.agent)}: {_told(trial)}")
        for usual in standing.usual:
            note(f"usual in this lab: {usual}")


def _progress(folder: TicketFolder, plan: TicketPlan, run: TicketRun) -> Progress:
    planned = len(plan.tickets) * len(run.agents)
    return Progress(planned - folder.left(plan, run), planned)


def show(folder: Path) -> None:
    """Write a run's report and print its figures. Exits with 1 when trials are invalid."""
    page = write_ticket_report(folder)
    found = read_ticket_report(folder)
    for table in figures_tables(short_tickets(found)):
        Console().print(table)
    for line in whole_names(found.run.agents):
        note(line)
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
