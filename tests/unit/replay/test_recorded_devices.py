"""Command lines of a network are recorded once, and answer again when it is gone: as a tool and over HTTP."""

import http.client
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from answering import AnsweringFabric, context_of, small_plan, some_records

from netopsbench.core.errors import ToolError
from netopsbench.core.process import Completed
from netopsbench.records.answers import Budget
from netopsbench.replay.answering import recorded_desks
from netopsbench.replay.archive import RecordingError
from netopsbench.replay.bundle import About, read_case, write_bundle, write_case
from netopsbench.replay.devices import packed_book, read_book, record_devices
from netopsbench.replay.playing import desk_of
from netopsbench.replay.record import record_case
from netopsbench.replay.task_bundle import (
    AboutTasks,
    RecordedTask,
    TaskBundle,
    TaskTape,
    read_task,
    write_task,
    write_tasks,
)
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.execute_api import PATH, api_server
from netopsbench.tools.serving.listening import listen_at
from netopsbench.tools.serving.meter import Meter
from netopsbench.vendors.lines import CommandLineRules, CommandLines, Denial

ARP = ("ip", "-j", "-4", "neigh", "show")
FIB = ("ip", "-j", "-4", "route", "show", "table", "main")
RULES = CommandLineRules(
    vendors={"spine1": "frr", "leaf1": "cisco", "leaf2": "huawei"}, denied=(Denial(need="fib", device="leaf2"),)
)
BUDGET = Budget(wall_time_s=60, tool_calls=100)
REFUSED = "No permission to perform the operation"
_ENTRY = [{"dst": "10.0.0.1", "dev": "eth1", "lladdr": "02:4e:00:01:00:01", "state": ["PERMANENT"]}]
_ROUTE = [{"dst": "10.9.0.0/24", "gateway": "10.0.0.1", "dev": "eth1", "protocol": "bgp", "flags": []}]
_PING = "5 packets transmitted, 0 received, 100% packet loss"


def fabric(**more: str) -> AnsweringFabric:
    """Leaves show their neighbors and their kernel's table; `more` are commands of leaf1."""
    printed = {(leaf, ARP): [json.dumps(_ENTRY)] for leaf in ("leaf1", "leaf2")}
    printed |= {(leaf, FIB): [json.dumps(_ROUTE)] for leaf in ("leaf1", "leaf2")}
    printed[("spine1", ("vtysh", "-c", "show ip route 192.168.101.2"))] = ["Routing entry for 192.168.101.0/30"]
    printed[("leaf1", ("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-s", "56", "10.9.9.9"))] = [_PING]
    printed |= {("leaf1", tuple(command.split())): [text] for command, text in more.items()}
    return AnsweringFabric(small_plan(), printed)


def recorded(typed: Sequence[tuple[str, str]] = (), asking_s: float = 60.0) -> RecordedTask:
    context = context_of(fabric())
    book, left_out = record_devices(context, CommandLines(context.plan, RULES), typed, asking_s=asking_s)
    tape = TaskTape(task_id="t1", text="What is wrong?", plan=context.plan.digest, rules=RULES, left_out=left_out)
    return RecordedTask(tape=tape, plan=context.plan, book=packed_book(book))


def recording(folder: Path, task: RecordedTask) -> Path:
    path = folder / "recording.zip"
    write_tasks(path, AboutTasks(recorded_ns=1, netopsbench="1", budget=BUDGET, tasks=("t1",)), [task])
    return path


def meter(folder: Path) -> Meter:
    return Meter(folder / "calls.jsonl", 100)


@pytest.fixture(scope="module")
def task() -> RecordedTask:
    return recorded([("leaf1", "ping 10.9.9.9 repeat 3 | include loss"), ("leaf9", "show arp"), ("leaf1", "what | x")])


@pytest.fixture
def desk(task: RecordedTask, tmp_path: Path) -> Desk:
    return recorded_desks(recording(tmp_path, task), lambda _: meter(tmp_path))[1]


