"""The manual's table of causes is the program's."""

from pathlib import Path

from netopsbench.rca.labels import CAUSES
from netopsbench.rca.repertoire import NOT_MADE

_PAGE = Path(__file__).parents[3] / "docs" / "rca.md"


def test_the_table_of_causes_in_the_manual_is_up_to_date() -> None:
    rows = [f"| {cause.label} | {cause.category} | {NOT_MADE.get(cause.label, 'yes')} |" for cause in CAUSES]
    table = "\n".join(["| cause | category | in tasks, or why not |", "|---|---|---|", *rows])
    assert table in _PAGE.read_text(encoding="utf-8")
