"""The report of a run of tickets, written into its folder."""

from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.files import write_atomic
from netopsbench.core.kept import Kept, not_a_run, read_kept
from netopsbench.records.run import PLAN, TICKETS, TRIALS
from netopsbench.report.html import INDEX, Pages
from netopsbench.report.naming import short_tickets
from netopsbench.report.ticket_view import report_of, ticket_view
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.record import TicketPlan, TicketReport, TicketRun, TicketTrial

_WANTED = f"the folder of a run of tickets holds {TICKETS} and {TRIALS}/"


def write_ticket_report(folder: Path) -> Path:
    """Work a run's figures out and write `report.html` and `report.json`; the path of the page.

    Raises SpecError when the folder isn't one of a run of tickets.
    """
    run, trials = _read(folder)
    report = report_of(run, trials)
    write_atomic(folder / "report.json", report.model_dump_json(indent=1) + "\n")
    page, short = folder / INDEX, short_tickets(report)
    write_atomic(page, Pages().tickets(short, ticket_view(short, trials, _tickets(folder))))
    return page


def read_ticket_report(folder: Path) -> TicketReport:
    """The figures of a run's trials, as far as they have come. Raises SpecError for what isn't readable."""
    return report_of(*_read(folder))


def _read(folder: Path) -> tuple[TicketRun, list[TicketTrial]]:
    run = read_kept(folder / TICKETS, TicketRun, _WANTED)
    try:
        return run, Kept(folder / TRIALS, TicketTrial).whole()
    except (OSError, ValidationError) as unreadable:
        raise not_a_run(folder, _WANTED, unreadable) from None


def _tickets(folder: Path) -> tuple[Ticket, ...]:
    """The tickets with their keys; none where the plan isn't kept."""
    plan = folder / PLAN
    return read_kept(plan, TicketPlan, _WANTED).tickets if plan.exists() else ()
