"""Tables of the command line are whole on a terminal of 80 columns."""

import io
import json

import pytest
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner

from netopsbench.cli import task_tables, ticket_tables
from netopsbench.cli.main import app
from netopsbench.rca.breaking.repertoire import NOT_MADE
from netopsbench.rca.labels import CAUSES
from netopsbench.rca.record import Group, TaskReport, TaskRun
from netopsbench.rca.summary import PATH_FIGURES, RCA_FIGURES
from netopsbench.records.answers import Budget
from netopsbench.report.naming import short_tasks, short_tickets
from netopsbench.scoring.statistics import Estimate
from netopsbench.tickets.load import shipped_labs
from netopsbench.tickets.model import CLASSES
from netopsbench.tickets.outcome import TicketScore
from netopsbench.tickets.record import TicketReport, TicketRun
from netopsbench.tickets.summary import summarize


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


MINE = "command:python3 /home/somebody/agents/agent.py"
BUDGET = Budget(wall_time_s=60, tool_calls=10)


def shown(*tables: Table) -> str:
    console = Console(file=io.StringIO(), width=80)
    for table in tables:
        console.print(table)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return text


def group(kind: str, figures: tuple[str, ...], **more: object) -> Group:
    half = Estimate(value=0.5, low=0.25, high=0.75, cases=2, method="wilson")
    given = {"kind": kind, "name": "observability O1", "agent": MINE, "tasks": 12, "rounds": 12.5, "elapsed_s": 1}
    told = dict.fromkeys(figures, half)
    return Group(**{**given, "strict": told, "tolerant": told, "failures": {}, "tokens": None, **more})


def test_figures_of_tasks_fit_with_whole_words_and_short_names() -> None:
    run = TaskRun(run_id="r", name="x", agents=(MINE, "sweeper"), tasks=2, budget=BUDGET, started_ns=1)
    groups = (group("rca", RCA_FIGURES, failures={"F1": 3, "F4": 2}), group("path", PATH_FIGURES, agent="sweeper"))
    report = TaskReport(run=run, counts=(), rows=(), groups=groups, invalid_reasons={})
    causes, paths = (shown(table) for table in task_tables.figures_tables(short_tasks(report)))
    assert "observability O1 agent.py" in causes
    assert "F1:3 F4:2" in causes
    assert "observability O1 sweeper" in paths
    # Classes are of root causes alone.
    assert "wrong" in causes
    assert "wrong" not in paths


def test_figures_of_tickets_fit_with_short_names() -> None:
    score = TicketScore(
        ticket_id="t",
        agent=MINE,
        lab="shop",
        ticket_class="false-premise",
        persona="standard",
        parent="t",
        is_answered=True,
        outcome=0.25,
        outcome_published=0.5,
        is_anomaly=True,
    )
    run = TicketRun(
        run_id="r", lab="shop", lab_digest="", tools="own", budget=BUDGET, agents=(MINE,), tickets=1, started_ns=1
    )
    report = TicketReport(run=run, summary=summarize([score]), rows=(), invalid=0, invalid_reasons={})
    by_class, by_voice = (shown(table) for table in ticket_tables.figures_tables(short_tickets(report)))
    assert by_class.splitlines()[-1].split() == ["false-premise", "agent.py", "1", "0", "0.25", "0.00", "1.00"]
    assert by_voice.splitlines()[-1].split()[:2] == ["standard", "agent.py"]
