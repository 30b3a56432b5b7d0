"""`netopsbench fabric` without a running fabric."""

import os
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native import registry
from netopsbench.fabric.native.handle import Handle, start_time


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path))


def test_a_list_of_nothing_says_so() -> None:
    done = CliRunner().invoke(app, ["fabric", "list"])
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no fabric runs\n")


def test_a_list_folds_long_folders_and_cuts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "/home/somebody/with/a/long/name/of/a/folder/where/it/was/started"
    handle = Handle(
        plan=plan_fabric(load_spec("xs")),
        keeper=os.getpid(),
        keeper_start=start_time(os.getpid()) or 0,
        has_user_namespace=False,
        nodes={},
        versions={},
    )
    registry.register(registry.Registered(name="xs", directory=folder, started_ns=0, handle=handle))
    monkeypatch.setenv("COLUMNS", "80")
    rows = CliRunner().invoke(app, ["fabric", "list"]).stdout.splitlines()
    assert "".join(row.split("│")[-2].strip() for row in rows if "│" in row) == folder


@pytest.mark.parametrize(
    ("words", "formats"),
    [(["graph"], "text, svg, dot"), (["export"], "json, schema, containerlab, svg, dot")],
)
def test_an_unknown_format_is_answered_with_the_known_ones(words: list[str], formats: str) -> None:
    done = CliRunner().invoke(app, ["fabric", *words, "xs", "--format", "bogus"])
    assert (done.exit_code, done.stderr) == (2, f"netopsbench: --format: 'bogus'; one of {formats}\n")


def test_a_name_is_held_by_one_at_a_time_and_no_lock_stays(tmp_path: Path) -> None:
    with (
        registry.starting("xs", "/here"),
        pytest.raises(SpecError, match="another command is starting it"),
        registry.starting("xs", "/here"),
    ):
        pytest.fail("two hold the same name")
    with registry.starting("xs", "/here"):
        assert list(tmp_path.rglob("*.lock"))
    assert not list(tmp_path.rglob("*.lock"))


def test_the_version_is_told() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"netopsbench {metadata.version('netopsbench')}\n")
