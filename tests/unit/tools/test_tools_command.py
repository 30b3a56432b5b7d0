"""`netopsbench tools` on the command line: how arguments are written, and what is said of missing extras."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.errors import ToolError
from netopsbench.tools.context import ToolContext
from netopsbench.tools.packets import capture_summary


@pytest.mark.parametrize("words", [["leaf1"], ["--arg", "leaf1"]])
def test_an_argument_without_a_value_is_a_mistake_in_either_spelling(words: list[str]) -> None:
    done = CliRunner().invoke(app, ["tools", "call", "get_topology", *words])
    assert done.exit_code == 2
    assert "'leaf1'; write it key=value" in done.stderr


@pytest.mark.parametrize("words", [["device=leaf1"], ["--arg", "device=leaf1"]])
def test_arguments_are_taken_in_either_spelling(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["tools", "call", "get_route_table", *words])
    assert "no fabric runs here" in done.stderr


def test_a_capture_without_scapy_says_how_to_get_it(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_summary, "find_spec", lambda _: None)
    with pytest.raises(ToolError, match=r"netopsbench\[capture\]"):
        capture_summary.capture_summary(context, "leaf1", "eth1")


def test_serving_without_the_extra_names_mcp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "netopsbench.tools.serving.mcp_front", raising=False)
    monkeypatch.setitem(sys.modules, "anyio", None)
    done = CliRunner().invoke(app, ["tools", "serve"])
    assert done.exit_code == 1
    assert "the MCP server is missing; install it: pip install 'netopsbench[mcp]'" in done.stderr
