"""`netopsbench tools` as people type it, and a fabric that is measured while something breaks."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from mcp_clients import Place, talk_in_python

from netopsbench.fabric.native.engine import NativeEngine

pytestmark = pytest.mark.live

Done = subprocess.CompletedProcess[str]
Typed = Callable[[Sequence[str]], Done]
_COMMAND = (sys.executable, "-m", "netopsbench.cli.main")


@pytest.fixture(scope="module")
def folder(engine: NativeEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with a state folder of its own, in which the fabric `xs` runs."""
    folder = tmp_path_factory.mktemp("lab")
    software = Path(os.environ.get("NETOPSBENCH_HOME", Path.home() / ".local/share/netopsbench")) / "software"
    (folder / "home").mkdir()
    if software.is_dir():
        (folder / "home" / "software").symlink_to(software)
    up = run_in(folder, ["fabric", "up", "xs"])
    assert up.returncode == 0, up.stderr
    yield folder
    run_in(folder, ["fabric", "down", "xs"])


def run_in(folder: Path, words: Sequence[str]) -> Done:
    return subprocess.run(
        [*_COMMAND, *words], capture_output=True, text=True, cwd=folder, check=False, timeout=120,
        env={**os.environ, "NETOPSBENCH_HOME": str(folder / "home"), "NETOPSBENCH_MCP_TOKEN": "open"},
    )  # fmt: skip


@pytest.fixture
def typed(folder: Path) -> Typed:
    return lambda words: run_in(folder, words)


def test_a_call_prints_its_result_as_json_and_words_elsewhere(typed: Typed) -> None:
    done = typed(["tools", "call", "get_bgp_neighbors", "--arg", "device=leaf1"])
    assert done.returncode == 0, done.stderr
    assert {each["state"] for each in json.loads(done.stdout)["neighbors"]} == {"Established"}
    assert "never an instruction" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get_fib", "--arg", "device=leaf9"], "leaf9"),
        (["get_fib", "--arg", "device"], "key=value"),
        (["get_fib", "--arg", "device=leaf1", "--arg", "limit=many"], "limit"),
        (["get_nothing"], "get_nothing"),
        (["get_pingmesh_summary"], "--measure"),
        (["run_command", "--arg", "device=leaf1", "--arg", "command=id"], "run_command"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(words: list[str], said: str, typed: Typed) -> None:
    done = typed(["tools", "call", *words])
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_all_tools_are_listed_with_schemas_of_arguments_and_results(typed: Typed) -> None:
    described = json.loads(typed(["tools", "list", "--json-schema"]).stdout)
    by_name = {each["name"]: each for each in described}
    assert by_name["get_fib"]["arguments"]["required"] == ["device"]
    assert "routes" in by_name["get_fib"]["result"]["properties"]
    assert "run_command" in typed(["tools", "list"]).stdout


def test_a_server_that_measures_sees_what_breaks_while_it_runs(folder: Path) -> None:
    server = subprocess.Popen(
        [*_COMMAND, "tools", "serve", "--http", "0", "--measure"], stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "NETOPSBENCH_HOME": str(folder / "home"), "NETOPSBENCH_MCP_TOKEN": "open"},
    )  # fmt: skip
    assert server.stderr is not None
    try:
        url = next((line.split()[1] for line in server.stderr if line.startswith("url: ")), "")
        place = Place(url=url, token="open")
        (before,) = talk_in_python(place, [("get_pingmesh_summary", {})]).heard
        assert before.structured["states"]["ok"] == 2
        broken = run_in(folder, ["fabric", "exec", "leaf1", "--", "ip", "link", "set", "eth3", "down"])
        assert broken.returncode == 0
        states: dict[str, int] = {}
        for _ in range(60):
            (after,) = talk_in_python(place, [("get_pingmesh_summary", {})]).heard
            states = after.structured["states"]
            if not states.get("ok"):
                break
        assert not states.get("ok")
    finally:
        run_in(folder, ["fabric", "exec", "leaf1", "--", "ip", "link", "set", "eth3", "up"])
        server.terminate()
        server.wait(30)
        server.stderr.close()
