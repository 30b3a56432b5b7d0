"""The published tables, from a registry of runs."""

from pathlib import Path

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.tickets.manifest import COLUMNS, Row, published_tables, read_manifest


def _line(**values: str) -> str:
    usual = {
        "arm": "cex120",
        "pass": "P1",
        "topology": "shop",
        "scenario_id": "shop-false-premise-1",
        "agent": "one",
        "status": "scored",
        "is_anomaly": "False",
        "outcome_score": "1.0",
        "tool_calls": "4",
        "in_tokens": "10",
        "cache_read_tokens": "5",
        "out_tokens": "7",
        "cost_usd": "0.5",
    }
    row = usual | values
    return ",".join(row.get(column, "") for column in COLUMNS)


def _manifest(folder: Path, *lines: str, bom: str = "") -> Path:
    path = folder / "MANIFEST.csv"
    path.write_text(bom + "\n".join([",".join(COLUMNS), *lines]) + "\n", encoding="utf-8")
    return path


def _row(path: Path, group: str, agent: str) -> Row:
    tables = published_tables(read_manifest(path))
    return next(row for row in tables.by_class if (row.group, row.agent) == (group, agent))


def test_means_are_over_passes_and_timeouts_stand_apart(tmp_path: Path) -> None:
    path = _manifest(
        tmp_path,
        _line(),
        _line(scenario_id="shop-false-premise-2", outcome_score="0.5", is_anomaly="True"),
        _line(**{"pass": "P2", "outcome_score": "0.25"}),
        _line(**{"pass": "P2", "scenario_id": "shop-false-premise-2", "status": "no_output", "outcome_score": ""}),
        bom="\ufeff",
    )
    row = _row(path, "false-premise", "one")
    assert (row.runs, row.answered, row.timeouts) == (4, 3, 1)
    assert row.outcome.by_pass == (0.75, 0.25)
    assert row.outcome.mean == pytest.approx(0.5)
    assert row.outcome.deviation == pytest.approx(0.3535533905932738)
    assert row.outcome_with_timeouts == pytest.approx(1.75 / 4)
    assert row.over_diagnosis == pytest.approx(1 / 3)
    assert (row.tokens_read, row.tokens_written, row.cost_share_of_timeouts) == (15, 7, 0.25)


def test_failures_of_the_machinery_are_left_out_and_counted(tmp_path: Path) -> None:
    path = _manifest(tmp_path, _line(), _line(agent="two", status="injection_failed", outcome_score=""))
    tables = published_tables(read_manifest(path))
    assert tables.left_out == {"injection_failed": 1}
    assert {row.agent for row in tables.by_class} == {"one", "all"}


def test_personas_are_rows_of_their_own(tmp_path: Path) -> None:
    path = _manifest(
        tmp_path,
        _line(),
        _line(arm="naive_unsure", scenario_id="shop-false-premise-1-naive-unsure"),
        _line(arm="base80", scenario_id="shop-link", fix_score="0.5"),
    )
    tables = published_tables(read_manifest(path))
    assert [row.group for row in tables.by_persona if row.agent == "all"] == ["standard", "naive-unsure"]
    fault = _row(path, "correct-fault", "one")
    assert (fault.fix.mean, fault.over_diagnosis) == (0.5, None)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (_line(outcome_score="much"), "could not convert"),
        (_line(arm="other"), "one of base80"),
        (_line(outcome_score=""), "an answered run has one"),
    ],
)
def test_wrong_rows_are_named_with_their_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(SpecError, match=said) as wrong:
        read_manifest(_manifest(tmp_path, _line(agent="other"), line))
    assert "line 3" in str(wrong.value)


def test_a_doubled_run_and_missing_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="every run stands here once"):
        read_manifest(_manifest(tmp_path, _line(), _line()))
    path = tmp_path / "other.csv"
    path.write_text("arm,pass\nbase80,P1\n")
    with pytest.raises(SpecError, match="missing: topology"):
        read_manifest(path)
