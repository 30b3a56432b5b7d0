"""Agents of every kind as they are examined: in their sandboxes, over the tool server's socket."""

import json
import os
import shutil
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from agent_service import service
from fake_provider import Turn, provider
from sim_server import examined, simulated_server

from netopsbench.agent.programs import sandbox
from netopsbench.core.errors import SpecError, UnsupportedError

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
HEALTHY = ("submit_answer", {"verdict": "network_healthy", "confidence": 0.8})
KEY = "plain-key-that-looks-like-words"
ANSWER = '{"verdict": "inconclusive"}'


@pytest.fixture(autouse=True)
def _a_machine_that_can_shut_in() -> None:
    try:
        sandbox.ensure_usable()
    except UnsupportedError as reason:
        pytest.skip(f"programs can't be shut in here: {reason}")


@pytest.mark.parametrize("program", ["python3 {}/agent.py", "node {}/agent.js", "{}/agent.sh"])
def test_the_published_examples_find_a_cut_cable(program: str) -> None:
    if program.startswith("node") and shutil.which("node", path=sandbox.ENVIRONMENT["PATH"]) is None:
        pytest.skip("node is not installed")
    with simulated_server(cut="leaf2:eth1") as socket:
        outcome = examined("command", {"command": program.format(EXAMPLES)}, socket)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    assert str(outcome.answer.findings[0].location) == "leaf2:eth1"
    assert outcome.access == "closed"


@pytest.mark.parametrize("program", ["python3 {}/agent.py", "{}/agent.sh"])
def test_the_published_examples_keep_to_their_budget(program: str) -> None:
    with simulated_server(calls=2) as socket:
        outcome = examined("command", {"command": program.format(EXAMPLES)}, socket, tool_calls=2)
    assert outcome.failure is None, outcome.message


