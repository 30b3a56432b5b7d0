"""Examines an agent: its program runs shut in, against the clock, and whatever happens is an outcome."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from netopsbench.agent.models.journal import JOURNAL_VARIABLE, Event
from netopsbench.agent.models.usage import exceeded_by, told_usage
from netopsbench.agent.programs import sandbox
from netopsbench.agent.programs.program import Access, Program
from netopsbench.agent.programs.starting import check_money, program_for
from netopsbench.agent.programs.watch import LONGEST_ANSWER, CallBudget, Exit, end, watched
from netopsbench.core.model import Model
from netopsbench.core.redact import redacted, redacted_text, secrets_of_environment
from netopsbench.records.answers import AgentFailure, Answer, Question
from netopsbench.records.usage import Usage


class Examination(Model):
    """How an agent fared with one question. Secrets are taken out of all that it said."""

    answer: Answer | None
    failure: AgentFailure | None
    message: str
    """What went wrong, in words; empty when nothing did."""
    stderr: str
    """The end of what the program wrote to standard error."""
    elapsed_s: float
    """From the question to the end of the program, tools included."""
    waited_s: float = 0.0
    """Of which it stood back because its model's provider was busy."""
    access: Access = "closed"
    usage: Usage | None = None
    """What its model took, counted by this package, or told by the agent itself; None when nobody says."""
    events: tuple[Event, ...] = ()
    """The conversation with its model, of agents of this package that have one."""


def examine(
    agent: str,
    question: Question,
    tool_socket: Path,
    *,
    options: Mapping[str, Any] | None = None,
    limits: sandbox.Limits | None = None,
) -> Examination:
    """Put a question to an agent of the catalogue.

    Raises SpecError for an unknown name or option, UnsupportedError when this machine can't shut programs in.
    """
    program = program_for(agent, options)
    check_money(agent, options, question.budget)
    return examine_started(program, question, tool_socket, limits=limits)


def examine_program(
    program: Sequence[str], question: Question, tool_socket: Path, *, limits: sandbox.Limits | None = None
) -> Examination:
    """Put a question to a command line, shut in, that is inside already: a Python, or a program of /usr.

    Raises UnsupportedError when this machine can't shut programs in.
    """
    return examine_started(Program(tuple(program)), question, tool_socket, limits=limits)


def examine_started(
    program: Program, question: Question, tool_socket: Path, *, limits: sandbox.Limits | None = None
) -> Examination:
    """Put a question to a program: JSON on its standard input, its answer as JSON on its standard output.

    Raises UnsupportedError when this machine can't shut programs in.
    """
    sandbox.ensure_usable()
    started = time.monotonic()
    ended = _run(program, question, tool_socket, limits or sandbox.Limits())
    elapsed_s = time.monotonic() - started
    secrets = (*program.secrets, *secrets_of_environment(os.environ))
    failure, message, answer = _judged(ended, question, secrets)
    usage = told_usage(ended.events, answer)
    if failure is None and (too_much := exceeded_by(usage, question.budget)):
        failure, message, answer = *too_much, None
    return Examination(
        answer=answer,
        failure=failure,
        message=redacted_text(message, secrets),
        stderr=redacted_text(ended.last_words, secrets),
        elapsed_s=round(elapsed_s, 3),
        waited_s=round(min(ended.waited_s, elapsed_s), 3),
        access=program.access,
        usage=usage,
        events=tuple(each.model_copy(update={"content": redacted(each.content, secrets)}) for each in ended.events),
    )


def _run(program: Program, question: Question, tool_socket: Path, limits: sandbox.Limits) -> Exit:
    deadline = time.monotonic() + question.budget.wall_time_s
    heard, told = os.pipe() if program.is_ours else (None, None)
    budget = CallBudget(tool_socket)
    process: subprocess.Popen[bytes] | None = None
    try:
        process = _started(program, question, tool_socket, limits, told)
        if told is not None:
            os.close(told)
            told = None
        return watched(process, heard, deadline, budget)
    finally:
        budget.close()
        if process is not None:
            end(process)
        for descriptor in (heard, told):
            if descriptor is not None:
                os.close(descriptor)


def _started(
    program: Program, question: Question, tool_socket: Path, limits: sandbox.Limits, journal: int | None
) -> "subprocess.Popen[bytes]":
    if journal is not None:
        more = {**program.environment, JOURNAL_VARIABLE: str(journal)}
        program = Program(program.argv, program.access, more, program.secrets, program.carried, is_ours=True)
    with sandbox.arguments_file() as asked, sandbox.arguments_file() as arguments:
        # Agents of this package count their own turns, so they know of a limit that their model doesn't hear of.
        told = question if program.is_ours else question.as_told()
        asked.write(told.model_dump_json().encode())
        room = sandbox.room_for(program, tool_socket, limits, arguments.fileno())
        arguments.write(room.arguments)
        for file in (asked, arguments):
            file.seek(0)
        sandbox.open_socket_to(room.socket_owner, tool_socket)
        return subprocess.Popen(
            room.argv,
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=sandbox.environment_of(program, tool_socket),
            pass_fds=[arguments.fileno(), *([] if journal is None else [journal])],
            start_new_session=True,
        )


def _judged(ended: Exit, question: Question, secrets: Sequence[str]) -> tuple[AgentFailure | None, str, Answer | None]:
    if ended.stopped_for is not None:
        return ended.stopped_for, _why_stopped(ended.stopped_for, question), None
    stops = [each for each in ended.events if each.failure is not None]
    if stops:
        return stops[-1].failure, str(stops[-1].content), None
    if ended.returncode:
        last = ended.last_words.strip().rpartition("\n")[2][:500]
        return "crashed", f"exit code {ended.returncode}" + (f": {last}" if last else ""), None
    if not ended.stdout.strip():
        return "no_answer", "the program ended without a word on standard output", None
    try:
        given = Answer.model_validate_json(bytes(ended.stdout))
        return None, "", Answer.model_validate(redacted(given.model_dump(mode="json"), secrets))
    except ValidationError as wrong:
        mistakes = [
            f"{'.'.join(map(str, each['loc'])) or 'answer'}: {each['msg']}"
            for each in wrong.errors(include_url=False, include_input=False, include_context=False)
        ]
        return "malformed_answer", "; ".join(mistakes)[:1000], None


def _why_stopped(reason: AgentFailure, question: Question) -> str:
    return {
        "wall_time_exceeded": f"not finished after {question.budget.wall_time_s:g} s",
        "tool_calls_exceeded": f"more than the {question.budget.tool_calls} tool calls that were allowed",
        "malformed_answer": f"more than {LONGEST_ANSWER} bytes on standard output",
    }.get(reason, reason)
