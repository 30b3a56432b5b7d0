"""The manual's table of causes is the program's."""

import json
from pathlib import Path

from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.rca.breaking.repertoire import NOT_MADE
from netopsbench.rca.labels import CAUSES

_PAGE = Path(__file__).parents[3] / "docs" / "rca.md"


def test_the_table_of_causes_in_the_manual_is_up_to_date() -> None:
    rows = [
        f"| {cause.label} | {cause.means} | {cause.category} | {NOT_MADE.get(cause.label, 'yes')} |" for cause in CAUSES
    ]
    table = "\n".join(["| cause | what is wrong | category | in tasks, or why not |", "|---|---|---|---|", *rows])
    assert table in _PAGE.read_text(encoding="utf-8")


def test_the_list_of_labels_says_what_each_means() -> None:
    done = CliRunner().invoke(app, ["rca", "labels", "--json"])
    assert [row["means"] for row in json.loads(done.stdout)] == [cause.means for cause in CAUSES]
    shown = " ".join(CliRunner().invoke(app, ["rca", "labels"], env={"COLUMNS": "400"}).stdout.split())
    assert all(cause.means in shown for cause in CAUSES)
