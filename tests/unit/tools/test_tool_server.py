"""The server on its socket: many clients, slow calls, nonsense, and its end."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from netopsbench.core import sockets
from netopsbench.core.errors import InfraError, ToolError
from netopsbench.core.model import Model
from netopsbench.records.telemetry import Window
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.client import ToolClient
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import tool
from netopsbench.tools.serving import wire
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.process import serving
from netopsbench.tools.serving.server import ServerConfig, answer, serve


class Said(Model):
    text: str


def echo(context: ToolContext, text: str) -> Said:
    """Say what was said."""
    return Said(text=text)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    opened = threading.Event()
    yield opened
    opened.set()


@pytest.fixture
def path(context: ToolContext, gate: threading.Event, tmp_path: Path) -> Iterator[Path]:
    """A server with `echo`, and `wait`, which answers when the gate opens."""

    def wait(context: ToolContext) -> Said:
        """Wait at the gate."""
        gate.wait(30)
        return Said(text="through")

    # Deeper than a socket address can say.
    folder = tmp_path / ("deep" * 15) / ("deeper" * 10)
    folder.mkdir(parents=True)
    lifeline, held = os.pipe()
    desk = Desk(context, [tool(echo), tool(wait, timeout_s=20)], Meter(folder / "calls", 500), 1_000_000)
    with sockets.listen(folder / "socket") as listener, os.fdopen(lifeline) as stream:
        thread = threading.Thread(target=serve, args=(desk, listener, stream))
        thread.start()
        yield folder / "socket"
        os.close(held)
        thread.join()


def test_tools_are_listed_and_called(path: Path) -> None:
    client = ToolClient(path)
    assert [each["name"] for each in client.list_tools()] == ["echo", "wait"]
    assert client.call("echo", text="ja – nein\n") == {"text": "ja – nein\n"}
    assert client.status()["calls"] == 1


def test_a_refusal_keeps_its_kind_over_the_socket(path: Path) -> None:
    with pytest.raises(ToolError, match="text") as refused:
        ToolClient(path).call("echo", word="x")
    assert refused.value.kind == "bad_arguments"


def test_a_waiting_call_blocks_nobody_else(path: Path, gate: threading.Event) -> None:
    answers: list[object] = []
    waiting = threading.Thread(target=lambda: answers.append(ToolClient(path).call("wait")))
    waiting.start()
    assert ToolClient(path).call("echo", text="now") == {"text": "now"}
    assert answers == []
    gate.set()
    waiting.join()
    assert answers == [{"text": "through"}]


def test_calls_on_one_connection_run_side_by_side(path: Path, gate: threading.Event) -> None:
    with sockets.connect(path, 10) as peer:
        wire.send(peer, {"id": 1, "tool": "wait", "arguments": {}})
        wire.send(peer, {"id": 2, "tool": "echo", "arguments": {"text": "first"}})
        replies = wire.lines(peer, 1 << 20)
        assert json.loads(next(replies)) == {"id": 2, "result": {"text": "first"}}
        gate.set()
        assert json.loads(next(replies)) == {"id": 1, "result": {"text": "through"}}


def test_many_clients_are_served_at_once(path: Path) -> None:
    wrong: list[str] = []

    def talk(name: str) -> None:
        client = ToolClient(path)
        for number in range(5):
            text = f"{name}-{number}"
            if client.call("echo", text=text) != {"text": text}:
                wrong.append(text)

    threads = [threading.Thread(target=talk, args=(f"client{number}",)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert ToolClient(path).status()["calls"] == 160


@pytest.mark.parametrize(
    "line",
    [
        b"get_topology please\n",
        b"[1]\n",
        b'{"id": 5}\n',
        b'{"id": 5, "tool": "echo", "arguments": "x"}\n',
        b"\xff\xfe\n",
    ],
)
def test_nonsense_is_answered_and_the_connection_lives(line: bytes, path: Path) -> None:
    with sockets.connect(path, 10) as peer:
        peer.sendall(line)
        replies = wire.lines(peer, 1 << 20)
        assert json.loads(next(replies))["error"]["kind"] == "bad_request"
        wire.send(peer, {"id": 6, "tool": "echo", "arguments": {"text": "still here"}})
        assert json.loads(next(replies))["result"] == {"text": "still here"}


def test_an_endless_line_ends_the_connection_only(path: Path) -> None:
    with sockets.connect(path, 10) as peer, pytest.raises(OSError, match=r"Broken pipe|Connection reset"):
        peer.sendall(b"x" * 100_000_000)
    assert ToolClient(path).call("echo", text="fine") == {"text": "fine"}


def test_a_client_that_hangs_up_in_mid_call_harms_nobody(path: Path, gate: threading.Event) -> None:
    with sockets.connect(path, 10) as peer:
        wire.send(peer, {"id": 1, "tool": "wait", "arguments": {}})
    gate.set()
    assert ToolClient(path).call("echo", text="fine") == {"text": "fine"}


def test_a_call_that_was_given_up_costs_only_itself(path: Path, gate: threading.Event) -> None:
    client = ToolClient(path, timeout_s=0.2)
    with pytest.raises(ToolError, match="gave no answer") as late:
        client.call("wait")
    assert late.value.kind == "no_server"
    assert client.call("echo", text="fine") == {"text": "fine"}
    gate.set()
    assert client.call("echo", text="and this") == {"text": "and this"}


@pytest.mark.parametrize("text", ["x" * wire.LONGEST_REQUEST, {1, 2}], ids=["too long", "no JSON"])
def test_a_call_that_can_not_be_sent_is_refused_and_the_connection_lives(text: object, path: Path) -> None:
    client = ToolClient(path)
    with pytest.raises(ToolError) as refused:
        client.call("echo", text=text)
    assert refused.value.kind == "bad_request"
    assert client.call("echo", text="fine") == {"text": "fine"}


def test_a_client_that_was_closed_stays_closed(path: Path) -> None:
    client = ToolClient(path)
    client.close()
    with pytest.raises(ToolError, match="hung up"):
        client.status()


def test_the_socket_is_its_owners_only(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_missing_server_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolError, match="no tool server answers") as refused:
        ToolClient(tmp_path / "nobody")
    assert refused.value.kind == "no_server"
    monkeypatch.delenv(wire.TOOLS_VARIABLE, raising=False)
    with pytest.raises(ToolError, match="NETOPSBENCH_TOOLS is not set"):
        ToolClient()


def test_a_server_that_dies_in_mid_call_is_told(tmp_path: Path) -> None:
    listener = sockets.listen(tmp_path / "s")
    client = ToolClient(tmp_path / "s")

    def die() -> None:
        peer, _ = listener.accept()
        peer.recv(10)
        peer.close()

    threading.Thread(target=die).start()
    with pytest.raises(ToolError, match="gave no answer"):
        client.call("echo", text="x")
    listener.close()


def test_a_server_without_its_fabric_says_why_it_does_not_start(tmp_path: Path) -> None:
    window = Window(since_ns=0, until_ns=1)
    config = ServerConfig(
        plan=tmp_path / "plan", fabric=tmp_path / "handle", store=tmp_path / "store", baseline=window, current=window,
        tool_calls=5, socket=tmp_path / "s", calls=tmp_path / "calls",
    )  # fmt: skip
    with pytest.raises(InfraError, match="plan") as refused, serving(config):
        pytest.fail("it can't have started")
    assert refused.value.reason == "tools_failed"
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_takes_too_long_to_start_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netopsbench.tools.serving.process.START_TIMEOUT_S", 0.001)
    window = Window(since_ns=0, until_ns=1)
    config = ServerConfig(
        plan=tmp_path / "plan", fabric=tmp_path / "handle", store=tmp_path / "store", baseline=window, current=window,
        tool_calls=5, socket=tmp_path / "s", calls=tmp_path / "calls",
    )  # fmt: skip
    with pytest.raises(InfraError, match="not ready after") as refused, serving(config):
        pytest.fail("no program starts as quickly")
    assert refused.value.reason == "tools_failed"
    assert list(tmp_path.iterdir()) == []


SERVE_FOREVER = """
import os, socket, sys
from pathlib import Path
from netopsbench.tools.serving import server
from netopsbench.tools.serving import wire
server._desk = lambda config: open(os.devnull)
sys.argv[1:] = ["--config", sys.argv[1]]
sys.exit(server.main())
"""


def test_the_server_ends_with_its_starter(tmp_path: Path) -> None:
    """However that ends: the kernel closes the lifeline."""
    window = Window(since_ns=0, until_ns=1)
    config = ServerConfig(
        plan=tmp_path, fabric=tmp_path, store=tmp_path, baseline=window, current=window, tool_calls=5,
        socket=tmp_path / "s", calls=tmp_path / "calls",
    )  # fmt: skip
    (tmp_path / "config").write_text(config.model_dump_json())
    starter = (
        "import subprocess, sys, time\n"
        "server = subprocess.Popen([sys.executable, '-c', sys.argv[1], sys.argv[2]], stdin=subprocess.PIPE, "
        "stdout=subprocess.PIPE)\n"
        "print(server.pid, server.stdout.readline().decode().strip(), flush=True)\n"
        "time.sleep(60)"
    )
    argv = [sys.executable, "-c", starter, SERVE_FOREVER, str(tmp_path / "config")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, state = parent.stdout.readline().split()
        assert state == "ready"
        assert Path(f"/proc/{pid}").exists()
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while _is_alive(int(pid)):
        assert time.monotonic() < deadline, "the server outlived its starter"
        time.sleep(0.02)
    assert not (tmp_path / "s").exists()


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_beside_text_from_devices_stands_a_warning(context: ToolContext, tmp_path: Path) -> None:
    desk = Desk(context, TOOLS, Meter(tmp_path / "calls", 5), 100_000)
    marked = answer(desk, b'{"id": 1, "tool": "get_bgp_neighbors", "arguments": {"device": "leaf1"}}')
    unmarked = answer(desk, b'{"id": 2, "tool": "get_topology"}')
    assert "neighbors.description" in marked["warning"]
    assert set(unmarked) == {"id", "result"}
