"""Tables of root-cause and path tasks on the terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from netopsbench.rca.labels import Cause
from netopsbench.rca.record import Group, TaskReport

_TITLES = {"rca": "root causes", "path": "paths"}
_SHORT = {
    "accuracy": "acc",
    "location": "loc",
    "identification": "id",
    "hierarchical": "hier",
    "evidence": "evid",
    "endpoints": "ends",
    "restored": "rest",
}


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


def figures_tables(report: TaskReport) -> Iterator[Table]:
    """What agents got, a table for each kind of tasks."""
    for family, title in _TITLES.items():
        rows = [group for group in report.groups if group.kind == family]
        if rows:
            yield _figures(title, rows)


def _figures(title: str, rows: Sequence[Group]) -> Table:
    short = [_SHORT.get(name, name) for name in rows[0].strict]
    has_classes = rows[0].kind == "rca"
    # No vertical lines, so that 80 columns cut no agent's name.
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0, show_edge=False)
    for head in ("group", "agent"):
        table.add_column(head, overflow="fold")
    for head in ("tasks", *short, "tole-\nrant", *(("wrong",) if has_classes else ()), "calls"):
        table.add_column(head, justify="right")
    for group in rows:
        cells = [f"{each.value:.2f}" for each in group.strict.values()]
        wrong = [" ".join(f"{name}:{count}" for name, count in group.failures.items())] if has_classes else []
        tolerant = f"{group.tolerant['accuracy'].value:.2f}"
        told = (*cells, tolerant, *wrong, f"{group.rounds:.1f}")
        table.add_row(group.name, Text(group.agent), str(group.tasks), *told)
    return table
