"""The report of a run of tickets, written into its folder."""

from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.report.html import INDEX, Pages
from netopsbench.report.ticket_view import report_of, ticket_view
from netopsbench.tickets.record import RUN, TRIALS, TicketReport, TicketRun, TicketTrial


def write_ticket_report(folder: Path) -> Path:
    """Work a run's figures out and write `report.html` and `report.json`; the path of the page.

    Raises SpecError when the folder isn't one of a run of tickets.
    """
    report = read_ticket_report(folder)
    write_atomic(folder / "report.json", report.model_dump_json(indent=1) + "\n")
    page = folder / INDEX
    write_atomic(page, Pages().tickets(report, ticket_view(report)))
    return page


def read_ticket_report(folder: Path) -> TicketReport:
    """The figures of a run's trials, as far as they have come. Raises SpecError for what isn't readable."""
    files = sorted((folder / TRIALS).glob("*.json"))
    try:
        run = TicketRun.model_validate_json((folder / RUN).read_bytes())
        trials = [TicketTrial.model_validate_json(file.read_bytes()) for file in files]
    except (OSError, ValidationError) as unreadable:
        reason = unreadable.strerror if isinstance(unreadable, OSError) else str(unreadable).splitlines()[0]
        wanted = f"the folder of a run of tickets holds {RUN} and {TRIALS}/ ({reason})"
        raise SpecError([Problem("run folder", "", str(folder), wanted)]) from None
    return report_of(run, trials)