@pytest.mark.parametrize(("kind", "agent"), [("anthropic", "claude"), ("openai", "openai-compatible")])
def test_a_model_is_asked_from_within_and_its_key_is_kept_nowhere(
    kind: str, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anthropic", reason="the extra `claude` is not installed")
    monkeypatch.setenv("FAKE_KEY", KEY)
    look = Turn(text=f"the key is {KEY}", calls=(("get_topology", {"limit": 1}),))
    busy = Turn(status=429, error="rate_limit_error")
    with provider([look, busy, Turn(calls=(HEALTHY,))], kind=kind) as at, simulated_server() as socket:
        options = {"model": "claude-sonnet-4-5", "base_url": at.url, "key_env": "FAKE_KEY"}
        outcome = examined(agent, options, socket)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    assert outcome.access == "network"
    assert [each.kind for each in outcome.events] == ["sent", "reply", "sent", "wait", "reply"]
    assert outcome.usage is not None
    assert outcome.usage.tokens == 300
    assert 0.7 < outcome.waited_s < outcome.elapsed_s
    assert KEY not in outcome.model_dump_json()


def test_what_a_model_exceeded_is_the_failure_of_the_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_KEY", KEY)
    with provider([Turn(calls=(("get_topology", {}),))], kind="openai") as at, simulated_server() as socket:
        options = {"model": "m", "base_url": at.url, "key_env": "FAKE_KEY"}
        outcome = examined("openai-compatible", options, socket, turns=2)
    assert (outcome.failure, outcome.answer) == ("turns_exceeded", None)
    assert outcome.usage is not None
    assert outcome.usage.tokens == 300


def test_waiting_for_a_busy_provider_does_not_use_up_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = Turn(status=429, error="rate_limit_error", headers={"Retry-After": "9"})
    with provider([busy, Turn(calls=(HEALTHY,))], kind="openai") as at, simulated_server() as socket:
        outcome = examined("openai-compatible", {"model": "m", "base_url": at.url}, socket, wall_time_s=8)
    assert outcome.failure is None, outcome.message
    assert outcome.waited_s == 9


def test_a_service_calls_the_tools_back_with_its_token() -> None:
    with service(_diagnose) as url, simulated_server() as socket:
        outcome = examined("http", {"url": url}, socket)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    assert outcome.answer.metadata == {"nodes": 6, "refused": 401}


def test_a_service_finds_the_tools_over_mcp_too() -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    with service(_count_over_mcp) as url, simulated_server() as socket:
        outcome = examined("http", {"url": url}, socket)
    assert outcome.answer is not None, (outcome.failure, outcome.message, outcome.stderr)
    assert outcome.answer.metadata["has_topology"] is True


def test_a_service_that_breaks_is_the_agents_failure() -> None:
    with service(lambda _: b"what?") as url, simulated_server() as socket:
        outcome = examined("http", {"url": url}, socket)
    assert outcome.failure == "malformed_answer"


def test_an_entry_point_that_is_not_installed_is_named_before_anything_starts() -> None:
    with simulated_server() as socket, pytest.raises(SpecError, match="no-such-agent"):
        examined("python", {"name": "no-such-agent"}, socket)


def test_only_a_trusted_command_sees_the_machine(tmp_path: Path) -> None:
    secret = tmp_path / "there"
    secret.write_text("x")
    script = tmp_path / "look.sh"
    script.write_text(f"#!/bin/sh\n[ -e {secret} ] && echo seen >&2\necho '{ANSWER}'\n")
    script.chmod(0o755)
    with simulated_server() as socket:
        closed = examined("command", {"command": f"sh {script}"}, socket)
        trusted = examined("command", {"command": f"sh {script}", "trust": True}, socket)
    assert (closed.access, closed.stderr.strip()) == ("closed", "")
    assert (trusted.access, trusted.stderr.strip()) == ("trusted", "seen")


def test_children_of_a_trusted_command_end_with_it() -> None:
    # Another run of the tests may be under way on this machine.
    own = str(100_000 + os.getpid())
    code = f"setsid sleep {own} >/dev/null 2>&1 </dev/null & sleep 600"
    with simulated_server() as socket:
        outcome = examined("command", {"command": f"sh -c '{code}'", "trust": True}, socket, wall_time_s=2)
    assert outcome.failure == "wall_time_exceeded"
    running = [path for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [path for path in running if _content(path).decode(errors="replace") == f"sleep\0{own}\0"]


def test_usage_that_an_agent_tells_of_itself_is_held_against_the_budget() -> None:
    told = '{"verdict": "network_healthy", "metadata": {"usage": {"input_tokens": 900, "output_tokens": 200}}}'
    with simulated_server() as socket:
        outcome = examined("command", {"command": f"sh -c 'echo \"$0\"' '{told}'"}, socket, tokens=1000)
    assert outcome.failure == "tokens_exceeded"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        # It ended in between.
        return b""


def _diagnose(asked: dict[str, Any]) -> bytes:
    def post(token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        body = json.dumps({"tool": "get_topology", "arguments": {}}).encode()
        return urllib.request.urlopen(urllib.request.Request(asked["tools"]["url"], body, headers), timeout=30)

    try:
        post("wrong")
    except urllib.error.HTTPError as failure:
        refused = failure.code
    nodes = len(json.loads(post(asked["tools"]["token"]).read())["result"]["nodes"])
    return json.dumps({"verdict": "inconclusive", "metadata": {"nodes": nodes, "refused": refused}}).encode()


def _count_over_mcp(asked: dict[str, Any]) -> bytes:
    headers = {
        "Authorization": f"Bearer {asked['tools']['token']}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    request = urllib.request.Request(asked["tools"]["mcp_url"], body, headers)
    told = json.loads(urllib.request.urlopen(request, timeout=30).read())
    names = [each["name"] for each in told["result"]["tools"]]
    return json.dumps({"verdict": "inconclusive", "metadata": {"has_topology": "get_topology" in names}}).encode()
