"""Tables of tickets on the terminal."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from netopsbench.tickets.model import CLASSES, REWRITES, Ticket
from netopsbench.tickets.record import TicketReport


def counts_tables(by_lab: Mapping[str, Sequence[Ticket]]) -> Iterator[Table]:
    """How many tickets of each class each lab has, and how many false premises are rewritten in each voice."""
    # Two tables, and long names in two lines: 80 columns don't hold them side by side.
    classes = {lab: Counter[str](each.ticket_class for each in own if not each.parent) for lab, own in by_lab.items()}
    yield _counts("tickets in the standard voice, by class", CLASSES, classes)
    voices = {lab: Counter[str](each.persona for each in own) for lab, own in by_lab.items()}
    yield _counts("false premises in other voices", REWRITES, voices)


def figures_tables(report: TicketReport) -> Iterator[Table]:
    """What agents got, by class and by voice."""
    summary = report.summary
    for title, rows in (("by class", summary.by_class), ("false premises by voice", summary.by_persona)):
        # No vertical lines, so that 80 columns cut no agent's name.
        table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0, show_edge=False)
        for head in ("group", "agent"):
            table.add_column(head, overflow="fold")
        for head in ("tickets", "time-\nouts", "outcome", "exact", "over-\ndiagn.", "fix"):
            table.add_column(head, justify="right")
        for row in rows:
            figures = row.figures
            shares = (figures.outcome, figures.exact, figures.over_diagnosis, figures.fix)
            cells = ("" if share is None else f"{share:.2f}" for share in shares)
            table.add_row(row.group, Text(row.agent), str(figures.tickets), str(figures.timeouts), *cells)
        yield table


def _counts(title: str, names: Sequence[str], by_lab: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("lab", no_wrap=True)
    for name in names:
        first, hyphen, rest = name.partition("-")
        table.add_column(f"{first}{hyphen}\n{rest}" if rest else first, justify="right")
    for lab, counts in by_lab.items():
        table.add_row(lab, *(str(counts.get(name, 0)) for name in names))
    return table
