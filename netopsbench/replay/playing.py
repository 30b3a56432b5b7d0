"""The tools of a recorded case: the same names, the same schemas, answers from the recording."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.records.telemetry import Window
from netopsbench.replay.asking import key_of
from netopsbench.replay.bundle import RecordedCase
from netopsbench.replay.devices import read_book
from netopsbench.replay.entries import Entries
from netopsbench.replay.records import RecordedStore, no_records
from netopsbench.replay.tape import NOT_RECORDED, TapedFabric
from netopsbench.replay.task_bundle import RecordedTask
from netopsbench.tools.catalog import COMMAND_LINES, TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter
from netopsbench.vendors.lines import CommandLines
from netopsbench.vendors.recorded import FactBook

Result = dict[str, JsonValue]

RESULT_CHARS = 128_000
"""Longest result handed to an agent, as of a case that runs."""


def desk_of(case: RecordedCase, meter: Meter) -> Desk:
    """The tools of a recorded case behind a meter: a call costs what it costs in a running one."""
    context, tools = played(case)
    return Desk(context, tools, meter, RESULT_CHARS)


def played(case: RecordedCase) -> tuple[ToolContext, tuple[Tool, ...]]:
    """The tools of a recorded case, from its beginning, and what they look at.

    What wasn't recorded is answered with an error of kind `not_recorded`.
    """
    tape, rules = case.tape, case.tape.command_lines
    context = ToolContext(
        plan=case.plan,
        fabric=TapedFabric(case.plan, case.commands, tape.versions),
        store=RecordedStore(case.records),
        baseline=tape.baseline,
        current=tape.current,
        command_lines=None if rules is None else CommandLines(case.plan, rules, read_book(case.book)),
    )
    replies = _Replies(case, context)
    tools = tuple(_played(tool, replies) for tool in TOOLS)
    return context, (*tools, *(COMMAND_LINES if rules is not None else ()))


def task_desk(task: RecordedTask, book: FactBook, meter: Meter) -> Desk:
    """The tools of a recorded task behind a meter. What wasn't recorded of a device is refused."""
    never = Window(since_ns=0, until_ns=1)
    context = ToolContext(
        plan=task.plan,
        fabric=TapedFabric(task.plan, b"", {}),
        store=no_records(),
        baseline=never,
        current=never,
        command_lines=CommandLines(task.plan, task.tape.rules, book),
    )
    design = tuple(tool for tool in TOOLS if tool.name == "get_topology")
    return Desk(context, (*design, *COMMAND_LINES), meter, RESULT_CHARS)


class _Replies:
    """What tools said while the case was recorded, handed out in the same order."""

    def __init__(self, case: RecordedCase, context: ToolContext) -> None:
        self._context = context
        self._results = Entries(case.replies)
        self._given: dict[str, int] = {}
        self._lock = threading.Lock()

    def next(self, name: str, whole: Mapping[str, JsonValue]) -> tuple[Result | None, bool]:
        """The next reply to a call, and whether it is given for the first time; None when there is none."""
        key = key_of(self._context, name, whole)
        with self._lock:
            results: Sequence[Result] | None = self._results.get(key)
            if not results:
                return None, False
            number = self._given.get(key, 0)
            self._given[key] = number + 1
        return results[number % len(results)], number < len(results)


def _played(tool: Tool, replies: _Replies) -> Tool:
    def function(context: ToolContext, **arguments: object) -> Model:
        whole = tool.arguments.model_validate(arguments).model_dump(mode="json")
        reply, is_fresh = replies.next(tool.name, whole)
        if reply is not None and is_fresh:
            return _told(tool, reply, whole)
        try:
            return tool.function(context, **arguments)
        except ToolError as refused:
            if refused.kind != NOT_RECORDED:
                raise
            if reply is not None:
                return _told(tool, reply, whole)
            words = "this case is a recording, and that was not asked when it was made; try the tool's defaults"
            raise ToolError(f"{tool.name}: {words}", NOT_RECORDED) from None

    return replace(tool, function=function)


def _told(tool: Tool, reply: Mapping[str, JsonValue], whole: Mapping[str, JsonValue]) -> Model:
    """A reply once more; raises the ToolError that it was."""
    error, result = reply.get("error"), reply.get("result")
    if isinstance(error, dict):
        raise ToolError(str(error.get("message")), str(error.get("kind")))
    told = result if isinstance(result, dict) else {}
    # The same target may have been named in another way.
    named = {"target": whole["target"]} if "target" in told and "target" in whole else {}
    return tool.result.model_validate({**told, **named})
