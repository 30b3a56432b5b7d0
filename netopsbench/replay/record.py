"""Records a case while it lasts: asks what agents usually ask, and keeps the answers and the telemetry."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from pydantic import JsonValue, ValidationError

from netopsbench.core.errors import NetopsbenchError, ToolError
from netopsbench.core.redact import MARK
from netopsbench.fabric.flows import tracing
from netopsbench.records.telemetry import Window
from netopsbench.replay.asking import key_of, whole_arguments
from netopsbench.replay.bundle import CaseTape, RecordedCase
from netopsbench.replay.devices import packed_book, record_devices
from netopsbench.replay.entries import packed_entries
from netopsbench.replay.records import packed_records
from netopsbench.replay.tape import Listening, Tape
from netopsbench.replay.usual import LOOK_EVERY_S, LOOKS, UsualCall, asked_once, looked_at, usual_flows
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool
from netopsbench.tools.packets.trace_flow import flow_path
from netopsbench.tools.serving.desk import OUR_FAILURE
from netopsbench.tools.serving.meter import UNANSWERED
from netopsbench.vendors.lines import CommandLineRules, CommandLines

ASKING_S = 15.0
"""After so long no further call is begun."""
_AT_ONCE = 4
_ON_DEVICES = frozenset(
    {
        "get_device_interfaces",
        "get_bgp_neighbors",
        "get_bgp_neighbor",
        "get_bgp_rib",
        "get_route_table",
        "get_device_config",
        "get_device_acl",
        "get_fib",
        "get_arp_table",
        "get_link_neighbors",
        "get_routing_policies",
        "show",
        "ping_test",
        "traceroute",
        "trace_flow",
        "capture_summary",
    }
)
"""Tools that ask the network itself; all others answer from the plan and the records."""

_EXECUTE = "execute"

Result = dict[str, JsonValue]


def record_case(
    case_id: str,
    context: ToolContext,
    calls: Sequence[Mapping[str, Any]],
    asking_s: float = ASKING_S,
    rules: CommandLineRules | None = None,
) -> RecordedCase:
    """Everything that a replay of the case needs; with `rules` also what devices tell on their command lines.

    `calls` are those that an agent made in it, with the fields of a trial's record of calls: a replay gives the same
    answers again, in the same order, before those that are asked for here. That begins calls for `asking_s` seconds.
    """
    replies = _Replies(context)
    for call in calls:
        replies.add_call(call)
    recorder = _Recorder(context, replies, asking_s)
    left_out = recorder.ask_all()
    book, not_typed = _book(context, rules, calls, asking_s) if rules is not None else (b"", 0)
    tape = CaseTape(
        case_id=case_id,
        plan=context.plan.digest,
        baseline=context.baseline,
        current=context.current,
        versions=dict(context.fabric.versions),
        left_out=left_out + not_typed,
        command_lines=rules,
    )
    # Some tools look for the last sample before a window, however old.
    span = Window(since_ns=0, until_ns=context.current.until_ns)
    return RecordedCase(
        tape=tape,
        plan=context.plan,
        records=packed_records(context.store, span),
        commands=recorder.tape.packed(),
        replies=replies.packed(),
        book=book,
    )


def _book(
    context: ToolContext, rules: CommandLineRules, calls: Sequence[Mapping[str, Any]], asking_s: float
) -> tuple[bytes, int]:
    """What devices tell on their command lines, and how many usual questions there was no time for."""
    asked = [call["arguments"] for call in calls if call["tool"] == _EXECUTE]
    typed = [(str(each.get("device", "")), str(each.get("command", ""))) for each in asked]
    told, left_out = record_devices(context, CommandLines(context.plan, rules), typed, asking_s=asking_s)
    return packed_book(told), left_out


class _Replies:
    """What tools said, by call. Threads may share one."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._tools = {tool.name: tool for tool in TOOLS}
        self._found: dict[str, list[JsonValue]] = {}
        self._lock = threading.Lock()

    def add(self, name: str, arguments: Mapping[str, JsonValue], result: Result) -> None:
        key = key_of(self._context, name, whole_arguments(self._tools[name], arguments))
        with self._lock:
            self._found.setdefault(key, []).append(result)

    def add_call(self, call: Mapping[str, Any]) -> None:
        """Add what an agent was told, where it came from the network and was kept whole."""
        # A result that had to be redacted isn't what the network said.
        if call["tool"] not in _ON_DEVICES or MARK in call["result"]:
            return
        try:
            told = json.loads(call["result"])
            if call["is_error"] and _is_ours(call["tool"], told):
                return
            self.add(call["tool"], call["arguments"], {"error": told} if call["is_error"] else {"result": told})
        except (ValueError, ValidationError):
            # Too long for the record of calls, or a call that didn't fit the tool: that needs no recording.
            return

    def packed(self) -> bytes:
        """All of them, each call with its replies in the order of their times."""
        with self._lock:
            return packed_entries({key: list(results) for key, results in self._found.items()})


