"""`netopsbench fabric` without a running fabric."""

import json
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
    _register("xs", folder)
    monkeypatch.setenv("COLUMNS", "80")
    rows = CliRunner().invoke(app, ["fabric", "list"]).stdout.splitlines()
    assert "".join(row.split("│")[-2].strip() for row in rows if "│" in row) == folder


@pytest.mark.parametrize(
    ("running", "heads"),
    [
        (["xs"], ["switches", "clients"]),
        (["simple_bgp"], ["routers", "hosts"]),
        (["xs", "simple_bgp"], ["switches, routers", "clients, hosts"]),
    ],
)
def test_a_list_calls_the_nodes_of_labs_routers_and_hosts(
    running: list[str], heads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in running:
        _register(name, "/here")
    monkeypatch.setenv("COLUMNS", "160")
    head = next(row for row in CliRunner().invoke(app, ["fabric", "list"]).stdout.splitlines() if "links" in row)
    assert [cell.strip() for cell in head.strip("┃").split("┃")][1:3] == heads
    told = json.loads(CliRunner().invoke(app, ["fabric", "list", "--json"]).stdout)
    assert {each["name"]: each["is_lab"] for each in told} == {name: name == "simple_bgp" for name in running}


def _register(name: str, folder: str) -> None:
    handle = Handle(
        plan=plan_fabric(load_spec(name)),
        keeper=os.getpid(),
        keeper_start=start_time(os.getpid()) or 0,
        has_user_namespace=False,
        nodes={},
        versions={},
    )
    registry.register(registry.Registered(name=name, directory=folder, started_ns=0, handle=handle))


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
