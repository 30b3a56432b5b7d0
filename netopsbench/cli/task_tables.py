"""Tables of root-cause and path tasks on the terminal."""

from collections.abc import Iterable, Mapping

from rich.table import Table
from rich.text import Text

from netopsbench.rca.labels import Cause


def counts_table(by_network: Mapping[str, Mapping[str, int]]) -> Table:
    """How many tasks of each kind there are on each network."""
    table = Table("network")
    table.add_column("root causes (rca)", justify="right")
    table.add_column("paths (path)", justify="right")
    for name, counts in by_network.items():
        table.add_row(name, str(counts["rca"]), str(counts["path"]))
    return table


def labels_table(causes: Iterable[Cause], not_made: Mapping[str, str]) -> Table:
    """Causes with what is wrong then, and below it their category and place; `not_made` says why one is in no task."""
    # Two columns, so that 80 characters hold whole words.
    table = Table(show_lines=True)
    table.add_column("cause", width=26)
    table.add_column("what is wrong then; category and place")
    for cause in causes:
        place = f"{cause.category}, {cause.super_category} > {cause.domain}"
        reason = not_made.get(cause.label)
        told = Text(f"{cause.means}\n{place}")
        table.add_row(Text(cause.label), told.append(f"\nin no task: {reason}") if reason else told)
    return table