def test_a_recorded_device_prints_what_the_running_one_printed(desk: Desk) -> None:
    told = desk.call("execute", {"device": "leaf1", "command": "sh ip arp | i 10.0"})
    assert told["vendor"] == "cisco"
    assert "10.0.0.1" in told["result"]
    assert "GigabitEthernet0/1" in told["result"]
    assert "10.9.0.0/24" in desk.call("execute", {"device": "leaf1", "command": "show ip cef 10.9.0.7"})["result"]


def test_own_words_of_a_device_are_recorded_for_each_host_that_may_be_looked_up(desk: Desk) -> None:
    told = desk.call("execute", {"device": "spine1", "command": "show ip route 192.168.101.2"})
    assert "Routing entry" in told["result"]


def test_what_an_agent_typed_is_recorded_with_its_own_arguments(desk: Desk) -> None:
    assert "leaf1#ping" in desk.call("execute", {"device": "leaf1", "command": "ping 10.9.9.9 repeat 3"})["result"]


def refusal(desk: Desk, device: str, command: str) -> tuple[str, str]:
    with pytest.raises(ToolError) as refused:
        desk.call("execute", {"device": device, "command": command})
    return refused.value.kind, str(refused.value)


def test_refusals_keep_their_order_and_what_was_not_recorded_comes_last(desk: Desk) -> None:
    assert refusal(desk, "leaf9", "show arp")[0] == "unknown_device"
    assert refusal(desk, "leaf2", "display fib") == ("denied", REFUSED)
    assert refusal(desk, "leaf1", "show everything")[0] == "bad_syntax"
    assert refusal(desk, "leaf1", "ping 10.9.9.9 repeat 4") == ("not_recorded", REFUSED)


def test_a_task_offers_the_design_and_the_command_lines_alone(desk: Desk) -> None:
    assert [tool["name"] for tool in desk.schemas()] == ["get_topology", "execute"]
    assert {node["name"] for node in desk.call("get_topology", {})["nodes"]} >= {"leaf1", "spine1", "client1"}


def test_without_time_everything_at_hand_is_recorded_and_the_rest_is_counted(tmp_path: Path) -> None:
    hurried = recorded(asking_s=0.0)
    assert hurried.tape.left_out > 0
    desk = recorded_desks(recording(tmp_path, hurried), lambda _: meter(tmp_path))[1]
    assert "10.0.0.1" in desk.call("execute", {"device": "leaf1", "command": "show ip arp"})["result"]
    told = desk.call("execute", {"device": "spine1", "command": "show ip route 192.168.101.2"})
    assert "Routing entry" in told["result"]
    assert refusal(desk, "spine1", "show interface eth1") == ("not_recorded", REFUSED)


@dataclass
class SlowFabric(AnsweringFabric):
    """Its first two answers to a look at the neighbors come too late."""

    late: int = 2

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        if (node, tuple(argv)) == ("leaf1", ARP) and self.late:
            self.late -= 1
            return Completed(tuple(argv), 124, "", "")
        return super().exec(node, argv, timeout_s=timeout_s, stdin=stdin)


@pytest.mark.parametrize(("late", "is_recorded"), [(2, True), (3, False)])
def test_a_slow_device_is_asked_again(late: int, is_recorded: bool) -> None:
    context = context_of(SlowFabric(small_plan(), fabric().printed, late=late))
    book, left_out = record_devices(context, CommandLines(context.plan, RULES), (), asking_s=0.0)
    kinds = {record.kind for record in book.records if record.device == "leaf1"}
    assert ("Neighbors" in kinds) == is_recorded
    assert left_out - recorded(asking_s=0.0).tape.left_out == (0 if is_recorded else 1)


