"""Examines an agent: its program runs shut in, against the clock, and whatever happens is an outcome."""

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from netopsbench.agent import sandbox
from netopsbench.agent.catalog import make_agent
from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer, Question
from netopsbench.tools.client import ToolClient

Failure = Literal["no_answer", "malformed_answer", "crashed", "wall_time_exceeded", "tool_calls_exceeded"]

LONGEST_ANSWER = 1 << 20
"""Bytes of standard output; more is no answer."""
_KEPT_STDERR = 16_384
_LOOK_EVERY_S = 0.5
_END_DEADLINE_S = 10.0


class Examination(Model):
    """How an agent fared with one question."""

    answer: Answer | None
    failure: Failure | None
    message: str
    """What went wrong, in words; empty when nothing did."""
    stderr: str
    """The end of what the program wrote to standard error."""
    elapsed_s: float
    """From the question to the end of the program, tools included."""


@dataclass
class _Exit:
    """How a program ended, and what it said."""

    stopped_for: Failure | None = None
    returncode: int | None = None
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)


def examine(
    agent: str,
    question: Question,
    tool_socket: Path,
    *,
    options: Mapping[str, Any] | None = None,
    limits: sandbox.Limits | None = None,
) -> Examination:
    """Put a question to one of our agents, by name.

    Raises SpecError for an unknown name or option, UnsupportedError when this machine can't shut programs in.
    """
    make_agent(agent, options)
    program = sandbox.python_program("netopsbench.agent.host", agent, "--options", json.dumps(dict(options or {})))
    return examine_program(program, question, tool_socket, limits=limits)


def examine_program(
    program: Sequence[str], question: Question, tool_socket: Path, *, limits: sandbox.Limits | None = None
) -> Examination:
    """Put a question to a program: JSON on its standard input, its answer as JSON on its standard output.

    Raises UnsupportedError when this machine can't shut programs in.
    """
    sandbox.ensure_usable()
    started = time.monotonic()
    ended = _run(program, question, tool_socket, limits or sandbox.Limits())
    elapsed_s = time.monotonic() - started
    failure, message, answer = _judged(ended, question)
    return Examination(
        answer=answer,
        failure=failure,
        message=message,
        stderr=ended.stderr.decode(errors="replace"),
        elapsed_s=round(elapsed_s, 3),
    )


def _run(program: Sequence[str], question: Question, tool_socket: Path, limits: sandbox.Limits) -> _Exit:
    deadline = time.monotonic() + question.budget.wall_time_s
    with sandbox.arguments_file() as asked, sandbox.arguments_file() as arguments:
        asked.write(question.model_dump_json().encode())
        room = sandbox.room_for(program, tool_socket, limits, arguments.fileno())
        arguments.write(room.arguments)
        for file in (asked, arguments):
            file.seek(0)
        sandbox.open_socket_to(room.socket_owner, tool_socket)
        process = subprocess.Popen(
            room.argv,
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Bubblewrap stays on as the first process inside, where its environment can be read.
            env=sandbox.ENVIRONMENT,
            pass_fds=[arguments.fileno()],
            start_new_session=True,
        )
    budget = _Budget(tool_socket)
    try:
        return _watched(process, deadline, budget)
    finally:
        budget.close()
        _end(process)


class _Budget:
    """Asks the tool server whether the agent tried more calls than it may."""

    def __init__(self, tool_socket: Path) -> None:
        self._client: ToolClient | None
        try:
            self._client = ToolClient(tool_socket, timeout_s=5)
        except ToolError:
            # A tool server that is gone is the runner's business; here it only means that nobody counts.
            self._client = None

    def is_exceeded(self) -> bool:
        if self._client is None:
            return False
        try:
            return bool(self._client.status()["is_exceeded"])
        except ToolError:
            self.close()
            return False

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def _watched(process: "subprocess.Popen[bytes]", deadline: float, budget: _Budget) -> _Exit:
    """Read both outputs until the program ends or has to be ended."""
    ended = _Exit()
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ, ended.stdout)
        pipes.register(process.stderr, selectors.EVENT_READ, ended.stderr)
        look_at = time.monotonic() + _LOOK_EVERY_S
        while pipes.get_map() or process.poll() is None:
            now = time.monotonic()
            if now >= deadline:
                ended.stopped_for = "wall_time_exceeded"
                return ended
            if now >= look_at:
                look_at = now + _LOOK_EVERY_S
                if budget.is_exceeded():
                    ended.stopped_for = "tool_calls_exceeded"
                    return ended
            _read(pipes, min(deadline, look_at) - now if pipes.get_map() else 0.01)
            if len(ended.stdout) > LONGEST_ANSWER:
                ended.stopped_for = "malformed_answer"
                return ended
            del ended.stderr[:-_KEPT_STDERR]
    ended.returncode = process.returncode
    if budget.is_exceeded():
        ended.stopped_for = "tool_calls_exceeded"
    return ended


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


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill bubblewrap, with which the kernel kills every process of the sandbox."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait(_END_DEADLINE_S)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _judged(ended: _Exit, question: Question) -> tuple[Failure | None, str, Answer | None]:
    if ended.stopped_for is not None:
        return ended.stopped_for, _why_stopped(ended.stopped_for, question), None
    if ended.returncode:
        last = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2][:500]
        return "crashed", f"exit code {ended.returncode}" + (f": {last}" if last else ""), None
    if not ended.stdout.strip():
        return "no_answer", "the program ended without a word on standard output", None
    try:
        return None, "", Answer.model_validate_json(bytes(ended.stdout))
    except ValidationError as wrong:
        mistakes = [
            f"{'.'.join(map(str, each['loc'])) or 'answer'}: {each['msg']}"
            for each in wrong.errors(include_url=False, include_input=False, include_context=False)
        ]
        return "malformed_answer", "; ".join(mistakes)[:1000], None


def _why_stopped(reason: Failure, question: Question) -> str:
    return {
        "wall_time_exceeded": f"not finished after {question.budget.wall_time_s:g} s",
        "tool_calls_exceeded": f"more than the {question.budget.tool_calls} tool calls that were allowed",
        "malformed_answer": f"more than {LONGEST_ANSWER} bytes on standard output",
    }.get(reason, reason)
