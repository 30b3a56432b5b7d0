"""A case is recorded once and answers again: the same calls, and others that the same looks can answer."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from answering import ROUTES, AnsweringFabric, context_of, small_plan, some_records

from netopsbench.core.errors import ToolError
from netopsbench.replay.bundle import RecordedCase, read_case, write_case
from netopsbench.replay.entries import Entries
from netopsbench.replay.playing import desk_of
from netopsbench.replay.record import record_case
from netopsbench.replay.tape import NOT_RECORDED
from netopsbench.replay.usual import asked_once, looked_at, usual_flows
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter

LINKS = ("leaf1", ("ip", "-j", "-4", "route", "show", "table", "main"))
TABLE = ("leaf1", ("vtysh", "-c", "show ip route json"))


@pytest.fixture(autouse=True, scope="module")
def quick_looks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("netopsbench.replay.record.LOOK_EVERY_S", 0.0)
        patched.setattr("netopsbench.replay.record.LOOKS", 3)
        yield


@pytest.fixture(scope="module")
def case() -> RecordedCase:
    """A case in which nobody was asked anything."""
    return recorded(AnsweringFabric(small_plan(), {TABLE: [json.dumps(ROUTES)]}))


def recorded(fabric: AnsweringFabric, calls=(), asking_s: float = 60.0) -> RecordedCase:
    return record_case("c1", context_of(fabric, some_records()), calls, asking_s)


def desk(case: RecordedCase, folder: Path, budget: int = 50) -> Desk:
    return desk_of(case, Meter(folder / "calls.jsonl", budget))


def call(tool: str, result: object, *, is_error: bool = False, **arguments: object) -> dict[str, object]:
    """A line of a trial's record of calls."""
    return {"tool": tool, "arguments": arguments, "result": json.dumps(result), "is_error": is_error}


@pytest.fixture
def fabric() -> AnsweringFabric:
    return AnsweringFabric(small_plan(), {TABLE: [json.dumps(ROUTES)]})


def test_recorded_table_answers_look_ups_that_nobody_made(case, tmp_path):
    tools = desk(case, tmp_path)
    best = tools.call("get_route_table", {"device": "leaf1", "address": "10.9.0.7"})
    assert [route["prefix"] for route in best["routes"]] == ["10.9.0.0/24"]
    part = tools.call("get_route_table", {"device": "leaf1", "prefix": "10.9.0.0/16", "limit": 1})
    assert part["page"]["total"] == 2


def test_telemetry_answers_as_in_the_running_case(case, fabric, tmp_path):
    context = context_of(fabric, some_records())
    tools = {tool.name: tool for tool in TOOLS}
    asked = [
        ("get_device_logs", {"device": "leaf1"}),
        ("get_interface_metrics", {"device": "leaf1"}),
        ("query_bgp_events", {}),
        ("get_pingmesh_summary", {}),
        ("get_topology", {"device": "leaf2"}),
    ]
    for name, arguments in asked:
        live = tools[name].call(context, arguments).model_dump(mode="json")
        assert desk(case, tmp_path).call(name, arguments) == live


def test_probes_are_answered_by_the_same_reply_whatever_the_target_is_called(case, tmp_path):
    tools = desk(case, tmp_path)
    named = tools.call("ping_test", {"device": "client1", "target": "client2"})
    addressed = tools.call("ping_test", {"device": "client1", "target": named["address"], "count": 2})
    assert named["target"] == "client2"
    assert addressed["target"] == named["address"]
    assert addressed["replies"] == named["replies"]


def test_icmp_has_no_ports_so_whatever_is_said_of_them_is_the_same_question(case, tmp_path):
    tools = desk(case, tmp_path)
    asked = {"device": "client1", "target": "client2", "protocol": "icmp"}
    plain = tools.call("ping_test", asked)
    assert tools.call("ping_test", {**asked, "source_ports": 1, "source_port": 5000})["replies"] == plain["replies"]


def test_paths_of_usual_flows_are_recorded(case, tmp_path):
    found = desk(case, tmp_path).call("trace_flow", {"src": "client1", "dst": "client2", "source_port": 33004})
    assert [hop["device"] for hop in found["hops"]] == ["client1"]


def test_what_nobody_asked_is_answered_so_and_costs_a_call(case, tmp_path):
    tools = desk(case, tmp_path)
    with pytest.raises(ToolError, match="not asked when it was made") as refused:
        tools.call("ping_test", {"device": "client1", "target": "192.0.2.1"})
    assert refused.value.kind == NOT_RECORDED == "not_recorded"
    with pytest.raises(ToolError) as refused:
        tools.call("show", {"device": "leaf1", "command": "show ip route 192.0.2.0/24"})
    assert refused.value.kind == NOT_RECORDED
    assert tools.status()["calls"] == 2


def test_mistakes_are_told_as_in_a_running_case(case, tmp_path):
    tools = desk(case, tmp_path)
    for arguments, kind in (({"device": "leaf9"}, "unknown_device"), ({"host": "leaf1"}, "bad_arguments")):
        with pytest.raises(ToolError) as refused:
            tools.call("get_fib", arguments)
        assert refused.value.kind == kind
    with pytest.raises(ToolError) as refused:
        tools.call("ping_test", {"device": "client1", "target": " client2"})
    assert refused.value.kind == "unknown_device"


def test_budget_ends_as_in_a_running_case(case, tmp_path):
    tools = desk(case, tmp_path, budget=1)
    tools.call("get_topology", {})
    with pytest.raises(ToolError) as refused:
        tools.call("get_topology", {})
    assert refused.value.kind == "tool_calls_exceeded"


