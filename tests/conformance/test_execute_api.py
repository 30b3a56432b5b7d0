"""The codes of `POST /api/agent/execute`, and their order: 400, 404, 403, 422, 429, and 404 for what isn't recorded."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from netopsbench.core.errors import ToolError
from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.catalog import COMMAND_LINES
from netopsbench.tools.context import ToolContext
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.execute_api import LONGEST_BODY, PATH, api_server
from netopsbench.tools.serving.listening import listen_at
from netopsbench.tools.serving.meter import Meter
from netopsbench.vendors.lines import CommandLineRules, CommandLines, Denial

ARP = '[{"dst":"10.1.1.1","dev":"eth1","lladdr":"02:4e:00:01:00:01","state":["PERMANENT"]}]'
NEIGHBORS = ("ip", "-j", "-4", "neigh", "show")
TOKEN = "a-token"
GOOD = {"device_name": "leaf1", "command": "show ip arp", "question_number": 7}
RULES = CommandLineRules(
    vendors={"leaf1": "cisco", "leaf2": "huawei"}, denied=(Denial(need="bfd"), Denial(need="arp", device="leaf2"))
)
Reply = tuple[int, dict[str, Any]]


class RecordedFabric:
    """A fabric of which one command on one device is left."""

    def __init__(self, plan: FabricPlan) -> None:
        self.plan = plan
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        """Waits until it may go on."""
        self.asked.set()
        assert self.go_on.wait(20)
        if (node, tuple(argv)) != ("leaf1", NEIGHBORS):
            raise ToolError("this was not asked when the case was recorded", "not_recorded")
        return Completed(tuple(argv), 0, ARP, "")


class FabricDown:
    """A fabric in which no command on a device ends well."""

    def __init__(self, plan: FabricPlan, returncode: int, stderr: str) -> None:
        self.plan = plan
        self._returncode = returncode
        self._stderr = stderr

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        return Completed(tuple(argv), self._returncode, "", self._stderr)


@pytest.fixture
def context() -> ToolContext:
    plan = plan_fabric(FabricSpec(name="lab", topology=Clos(spines=2, leaves=2)))
    window = Window(since_ns=0, until_ns=1)
    fabric = cast(Fabric, RecordedFabric(plan))
    return ToolContext(plan, fabric, MemoryStore(), window, window, CommandLines(plan, RULES))


@contextmanager
def serving(context: ToolContext, calls: Path, *, budget: int = 100, token: str | None = None) -> Iterator[int]:
    desk = Desk(context, COMMAND_LINES, Meter(calls, budget), 128_000)
    server = api_server(listen_at("0"), {7: desk}, token)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join(20)


@pytest.fixture
def port(context: ToolContext, tmp_path: Path) -> Iterator[int]:
    with serving(context, tmp_path / "calls") as listening:
        yield listening


def posted(port: int, body: object, *, path: str = PATH, headers: Mapping[str, str] | None = None) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, raw, {"Content-Type": "application/json", **(headers or {})})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def asked(port: int, **changed: object) -> Reply:
    return posted(port, {**GOOD, **changed})


def test_200_holds_the_published_fields_and_nothing_else(port: int) -> None:
    status, told = asked(port)
    assert status == 200
    assert list(told) == ["status", "device_name", "vendor", "command_executed", "result"]
    assert (told["status"], told["device_name"], told["vendor"]) == ("success", "leaf1", "cisco")
    assert told["command_executed"] == "show ip arp"
    assert told["result"].startswith("leaf1#show ip arp\nProtocol")
    assert "GigabitEthernet0/1" in told["result"]


@pytest.mark.parametrize("field", sorted(GOOD))
def test_400_for_a_missing_field_names_it(port: int, field: str) -> None:
    status, told = posted(port, {name: value for name, value in GOOD.items() if name != field})
    assert (status, told["status"]) == (400, "error")
    assert field in told["result"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"device_name":' * 4_000,
        [],
        "text",
        {**GOOD, "device_name": 1},
        {**GOOD, "command": None},
        {**GOOD, "question_number": "7"},
        {**GOOD, "question_number": True},
        {**GOOD, "question_number": 8},
    ],
)
def test_400_for_whatever_is_no_request(port: int, body: object) -> None:
    assert posted(port, body)[0] == 400


def test_404_for_an_unknown_device(port: int) -> None:
    status, told = asked(port, device_name="leaf99")
    assert (status, told["status"]) == (404, "error")
    assert "leaf99" in told["result"]


def test_403_for_what_is_denied_however_it_is_spelled(port: int) -> None:
    for command in ("show bfd neighbors", "sh bf n", "show bfd neighbors | include 10"):
        status, told = asked(port, command=command)
        assert (status, told["result"]) == (403, "No permission to perform the operation")
    assert asked(port, device_name="leaf2", command="dis arp")[0] == 403


def test_422_for_what_is_no_command_in_the_vendors_words(port: int) -> None:
    status, told = asked(port, command="show ip aarp")
    assert status == 422
    assert told["result"] == "leaf1#show ip aarp\n              ^\n% Invalid input detected at '^' marker."
    status, told = asked(port, device_name="leaf2", command="show ip arp")
    assert status == 422
    assert "Error: Unrecognized command" in told["result"]


def test_404_for_what_is_not_recorded(port: int) -> None:
    status, told = asked(port, command="show ip bgp summary")
    assert (status, told["result"]) == (404, "No permission to perform the operation")


@pytest.mark.parametrize(
    ("returncode", "stderr"),
    [(124, "no end after 8 s"), (1, "nsenter: cannot open /proc/4711/ns/ipc: No such file or directory")],
)
@pytest.mark.parametrize("command", ["show ip arp", "show ip bgp summary", "ping 10.1.1.1"])
def test_504_for_a_device_that_is_down_while_asked(
    context: ToolContext, tmp_path: Path, command: str, returncode: int, stderr: str
) -> None:
    down = cast(Fabric, FabricDown(context.plan, returncode, stderr))
    with serving(replace(context, fabric=down), tmp_path / "calls") as port:
        status, told = asked(port, command=command)
    assert (status, told["vendor"]) == (504, "cisco")
    assert "leaf1 did not answer" in told["result"]
    assert "/proc" not in told["result"]


def test_a_refusal_names_the_vendor_of_a_device_that_there_is(port: int) -> None:
    refused = (asked(port, command="show bfd n"), asked(port, command="x"), asked(port, command="show ip bgp"))
    assert [(status, told["vendor"]) for status, told in refused] == [(403, "cisco"), (422, "cisco"), (404, "cisco")]
    assert asked(port, device_name="leaf99")[1]["vendor"] is None
    assert asked(port, question_number=8)[1]["vendor"] is None


def test_429_when_too_many_commands_run_and_when_the_budget_is_used_up(context: ToolContext, tmp_path: Path) -> None:
    slow = RecordedFabric(context.plan)
    slow.go_on.clear()
    narrow = replace(
        context,
        fabric=cast(Fabric, slow),
        command_lines=CommandLines(context.plan, RULES.model_copy(update={"at_once": 1})),
    )
    with serving(narrow, tmp_path / "calls", budget=3) as port:
        replies: list[Reply] = []
        first = threading.Thread(target=lambda: replies.append(asked(port)))
        first.start()
        try:
            assert slow.asked.wait(20)
            assert asked(port)[0] == 429
            assert asked(port, command="show apr")[0] == 422
        finally:
            slow.go_on.set()
            first.join(20)
        assert replies[0][0] == 200
        status, told = asked(port)
        assert status == 429
        assert "budget" in told["result"]


def test_the_checks_come_in_the_published_order(port: int) -> None:
    assert posted(port, {"device_name": "leaf99", "command": "x"})[0] == 400
    assert asked(port, device_name="leaf99", command="show bfd neighbors")[0] == 404
    assert asked(port, command="show bfd neighbors nonsense")[0] == 403
    assert asked(port, command="show ip bgp sumary")[0] == 422


def test_calls_are_counted_at_the_desk_refused_ones_too(context: ToolContext, tmp_path: Path) -> None:
    with serving(context, tmp_path / "calls") as port:
        asked(port)
        asked(port, command="nonsense")
        asked(port, device_name="leaf99")
        posted(port, {})
    calls = [json.loads(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert [(call["tool"], call["is_error"]) for call in calls] == [
        ("execute", False),
        ("execute", True),
        ("execute", True),
    ]


def test_a_token_is_asked_for_where_there_is_one(context: ToolContext, tmp_path: Path) -> None:
    with serving(context, tmp_path / "calls", token=TOKEN) as port:
        assert asked(port)[0] == 401
        assert posted(port, GOOD, headers={"Authorization": "Bearer wrong"})[0] == 401
        assert posted(port, GOOD, headers={"Authorization": f"Bearer {TOKEN}"})[0] == 200


def test_other_paths_methods_and_web_pages_are_turned_away(port: int) -> None:
    assert posted(port, GOOD, path="/api/agent")[0] == 404
    assert posted(port, GOOD, headers={"Origin": "http://elsewhere.example"})[0] == 401


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "BREW"])
def test_405_for_other_methods_in_json_names_the_one_there_is(port: int, method: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, PATH, json.dumps(GOOD) if method == "PUT" else None)
    reply = connection.getresponse()
    assert (reply.status, reply.getheader("Allow"), reply.getheader("Content-Type")) == (
        405,
        "POST",
        "application/json",
    )
    raw = reply.read()
    connection.close()
    assert raw == b"" if method == "HEAD" else json.loads(raw)["result"] == f"POST {PATH}"


def test_400_in_json_for_what_is_no_request_of_http(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
        raw.sendall(b"nonsense\r\n\r\n")
        with raw.makefile("rb") as reply:
            text = reply.read()
    assert json.loads(text[text.index(b"{") :])["status"] == "error"


def test_a_body_that_is_too_large_or_has_no_length_is_refused(port: int) -> None:
    assert posted(port, b" " * (LONGEST_BODY + 1))[0] == 400
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
        raw.sendall(f"POST {PATH} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        assert b" 400 " in raw.recv(100)


def test_one_connection_carries_many_requests_whatever_their_answers(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for body, status in ((GOOD, 200), ({}, 400), ({**GOOD, "command": "x"}, 422), (GOOD, 200)):
        connection.request("POST", PATH, json.dumps(body))
        reply = connection.getresponse()
        reply.read()
        assert reply.status == status
    connection.close()


def test_the_tool_is_not_there_without_rules(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="no command line"):
        COMMAND_LINES[0].call(replace(context, command_lines=None), {"device": "leaf1", "command": "show ip arp"})