def test_a_task_is_kept_whole_and_the_same_tasks_give_the_same_bytes(task: RecordedTask, tmp_path: Path) -> None:
    write_task(tmp_path / "one.zip", task)
    assert read_task(tmp_path / "one.zip") == task
    first = recording(tmp_path, task).read_bytes()
    assert recording(tmp_path, read_task(tmp_path / "one.zip")).read_bytes() == first
    bundle = TaskBundle(tmp_path / "recording.zip")
    bundle.check()
    assert (bundle.task("t1"), bundle.about.tasks) == (task, ("t1",))


def test_a_recording_whose_answers_cannot_be_read_is_refused(task: RecordedTask, tmp_path: Path) -> None:
    bundle = TaskBundle(recording(tmp_path, replace(task, book=b"no book")))
    with pytest.raises(RecordingError, match=r"devices\.z") as refused:
        bundle.book("t1")
    assert refused.value.damage == "damaged"


def test_a_campaigns_case_with_command_lines_replays_them_beside_its_tools(tmp_path: Path) -> None:
    typed = {
        "tool": "execute",
        "arguments": {"device": "leaf1", "command": "show ip arp"},
        "is_error": False,
        "result": "",
    }
    case = record_case("c1", context_of(fabric(), some_records()), [typed], 1.0, RULES)
    write_case(tmp_path / "case.zip", case)
    assert read_case(tmp_path / "case.zip") == case
    desk = desk_of(read_case(tmp_path / "case.zip"), meter(tmp_path))
    assert "10.0.0.1" in desk.call("execute", {"device": "leaf1", "command": "show ip arp"})["result"]
    assert desk.call("get_device_logs", {"device": "leaf1"})["device"] == "leaf1"


def bundle_of_cases(folder: Path, rules: CommandLineRules | None) -> Path:
    case = record_case("c1", context_of(fabric(), some_records()), [], 0.0, rules)
    about = About(campaign="x", recorded_ns=1, netopsbench="1", budget=BUDGET, most_faults=1, cases=("c1",))
    write_bundle(folder / "cases.zip", about, [case])
    return folder / "cases.zip"


def test_questions_are_numbered_in_the_order_of_the_recording(tmp_path: Path) -> None:
    desks = recorded_desks(bundle_of_cases(tmp_path, RULES), lambda _: meter(tmp_path))
    assert (list(desks), desks.names) == ([1], ("c1",))
    assert desks[1] is desks[1]
    assert desks.get(0) is None
    assert desks.get(2) is None


def test_a_recording_without_command_lines_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="command_lines: true"):
        recorded_desks(bundle_of_cases(tmp_path, None), lambda _: meter(tmp_path))


def test_a_damaged_recording_is_not_taken_for_one_of_another_kind(task: RecordedTask, tmp_path: Path) -> None:
    path = recording(tmp_path, task)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(RecordingError) as refused:
        recorded_desks(path, lambda _: meter(tmp_path))
    assert refused.value.damage == "damaged"


@contextmanager
def serving(path: Path, folder: Path) -> Iterator[int]:
    server = api_server(listen_at("0"), recorded_desks(path, lambda _: meter(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join(20)


def posted(port: int, device: str, command: str, number: int = 1) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        body = {"device_name": device, "command": command, "question_number": number}
        connection.request("POST", PATH, json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def test_a_recording_is_served_over_http_with_the_published_codes(task: RecordedTask, tmp_path: Path) -> None:
    with serving(recording(tmp_path, task), tmp_path) as port:
        status, told = posted(port, "leaf2", "display arp")
        assert (status, told["vendor"]) == (200, "huawei")
        assert "GE0/0/1" in told["result"]
        assert posted(port, "leaf9", "display arp")[0] == 404
        assert posted(port, "leaf2", "display fib")[0] == 403
        assert posted(port, "leaf2", "display arpp")[0] == 422
        status, told = posted(port, "leaf1", "ping 10.1.2.3")
        assert (status, told["result"]) == (404, REFUSED)
        assert posted(port, "leaf2", "display arp", number=2)[0] == 400


def test_a_packed_book_is_read_as_it_was_written(task: RecordedTask) -> None:
    assert packed_book(read_book(task.book)) == task.book
