"""Trials as Parquet: the table of `trials.csv`, with types."""

import duckdb
import pytest
from report_runs import faulty, trial, usual_run, write_run
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.records.answers import Answer
from netopsbench.records.usage import Usage
from netopsbench.report.parquet import write_parquet
from netopsbench.report.tables import COLUMNS, trial_rows
from netopsbench.scoring.run import score_run


def rows_of(path):
    with duckdb.connect() as connection:
        found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_every_value_comes_back_as_it_was(tmp_path):
    run = score_run(write_run(tmp_path, usual_run()))
    rows = rows_of(write_parquet(run, tmp_path))
    assert len(rows) == 12
    assert tuple(rows[0]) == COLUMNS
    assert rows == [{**dict.fromkeys(COLUMNS), **row} for row in trial_rows(run)]


def test_unknown_is_null_and_not_zero_and_text_is_what_was_said(tmp_path):
    link = faulty("link_down", ("leaf1", "eth1"))
    said = Answer.model_validate(
        {"verdict": "fault_detected", "findings": [{"fault_type": "=1,\"'\nü", "location": {"device": "x"}}]}
    )
    free = trial("t-1", case_id="c-1", truth=link, answer=said, usage=Usage(input_tokens=0, cost_usd=0.0))
    run = score_run(write_run(tmp_path, [free, trial("t-2", case_id="c-2")]))
    known, unknown = rows_of(write_parquet(run, tmp_path))
    assert (known["input_tokens"], known["cost_usd"]) == (0, 0.0)
    assert (unknown["input_tokens"], unknown["cost_usd"], unknown["confidence"]) == (None, None, None)
    assert known["answer"].startswith("=1,\"'")
    assert known["is_detected"] is True


def test_a_run_without_records_is_an_empty_table(tmp_path):
    run = score_run(write_run(tmp_path, usual_run()))
    for path in (tmp_path / "trials").iterdir():
        path.unlink()
    assert rows_of(write_parquet(score_run(tmp_path), tmp_path)) == []
    assert len(run.records.trials) == 12


@pytest.mark.parametrize(("words", "is_there"), [(["--format", "parquet"], True), ([], False)])
def test_the_command_writes_it_beside_the_csv_when_asked(tmp_path, words, is_there):
    write_run(tmp_path, usual_run())
    done = CliRunner().invoke(app, ["benchmark", "report", str(tmp_path), *words])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "trials.csv").exists()
    assert (tmp_path / "trials.parquet").exists() is is_there
    assert not list(tmp_path.glob(".parquet.*"))


def test_another_format_is_refused_with_those_that_are_there(tmp_path):
    done = CliRunner().invoke(app, ["benchmark", "report", str(tmp_path), "--format", "xls"])
    assert done.exit_code == 2
    assert "parquet" in done.output
