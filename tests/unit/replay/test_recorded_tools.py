"""A recorded case by hand: its tools from the command line and over MCP, and an agent tried on it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_clients import Place, talk_in_python
from typer.testing import CliRunner

from netopsbench.agent.programs.sandbox import ensure_usable
from netopsbench.campaign.recorded import SealedTruth
from netopsbench.campaign.replayed import ReplayRequest, replay
from netopsbench.campaign.verbs import Silent
from netopsbench.cli.main import app
from netopsbench.core.errors import ToolError, UnsupportedError
from netopsbench.core.files import find_data
from netopsbench.replay.bundle import Bundle
from netopsbench.replay.playing import desk_of
from netopsbench.tools.serving.meter import Meter

ELSEWHERE = Path(__file__).with_name("elsewhere.py")
EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
COMMAND = (sys.executable, "-m", "netopsbench.cli.main")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_topology", {}),
    ("get_bgp_neighbors", {"device": "leaf1"}),
    ("get_pingmesh_summary", {"only_changed": True}),
    ("get_route_table", {"device": "leaf9"}),
    ("ping_test", {"device": "leaf1", "target": "10.99.99.99"}),
]


@pytest.fixture(scope="module")
def shipped() -> Path:
    return find_data("recordings", "smoke", ".zip")


@pytest.fixture(scope="module")
def case_id(shipped: Path) -> str:
    """A case with a fault."""
    bundle = Bundle(shipped)
    truth = SealedTruth(bundle)
    return next(case_id for case_id in bundle.about.cases if truth.trial(case_id).truth.faults)


@pytest.fixture(scope="module")
def answers(shipped: Path, case_id: str, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the tools of the case say to an agent of a replay."""
    meter = Meter(tmp_path_factory.mktemp("meter") / "calls", budget=len(CALLS))
    desk = desk_of(Bundle(shipped).case(case_id), meter)
    found = []
    for name, arguments in CALLS:
        try:
            found.append(desk.call(name, arguments))
        except ToolError as refused:
            found.append({"error": refused.kind})
    meter.close()
    return found


@pytest.fixture
def stdio(case_id: str) -> Place:
    return Place(command=(*COMMAND, "tools", "serve", "--replay", "smoke", "--case", case_id))


