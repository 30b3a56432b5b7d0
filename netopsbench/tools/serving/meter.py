"""Counts calls against the budget and writes each of them down."""

import json
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import ToolError
from netopsbench.core.redact import redacted, redacted_text

RECORDED_CHARS = 20_000
"""Longest result that a call's record keeps."""
UNANSWERED = "unanswered"
"""Kind of a call that was under way when the agent had ended."""
_NO_ANSWER = json.dumps({"kind": UNANSWERED, "message": "the agent ended before the tool had answered"})


@dataclass(frozen=True)
class Call:
    """One call that ended; its fields are those of a trial's record of calls."""

    tool: str
    arguments: dict[str, Any]
    started_ns: int
    elapsed_s: float
    is_error: bool
    result: str


class Meter:
    """The budget of calls, and the file with one JSON line per call."""

    def __init__(self, path: Path, budget: int, secrets: Collection[str] = ()) -> None:
        """Neither `secrets` nor what looks like one is written. Raises OSError when `path` can't be written."""
        self._file = path.open("a", encoding="utf-8")
        self._budget = budget
        self._secrets = tuple(secrets)
        self._lock = threading.Lock()
        self._calls = 0
        self._is_exceeded = False
        self._unrecorded = 0
        self._under_way: dict[int, Call] = {}

    def admit(self, tool: str, arguments: dict[str, Any]) -> int:
        """Count one call; the number under which it is recorded later.

        Raises ToolError `tool_calls_exceeded` when none is left.
        """
        with self._lock:
            if self._calls >= self._budget:
                self._is_exceeded = True
                raise ToolError(
                    f"the budget of {self._budget} tool calls is used up; no more are answered",
                    "tool_calls_exceeded",
                )
            self._calls += 1
            self._under_way[self._calls] = Call(tool, arguments, now_ns(), 0.0, True, _NO_ANSWER)
            return self._calls

    def record(self, call: Call, number: int | None = None) -> None:
        """Write a call down. Raises ToolError when it can't be, so that no unrecorded result is handed out."""
        line = self._line(call)
        try:
            with self._lock:
                if self._file.closed:
                    raise ToolError("the case is over", "no_server")
                self._file.write(line)
                self._file.flush()
                if number is not None:
                    self._under_way.pop(number, None)
        except OSError as failure:
            with self._lock:
                self._unrecorded += 1
            raise ToolError(f"the call could not be recorded: {failure.strerror}") from failure

    def close(self) -> None:
        """Write down calls that are still under way, as unanswered, and let go of the file. Safe to call twice."""
        with self._lock:
            left, self._under_way = self._under_way, {}
            with suppress(OSError):
                for call in left.values():
                    self._file.write(self._line(replace(call, elapsed_s=round((now_ns() - call.started_ns) / 1e9, 6))))
            with suppress(OSError):
                self._file.close()

    def _line(self, call: Call) -> str:
        entry = {
            **vars(call),
            "tool": redacted_text(call.tool, self._secrets),
            "arguments": redacted(call.arguments, self._secrets),
            "result": cut_for_record(redacted_text(call.result, self._secrets)),
        }
        return json.dumps(entry) + "\n"

    def status(self) -> dict[str, Any]:
        """Calls made and allowed, whether more were tried, and calls that could not be recorded."""
        with self._lock:
            return {
                "calls": self._calls,
                "budget": self._budget,
                "is_exceeded": self._is_exceeded,
                "unrecorded": self._unrecorded,
            }


def cut_for_record(text: str) -> str:
    """A result short enough to keep: head, mark with the total size, tail."""
    if len(text) <= RECORDED_CHARS:
        return text
    half = RECORDED_CHARS // 2
    return f"{text[:half]} … [cut: {len(text)} characters in all] … {text[-half:]}"
