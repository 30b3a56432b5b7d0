"""Tables of the command line are whole on a terminal of 80 columns."""

import json

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.rca.breaking.repertoire import NOT_MADE
from netopsbench.rca.labels import CAUSES
from netopsbench.tickets.load import shipped_labs
from netopsbench.tickets.model import CLASSES


def printed(*words: str) -> str:
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "80"}).stdout


@pytest.mark.parametrize("words", [("tickets", "list"), ("rca", "labels")])
def test_a_table_fits_and_cuts_nothing(words: tuple[str, ...]) -> None:
    text = printed(*words)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_tickets_are_counted_by_lab_class_and_voice() -> None:
    text = printed("tickets", "list")
    everything = json.loads(printed("tickets", "list", "--json"))
    for lab in shipped_labs():
        own = [ticket for ticket in everything if ticket["lab"] == lab and not ticket["parent"]]
        counts = [str(sum(ticket["ticket_class"] == name for ticket in own)) for name in CLASSES]
        [by_class, by_voice] = [line.replace("│", " ").split() for line in text.splitlines() if f" {lab} " in line]
        assert by_class == [lab, *counts]
        assert by_voice[1:] == [str(sum(t["persona"] == "naive" for t in everything if t["lab"] == lab))] * 5
    assert "confident" in text
    assert "no-detail" in text


def test_labels_tell_meaning_place_and_why_one_is_in_no_task() -> None:
    words = " ".join(printed("rca", "labels").replace("│", " ").split())
    assert next(cause for cause in CAUSES if cause.label == "blackhole route").means in words
    assert "C1, Physical/Link > interface state" in words
    assert words.count("in no task:") == len(NOT_MADE)