class _Recorder:
    """Asks until everything is asked or the time is over."""

    def __init__(self, context: ToolContext, replies: _Replies, asking_s: float) -> None:
        self.tape = Tape()
        self._context = context
        self._replies = replies
        self._deadline = time.monotonic() + asking_s
        self._tools: dict[str, Tool] = {tool.name: tool for tool in TOOLS}

    def ask_all(self) -> int:
        """Ask for everything; how many calls there was no time for."""
        plan = self._context.plan
        looking = threading.Thread(target=self._look, args=(looked_at(plan),))
        looking.start()
        try:
            self._trace()
            return self._in_parallel(asked_once(plan))
        finally:
            looking.join()

    def _look(self, calls: Sequence[UsualCall]) -> None:
        for number in range(LOOKS):
            began = time.monotonic()
            if self._in_parallel(calls):
                return
            if number + 1 < LOOKS:
                time.sleep(max(0.0, began + LOOK_EVERY_S - time.monotonic()))

    def _trace(self) -> None:
        flows = usual_flows(self._context.plan)
        try:
            with tracing(self._context.fabric) as tracer:
                paths = tracer.paths(list(flows))
        except (NetopsbenchError, OSError):
            # A switch that is gone has no table to ask: then an agent can't be told either.
            return
        for (flow, call), path in zip(flows.items(), paths, strict=True):
            told = flow_path(self._context.plan, flow, path).model_dump(mode="json")
            self._replies.add(call.tool, call.arguments, {"result": told})

    def _in_parallel(self, calls: Iterable[UsualCall]) -> int:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return sum(not is_asked for is_asked in pool.map(self._ask, calls))

    def _ask(self, call: UsualCall) -> bool:
        """Ask one thing; False when there is no time for it any more."""
        if time.monotonic() > self._deadline:
            return False
        fabric = Listening(self._context.fabric, self.tape)
        tool = self._tools[call.tool]
        result = _told(lambda: tool.call(replace(self._context, fabric=fabric), call.arguments).model_dump(mode="json"))
        # What commands on devices print is on the tape, from which the tool answers this call and others like it.
        if fabric.is_probed and result is not None:
            self._replies.add(call.tool, call.arguments, result)
        return True


def _is_ours(tool: str, error: Mapping[str, Any]) -> bool:
    """Whether an agent was told of trouble of the benchmark's own, which no other agent has to meet again."""
    said = str(error["message"])
    # A device that doesn't answer is named by itself.
    is_late = error["kind"] == "timeout" and said.startswith(f"{tool} ")
    return is_late or error["kind"] == UNANSWERED or said.endswith(OUR_FAILURE)


def _told(ask: Callable[[], Result]) -> Result | None:
    """What an agent would be told; None where it would be told that something failed on our side."""
    try:
        return {"result": ask()}
    except ToolError as refused:
        return {"error": {"kind": refused.kind, "message": str(refused)}}
    except (NetopsbenchError, OSError, LookupError, ValueError, TypeError, AttributeError):
        return None