@pytest.fixture
def http(case_id: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("NETOPSBENCH_MCP_TOKEN", "recorded-case")
    words = ["tools", "serve", "--http", "0", "--replay", "smoke", "--case", case_id]
    server = subprocess.Popen([*COMMAND, *words], stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    yield Place(url=server.stderr.readline().removeprefix("url: ").strip(), token="recorded-case")
    server.terminate()
    server.wait(60)
    server.stderr.close()


def told(*words: str) -> tuple[int, str, str]:
    """Exit code, and what a command said on stdout and on stderr."""
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_over_mcp_the_tools_say_what_they_say_to_an_agent_of_a_replay(
    transport: str, request: pytest.FixtureRequest, answers: list[dict[str, Any]]
) -> None:
    heard = talk_in_python(request.getfixturevalue(transport), CALLS).heard
    said = [
        {"error": json.loads(each.texts[0])["error"]["kind"]} if each.is_error else each.structured for each in heard
    ]
    assert said == answers
    assert [each.get("error") for each in said] == [None, None, None, "unknown_device", "not_recorded"]


def test_a_tool_is_called_by_hand_where_nothing_of_linux_is_left(
    case_id: str, answers: list[dict[str, Any]], tmp_path: Path
) -> None:
    words = ["tools", "call", "get_bgp_neighbors", "device=leaf1", "--replay", "smoke", "--case", case_id]
    done = subprocess.run(
        [sys.executable, str(ELSEWHERE), *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == answers[1]


def test_the_record_of_calls_is_closed_before_its_folder_goes(case_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows removes no folder with an open file in it."""
    closed: list[Path] = []

    class Watched(Meter):
        def close(self) -> None:
            super().close()
            closed.append(Path(self._file.name))
            assert closed[-1].exists()

    monkeypatch.setattr("netopsbench.cli.tools.Meter", Watched)
    for words in (["get_topology"], ["get_topology", "device=leaf9"]):
        told("tools", "call", *words, "--replay", "smoke", "--case", case_id)
    assert len(closed) == 2
    assert not any(path.exists() for path in closed)


@pytest.mark.parametrize(("given", "is_told"), [(None, True), ("", True), ("mine", False)])
def test_a_token_that_nobody_gave_is_told(
    given: str | None, is_told: bool, case_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[str] = []
    monkeypatch.setattr("netopsbench.tools.serving.mcp_front.serve_http", lambda *given: wanted.append(given[2]))
    monkeypatch.delenv("NETOPSBENCH_MCP_TOKEN", raising=False)
    if given is not None:
        monkeypatch.setenv("NETOPSBENCH_MCP_TOKEN", given)
    _, _, words = told("tools", "serve", "--http", "0", "--replay", "smoke", "--case", case_id)
    assert wanted[0]
    assert (f"token: {wanted[0]}" in words) == is_told


def test_of_several_cases_one_has_to_be_named(shipped: Path) -> None:
    code, _, words = told("tools", "call", "get_topology", "--replay", "smoke")
    assert code == 2
    assert all(case_id in words for case_id in Bundle(shipped).about.cases)


def test_an_unknown_case_names_the_known_ones(case_id: str) -> None:
    code, _, words = told("tools", "call", "get_topology", "--replay", "smoke", "--case", "cNONE")
    assert code == 2
    assert "cNONE" in words
    assert case_id in words


@pytest.mark.parametrize("verb", [["tools", "call", "get_topology"], ["agents", "check", "nop"]])
def test_a_case_without_its_recording_is_a_mistake(verb: list[str]) -> None:
    code, _, words = told(*verb, "--case", "cNONE")
    assert code == 2
    assert "--replay RECORDING" in words


@pytest.mark.parametrize("more", [["--measure"], ["--shell"], ["--fabric", "mine"]])
def test_what_only_a_running_fabric_has_is_refused(more: list[str], case_id: str) -> None:
    code, _, words = told("tools", "call", "get_topology", "--replay", "smoke", "--case", case_id, *more)
    assert code == 2
    assert more[0] in words


def test_an_agent_is_tried_on_a_recorded_case_where_nothing_of_linux_is_left(tmp_path: Path) -> None:
    words = ["agents", "check", "baseline", "--replay", "smoke", "--json"]
    done = subprocess.run(
        [sys.executable, str(ELSEWHERE), *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert [each["is_passed"] for each in json.loads(done.stdout)] == [True] * 4


@pytest.fixture
def shut_in() -> None:
    """Skips with the reason where programs can't be shut in."""
    try:
        ensure_usable()
    except UnsupportedError as reason:
        pytest.skip(str(reason))


@pytest.mark.usefixtures("shut_in")
def test_a_published_example_passes_on_a_recorded_case() -> None:
    code, found, words = told("agents", "check", f"command:{EXAMPLES / 'agent.sh'}", "--replay", "smoke", "--json")
    assert code == 0, words
    assert [each["is_passed"] for each in json.loads(found)] == [True] * 4


@pytest.mark.usefixtures("shut_in")
def test_an_agent_that_a_failing_tool_brings_down_is_told_what_to_mend(tmp_path: Path) -> None:
    script = tmp_path / "fragile.sh"
    script.write_text(
        '#!/bin/sh\nset -e\n$NETOPSBENCH_ASK get_topology >/dev/null\necho \'{"verdict": "inconclusive"}\'\n'
    )
    script.chmod(0o755)
    code, found, _ = told("agents", "check", f"command:{script}", "--replay", "smoke", "--json")
    assert code == 1
    failed = [each for each in json.loads(found) if not each["is_passed"]]
    assert [each["name"] for each in failed] == ["survives tools that fail"]
    assert "Catch errors of tools" in failed[0]["told"]


def test_a_replay_takes_another_budget_than_the_recorded_run(shipped: Path, case_id: str, tmp_path: Path) -> None:
    words = ["benchmark", "run", "--replay", "smoke", "--agent", "baseline", "--case", case_id]
    code, _, _ = told(*words, "--budget", "calls=2", "--budget", "usd=1", "--out", str(tmp_path / "run"))
    assert code == 0
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    trial = json.loads((tmp_path / "run" / "trials" / f"{info['planned'][0]['trial_id']}.json").read_text())
    recorded = Bundle(shipped).about.budget
    assert (info["budget"]["tool_calls"], info["budget"]["cost_usd"]) == (2, 1)
    assert info["budget"]["wall_time_s"] == recorded.wall_time_s
    assert len(trial["calls"]) <= 2
    usual = replay(ReplayRequest(recording=shipped, agents=("baseline",), cases=(case_id,)), tmp_path / "u", Silent())
    assert usual.planned[0].trial_id != info["planned"][0]["trial_id"]


@pytest.mark.parametrize(
    ("limit", "wanted"), [("calls=none", "valid integer"), ("days=1", "one of seconds=N"), ("usd=0", "greater than 0")]
)
def test_a_limit_that_is_none_is_told_before_a_replay(limit: str, wanted: str) -> None:
    code, _, words = told("benchmark", "run", "--replay", "smoke", "--agent", "nop", "--budget", limit)
    assert code == 2
    assert wanted in " ".join(words.split())


def test_a_limit_of_money_needs_a_price_in_a_replay_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_KEY", "sk-test-0123456789abcdef0123")
    agent = "openai-compatible:base_url=http://127.0.0.1:9/v1,model=home-made,key_env=FAKE_KEY"
    code, _, words = told("benchmark", "run", "--replay", "smoke", "--agent", agent, "--budget", "usd=1")
    assert code == 2
    assert "prices=FILE" in words
