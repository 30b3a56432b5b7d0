"""Where calls are answered: each is metered, timed and cut to size, whatever front end it came through."""

import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import NetopsbenchError, ToolError
from netopsbench.core.redact import redacted_text
from netopsbench.core.storable import storable, unstorable
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool
from netopsbench.tools.device_text import warning
from netopsbench.tools.serving.meter import Call, Meter

_log = logging.getLogger(__name__)

OUR_FAILURE = "failed on our side, which says nothing about the network"
"""What an agent is told when a tool broke."""

Outcome = dict[str, Any] | ToolError


class Desk:
    """The tools of one case behind one meter. Calls may come from many threads at once."""

    def __init__(
        self, context: ToolContext | Callable[[], ToolContext], tools: Sequence[Tool], meter: Meter, result_chars: int
    ) -> None:
        """A result over `result_chars` of JSON text is cut, with a mark.

        A `context` that moves on with time is a function; it is called for each call of a tool.
        """
        self._look: Callable[[], ToolContext] = context if callable(context) else lambda: context
        self._tools = {tool.name: tool for tool in tools}
        self._meter = meter
        self._result_chars = result_chars

    def schemas(self) -> list[dict[str, Any]]:
        """What an agent reads of every tool."""
        return [tool.schema() for tool in self._tools.values()]

    def warning(self, name: str) -> str:
        """What to keep in mind of a tool's results: which of their texts come from devices; often empty."""
        tool = self._tools.get(name)
        return warning(tool.device_text) if tool is not None else ""

    def vendors(self) -> Mapping[str, str]:
        """Whose command line each device has; empty where there are none."""
        lines = self._look().command_lines
        return {} if lines is None else lines.vendors

    def status(self) -> dict[str, Any]:
        """The meter's reading."""
        return self._meter.status()

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run a tool and write the call down. Raises ToolError."""
        asked = str(storable(name)), {str(storable(str(key))): storable(each, 1) for key, each in arguments.items()}
        number = self._meter.admit(*asked)
        started_ns, started = now_ns(), time.monotonic()
        outcome = self._outcome(name, arguments)
        is_error = isinstance(outcome, ToolError)
        shown = {"kind": outcome.kind, "message": str(outcome)} if isinstance(outcome, ToolError) else outcome
        elapsed_s = round(time.monotonic() - started, 6)
        self._meter.record(Call(*asked, started_ns, elapsed_s, is_error, json.dumps(shown)), number)
        if isinstance(outcome, ToolError):
            raise outcome
        return outcome

    def close(self) -> None:
        """Record nothing any more; calls that are still under way are written down as unanswered."""
        self._meter.close()

    def _outcome(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        # What no record can hold would void the trial, which is then tried once more.
        if why := unstorable(name) or unstorable(arguments):
            return ToolError(f"a call is text, numbers, lists and objects as JSON has them, not {why}", "bad_request")
        tool = self._tools.get(name)
        if tool is None:
            return ToolError(f"there is no tool {name[:80]!r}; the tools are: {', '.join(self._tools)}", "unknown_tool")
        answers: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        # A daemon thread, so that a tool that never returns can't keep the server from ending.
        threading.Thread(target=lambda: answers.put(self._run(tool, arguments)), daemon=True).start()
        try:
            return answers.get(timeout=tool.timeout_s)
        except queue.Empty:
            return ToolError(f"{name} did not answer in {tool.timeout_s:g} s", "timeout")

    def _run(self, tool: Tool, arguments: Mapping[str, Any]) -> Outcome:
        try:
            return self._cut(tool.call(self._look(), arguments).model_dump(mode="json"))
        except ToolError as refused:
            return refused
        except (NetopsbenchError, OSError, LookupError, ValueError, TypeError, AttributeError) as broken:
            # The question has been asked, so what fails from here on is told to the agent and counted for it. Why
            # is none of its business: paths of the run would tell which case this is.
            _log.warning("%s%s failed: %r", tool.name, redacted_text(repr(dict(arguments))), broken)
            return ToolError(f"{tool.name} {OUR_FAILURE}")

    def _cut(self, result: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(result)
        if len(text) <= self._result_chars:
            return result
        half = self._result_chars // 2
        return {
            "is_cut": True,
            "total_chars": len(text),
            "head": text[:half],
            "tail": text[-half:],
            "how_to_read_on": "call again with a smaller `limit` and go on from `offset`, or ask for one device",
        }
