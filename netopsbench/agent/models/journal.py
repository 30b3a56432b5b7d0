"""What an agent that speaks to a model tells of itself while it works: lines of JSON on a pipe to its examiner.

The examiner believes them, so only agents of this package are given the pipe.
"""

import contextlib
import json
import os
import threading
from typing import Annotated, Literal, Protocol

from pydantic import BeforeValidator, JsonValue

from netopsbench.core.clock import now_ns
from netopsbench.core.model import Model
from netopsbench.core.storable import storable
from netopsbench.records.answers import AgentFailure
from netopsbench.records.usage import Usage

JOURNAL_VARIABLE = "NETOPSBENCH_JOURNAL"
"""Environment variable with the number of the pipe's descriptor."""


class Event(Model):
    """One line of a journal, and of a trajectory."""

    t_ns: int
    kind: Literal["question", "sent", "reply", "tool_call", "wait", "answer", "stop"]
    content: Annotated[JsonValue, BeforeValidator(storable)] = None
    """What was said, in the words of whoever said it: of a model's provider in its own format."""
    usage: Usage | None = None
    """Of this one reply."""
    total: Usage | None = None
    """Of all replies up to here."""
    elapsed_s: float | None = None
    wait_s: float | None = None
    failure: AgentFailure | None = None


class Journal(Protocol):
    """Where events go."""

    def note(self, event: Event) -> None: ...


class Silent:
    """Keeps nothing."""

    def note(self, event: Event) -> None: ...


class PipeJournal:
    """Writes events to a descriptor, one line each."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def note(self, event: Event) -> None:
        line = json.dumps(event.model_dump(mode="json", exclude_none=True)).encode() + b"\n"
        # The examiner may have given up already; then nobody needs to know.
        with self._lock, contextlib.suppress(OSError):
            while line:
                line = line[os.write(self._descriptor, line) :]


def journal_of_environment() -> Journal:
    """The pipe that the environment names; nowhere without one."""
    number = os.environ.get(JOURNAL_VARIABLE, "")
    return PipeJournal(int(number)) if number.isdigit() else Silent()


def event(kind: Literal["sent", "reply", "wait", "stop"], content: JsonValue = None) -> Event:
    """An event of this moment."""
    return Event(t_ns=now_ns(), kind=kind, content=content)
