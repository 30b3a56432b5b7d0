"""Watches a program until it ends or has to be ended, and reads what it says."""

import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from netopsbench.agent.models.journal import Event
from netopsbench.agent.models.patience import MOST_WAIT_S
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import AgentFailure
from netopsbench.tools.client import ToolClient

LONGEST_ANSWER = 1 << 20
"""Bytes of standard output; more is no answer."""
_KEPT_STDERR = 16_384
_LONGEST_SECRET = 4096
_LONGEST_JOURNAL = 1 << 27
_LOOK_EVERY_S = 0.5
_STATUS_S = 5.0
_LAST_LOOKS = 3
_END_DEADLINE_S = 10.0


@dataclass
class Exit:
    """How a program ended, and what it said."""

    stopped_for: AgentFailure | None = None
    returncode: int | None = None
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    journal: bytearray = field(default_factory=bytearray)
    events: list[Event] = field(default_factory=list)
    waited_s: float = 0.0
    """How long the agent said that it waited for its model's provider."""

    @property
    def last_words(self) -> str:
        """The end of standard error, from a whole line on: a secret that was cut could not be known again."""
        text = self.stderr.decode(errors="replace")
        if len(self.stderr) < _KEPT_STDERR:
            return text
        _, newline, rest = text.partition("\n")
        return rest if newline else text[_LONGEST_SECRET:]


class CallBudget:
    """Asks the tool server whether the agent tried more calls than it may."""

    def __init__(self, tool_socket: Path) -> None:
        self._socket = tool_socket
        self._client: ToolClient | None = None
        # Before the agent can take all of the server's places.
        self.is_exceeded()

    def is_exceeded(self) -> bool:
        """False too when nobody answers: that is the runner's business, and the next look may find out."""
        try:
            if self._client is None:
                self._client = ToolClient(self._socket, timeout_s=_STATUS_S)
            return bool(self._client.status()["is_exceeded"])
        except ToolError:
            return False

    def was_exceeded(self) -> bool:
        """The same when the agent has ended and no other look follows."""
        return any(self.is_exceeded() for _ in range(_LAST_LOOKS))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def watched(process: "subprocess.Popen[bytes]", journal: int | None, deadline: float, budget: CallBudget) -> Exit:
    """Read all that a process says until it ends, or until it has to be ended.

    `journal` is the reading end of its pipe, if it has one that can be believed: what it waits for its provider then
    moves the deadline (monotonic, seconds).
    """
    ended = Exit()
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ, ended.stdout)
        pipes.register(process.stderr, selectors.EVENT_READ, ended.stderr)
        if journal is not None:
            pipes.register(journal, selectors.EVENT_READ, ended.journal)
        look_at = time.monotonic() + _LOOK_EVERY_S
        while pipes.get_map() or process.poll() is None:
            now = time.monotonic()
            last = deadline + ended.waited_s
            if now >= last:
                ended.stopped_for = "wall_time_exceeded"
                return ended
            if now >= look_at:
                look_at = now + _LOOK_EVERY_S
                if budget.is_exceeded():
                    ended.stopped_for = "tool_calls_exceeded"
                    return ended
            _read(pipes, min(last, look_at) - now if pipes.get_map() else 0.01)
            _take_events(ended)
            if len(ended.stdout) > LONGEST_ANSWER or len(ended.journal) > _LONGEST_JOURNAL:
                ended.stopped_for = "malformed_answer"
                return ended
            del ended.stderr[:-_KEPT_STDERR]
    ended.returncode = process.returncode
    if budget.was_exceeded():
        ended.stopped_for = "tool_calls_exceeded"
    return ended


def _take_events(ended: Exit) -> None:
    whole, newline, rest = ended.journal.rpartition(b"\n")
    if not newline:
        return
    ended.journal[:] = rest
    for line in whole.splitlines():
        try:
            told = Event.model_validate_json(line)
        except ValidationError:
            # The line of a process that was killed while it wrote.
            continue
        ended.events.append(told)
        ended.waited_s = min(MOST_WAIT_S, ended.waited_s + (told.wait_s or 0.0))


def _read(pipes: selectors.BaseSelector, wait_s: float) -> None:
    if not pipes.get_map():
        time.sleep(wait_s)
        return
    for key, _ in pipes.select(max(wait_s, 0)):
        block = os.read(key.fd, 1 << 16)
        if block:
            key.data.extend(block)
        else:
            pipes.unregister(key.fileobj)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kill bubblewrap, with which the kernel kills every process of the sandbox."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait(_END_DEADLINE_S)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
