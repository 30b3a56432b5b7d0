"""`netopsbench fabric` without a running fabric."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path))


def test_a_list_of_nothing_says_so() -> None:
    done = CliRunner().invoke(app, ["fabric", "list"])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no fabric runs\n")