def test_tools_are_described_as_in_a_running_case(case, tmp_path):
    assert desk(case, tmp_path).schemas() == [tool.schema() for tool in TOOLS]


def test_agent_of_the_trial_gets_its_own_answers_again_in_their_order(fabric, tmp_path):
    first, second = (
        {"device": "leaf1", "routes": [], "page": page(), "looked_up": str(n), "message": ""} for n in (1, 2)
    )
    calls = [call("get_fib", first, device="leaf1"), call("get_fib", second, device="leaf1")]
    fabric.printed[LINKS] = ["[]"]
    tools = desk(recorded(fabric, calls), tmp_path)
    answers = [tools.call("get_fib", {"device": "leaf1"})["looked_up"] for _ in range(3)]
    assert answers == ["1", "2", None]


def page() -> dict[str, object]:
    return {"offset": 0, "returned": 0, "total": 0, "next_offset": None}


@pytest.mark.parametrize(
    "told",
    [
        {"kind": "timeout", "message": "get_fib did not answer in 15 s"},
        {"kind": "failed", "message": "get_fib failed on our side, which says nothing about the network"},
        {"kind": "unanswered", "message": "the agent ended before the tool had answered"},
    ],
)
def test_trouble_of_the_benchmark_that_an_agent_met_is_met_by_no_other(fabric, tmp_path, told):
    fabric.printed[LINKS] = ["[]"]
    late = call("get_fib", told, is_error=True, device="leaf1")
    tools = desk(recorded(fabric, [late]), tmp_path)
    assert tools.call("get_fib", {"device": "leaf1"})["routes"] == []


def test_error_that_an_agent_met_is_met_again(fabric, tmp_path):
    late = call("get_fib", {"kind": "timeout", "message": "leaf1 did not answer"}, is_error=True, device="leaf1")
    with pytest.raises(ToolError, match="leaf1 did not answer") as refused:
        desk(recorded(fabric, [late]), tmp_path).call("get_fib", {"device": "leaf1"})
    assert refused.value.kind == "timeout"


def test_answer_that_was_too_long_for_the_record_is_asked_for_anew(fabric, tmp_path):
    cut = {**call("get_fib", {}, device="leaf1"), "result": '{"device": … [cut: 90000 characters in all] …'}
    fabric.printed[LINKS] = ["[]"]
    found = desk(recorded(fabric, [cut]), tmp_path).call("get_fib", {"device": "leaf1"})
    assert found["routes"] == []


def test_answer_that_was_redacted_is_asked_for_anew(fabric, tmp_path):
    told = call("get_fib", {"device": "leaf1", "routes": [], "page": page(), "message": "[redacted]"}, device="leaf1")
    fabric.printed[LINKS] = ["[]"]
    assert desk(recorded(fabric, [told]), tmp_path).call("get_fib", {"device": "leaf1"})["message"] == ""


def test_state_that_comes_and_goes_is_seen_coming_and_going(fabric, tmp_path):
    sessions = ("leaf1", ("vtysh", "-c", "show bgp summary json"))
    fabric.printed[sessions] = [json.dumps({"ipv4Unicast": {"as": n, "peers": {}}}) for n in (1, 1, 2)]
    case = recorded(fabric)
    looks = Entries(case.commands).get(json.dumps(["leaf1", *sessions[1]]))
    assert len(looks) == 2
    tools = desk(case, tmp_path)
    answers = [tools.call("get_bgp_neighbors", {"device": "leaf1"}) for _ in range(3)]
    assert answers[0] != answers[1]
    assert answers[2] == answers[0]


def test_recording_ends_with_its_time_and_says_what_it_left_out(fabric):
    case = recorded(fabric, asking_s=-1.0)
    assert case.tape.left_out == len(list(asked_once(fabric.plan)))
    assert not case.commands


def test_recording_with_time_leaves_nothing_out(case):
    assert case.tape.left_out == 0
    assert case.commands


def test_recorded_case_is_kept_in_a_file_and_read_again(case, tmp_path):
    write_case(tmp_path / "c1.zip", case)
    assert read_case(tmp_path / "c1.zip") == case


def test_fabric_in_which_no_path_can_be_followed_is_recorded_without_paths(fabric, tmp_path):
    fabric.has_tracer = False
    tools = desk(recorded(fabric), tmp_path)
    with pytest.raises(ToolError) as refused:
        tools.call("trace_flow", {"src": "client1", "dst": "client2", "source_port": 33004})
    assert refused.value.kind == NOT_RECORDED
    assert tools.call("get_route_table", {"device": "leaf1"})["is_running"]


def test_usual_calls_fit_their_tools_and_come_only_once(fabric):
    tools = {tool.name: tool for tool in TOOLS}
    calls = [*looked_at(fabric.plan), *asked_once(fabric.plan), *usual_flows(fabric.plan).values()]
    for each in calls:
        tools[each.tool].arguments.model_validate(each.arguments)
    once = [(each.tool, json.dumps(each.arguments, sort_keys=True)) for each in asked_once(fabric.plan)]
    assert len(set(once)) == len(once)


def test_probes_of_the_baseline_agent_are_usual(fabric):
    pings = [each.arguments for each in asked_once(fabric.plan) if each.tool == "ping_test"]
    for link in fabric.plan.links:
        if link.kind == "fabric":
            far = next(
                str(port.address.ip)
                for node in fabric.plan.nodes
                for port in node.interfaces
                if (node.name, port.name) == (link.b.node, link.b.interface)
            )
            for count in (2, 10):
                assert {"device": link.a.node, "target": far, "source_ports": 50, "count": count} in pings
