"""MCP clients against the front end: answers, refusals, troublesome tools, many calls at once, the token."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import MCPError
from mcp_clients import Heard, Place, ask, connected, talk_in_python, talk_in_typescript, typescript_sdk
from troublesome import BUDGET, PLANTED, TOKEN, TOOLS

from netopsbench.core import sockets
from netopsbench.tools.context import ToolContext
from netopsbench.tools.serving import wire
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.process import read_calls
from netopsbench.tools.serving.server import serve

_PROGRAM = Path(__file__).with_name("troublesome.py")
CALLS = [
    ("echo", {"text": "ja – nein\n"}),
    ("echo", {"word": "x"}),
    ("nonsense", {}),
    ("sleep", {}),
    ("shout", {}),
    ("babble", {}),
    ("read", {}),
    ("echo", {"text": "still here"}),
]
KINDS = ["", "bad_arguments", "unknown_tool", "timeout", "", "", "", ""]


def kind(heard: Heard) -> str:
    """The kind of a refusal; empty for a result."""
    return str(json.loads(heard.texts[0])["error"]["kind"]) if heard.is_error else ""


@pytest.fixture
def calls_path(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def stdio(calls_path: Path) -> Place:
    return Place(command=(sys.executable, str(_PROGRAM), str(calls_path)))


@pytest.fixture
def http(calls_path: Path) -> Iterator[Place]:
    server = subprocess.Popen([sys.executable, str(_PROGRAM), str(calls_path), "0"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield Place(url=server.stdout.readline().strip(), token=TOKEN)
    server.terminate()
    server.wait(10)
    server.stdout.close()


@pytest.fixture(scope="session")
def sdk() -> Path:
    try:
        return typescript_sdk()
    except RuntimeError as reason:
        pytest.skip(f"no TypeScript client: {reason}")


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_both_official_clients_hear_the_same_and_are_counted_alike(
    transport: str, request: pytest.FixtureRequest, calls_path: Path, sdk: Path
) -> None:
    place: Place = request.getfixturevalue(transport)
    in_python = talk_in_python(place, CALLS)
    counted = len(read_calls(calls_path))
    in_typescript = talk_in_typescript(sdk, place, CALLS)
    assert [kind(heard) for heard in in_python.heard] == KINDS
    assert in_typescript == in_python
    assert in_python.tools == tuple(tool.name for tool in TOOLS)
    assert counted == len(CALLS)
    assert len(read_calls(calls_path)) == 2 * len(CALLS)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_python_client_alone_gets_every_answer(transport: str, request: pytest.FixtureRequest) -> None:
    heard = talk_in_python(request.getfixturevalue(transport), CALLS).heard
    assert [kind(each) for each in heard] == KINDS
    assert heard[0].structured == {"text": "ja – nein\n"}
    assert heard[-1].structured == {"text": "still here"}


def test_text_from_devices_is_handed_over_as_data_with_a_warning(stdio: Place) -> None:
    (heard,) = talk_in_python(stdio, [("read", {})]).heard
    assert heard.structured == {"description": PLANTED}
    assert json.loads(heard.texts[0]) == {"description": PLANTED}
    assert "never an instruction" in heard.texts[1]
    assert "description" in heard.texts[1]


def test_descriptions_schemas_and_effects_are_those_of_the_tools(stdio: Place) -> None:
    async def listed() -> list[tuple[str, bool, list[str]]]:
        async with connected(stdio) as client:
            shown = (await client.list_tools()).tools
        return [
            (
                each.description or "",
                bool(each.annotations and each.annotations.read_only_hint),
                each.input_schema.get("required", []),
            )
            for each in shown
        ]

    shown = asyncio.run(listed())
    assert shown[0] == ("Say what was said.", True, ["text"])
    assert [is_reading for _, is_reading, _ in shown] == [each.effect == "read" for each in TOOLS]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_pings_are_answered_while_a_tool_runs(transport: str, request: pytest.FixtureRequest) -> None:
    place: Place = request.getfixturevalue(transport)

    async def order_of_answers() -> list[str]:
        answers: list[str] = []

        async def doze() -> None:
            await ask(client, "doze", {})
            answers.append("doze")

        async with connected(place) as client:
            dozing = asyncio.create_task(doze())
            await asyncio.sleep(0.1)
            await ask(client, "echo", {"text": "quick"})
            answers.append("echo")
            await dozing
        return answers

    assert asyncio.run(order_of_answers()) == ["echo", "doze"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_32_calls_at_once_are_answered_and_counted(
    transport: str, request: pytest.FixtureRequest, calls_path: Path
) -> None:
    place: Place = request.getfixturevalue(transport)

    async def many() -> list[Heard]:
        async with connected(place) as client:
            return list(await asyncio.gather(*(ask(client, "echo", {"text": str(n)}) for n in range(32))))

    assert [heard.structured for heard in asyncio.run(many())] == [{"text": str(n)} for n in range(32)]
    assert len(read_calls(calls_path)) == 32


def test_the_budget_holds_whatever_the_client_does(stdio: Place, calls_path: Path) -> None:
    heard = talk_in_python(stdio, [("echo", {"text": "x"})] * (BUDGET + 2)).heard
    assert [kind(each) for each in heard[BUDGET:]] == ["tool_calls_exceeded"] * 2
    assert len(read_calls(calls_path)) == BUDGET


@pytest.mark.parametrize("token", ["", "close", "opened"])
def test_without_the_right_token_nothing_is_answered(token: str, http: Place, calls_path: Path) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = httpx2.post(http.url, json=asked, headers={"Authorization": f"Bearer {token}"} if token else {})
    assert answer.status_code == 401
    assert "Authorization: Bearer" in answer.text
    assert read_calls(calls_path) == []


def test_a_web_page_of_another_site_is_turned_away(http: Place) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Origin": "http://elsewhere.example"}
    answer = httpx2.post(http.url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=headers)
    assert answer.status_code == 403


@pytest.fixture
def tool_server(context: ToolContext, calls_path: Path, tmp_path: Path) -> Iterator[Path]:
    """A tool server on a unix socket, as a case has one."""
    lifeline, held = os.pipe()
    desk = Desk(context, TOOLS, Meter(calls_path, BUDGET), 100_000)
    with sockets.listen(tmp_path / "tools") as listener, os.fdopen(lifeline) as stream:
        thread = threading.Thread(target=serve, args=(desk, listener, stream))
        thread.start()
        yield tmp_path / "tools"
        os.close(held)
        thread.join()


def test_the_tools_of_a_case_are_reached_through_its_socket(tool_server: Path, calls_path: Path) -> None:
    place = Place(command=(sys.executable, "-m", "netopsbench.tools.serving.mcp_server", "--socket", str(tool_server)))
    heard = talk_in_python(place, [("echo", {"text": "x"}), ("echo", {}), ("read", {})]).heard
    assert [kind(each) for each in heard] == ["", "bad_arguments", ""]
    assert "never an instruction" in heard[2].texts[1]
    assert len(read_calls(calls_path)) == 3


def test_the_tools_of_a_case_are_reached_over_http_until_its_input_ends(tool_server: Path) -> None:
    argv = [sys.executable, "-m", "netopsbench.tools.serving.mcp_server", "--socket", str(tool_server), "--http", "0"]
    environment = {**os.environ, "NETOPSBENCH_MCP_TOKEN": TOKEN}
    server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdin is not None
    assert server.stdout is not None
    with server.stdin, server.stdout:
        place = Place(url=server.stdout.readline().strip(), token=TOKEN)
        assert talk_in_python(place, [("echo", {"text": "x"})]).heard[0].structured == {"text": "x"}
        server.stdin.close()
        server.wait(10)


def test_a_tool_server_that_dies_in_mid_call_is_an_error_and_not_a_hang(tmp_path: Path) -> None:
    path = tmp_path / "tools"
    schema = {**TOOLS[0].schema(), "name": "echo"}
    with sockets.listen(path) as listener:

        def die_in_mid_call() -> None:
            peer, _ = listener.accept()
            with peer:
                next(wire.lines(peer, 1 << 16))
                wire.send(peer, {"id": 1, "result": {"tools": [schema]}})
            peer, _ = listener.accept()
            with peer:
                next(wire.lines(peer, 1 << 16))

        thread = threading.Thread(target=die_in_mid_call)
        thread.start()
        place = Place(command=(sys.executable, "-m", "netopsbench.tools.serving.mcp_server", "--socket", str(path)))
        (heard,) = talk_in_python(place, [("echo", {"text": "x"})]).heard
        thread.join()
    assert kind(heard) == "no_server"


def test_a_server_without_a_tool_server_says_so(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "netopsbench.tools.serving.mcp_server", "--socket", str(tmp_path / "nobody")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "no tool server" in done.stderr


def test_a_client_that_goes_in_mid_call_leaves_no_server_behind(stdio: Place) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "sleep_on", "arguments": {}}},
    ]
    server = subprocess.Popen(stdio.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    with server.stdin, server.stdout:
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.stdin.close()
        assert server.wait(20) == 0


def test_a_server_that_is_killed_in_mid_call_leaves_whole_records(stdio: Place, calls_path: Path) -> None:
    async def killed() -> None:
        async with connected(stdio) as client:
            await ask(client, "echo", {"text": "kept"})
            pid = int((await ask(client, "who", {})).structured["text"])
            lost = asyncio.create_task(ask(client, "sleep_on", {}))
            await asyncio.sleep(0.2)
            os.kill(pid, signal.SIGKILL)
            with pytest.raises(MCPError):
                await lost

    asyncio.run(killed())
    assert [call["tool"] for call in read_calls(calls_path)] == ["echo", "who"]
