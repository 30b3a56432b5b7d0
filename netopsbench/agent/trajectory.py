"""The whole course of one examination as lines of JSON: question, messages, calls, waits, answer. No truth in it."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from netopsbench.agent.models.journal import Event
from netopsbench.agent.run import Examination
from netopsbench.core.redact import redacted
from netopsbench.records.answers import Question


def written_down(
    question: Question,
    examination: Examination,
    calls: Sequence[Mapping[str, Any]],
    since_ns: int,
    secrets: Collection[str],
) -> tuple[Examination, str]:
    """The examination with its trajectory, whatever the agent said.

    What can't be written down is its failure: a trial that said nothing about it would be tried once more.
    """
    try:
        return examination, trajectory(question, examination, calls, since_ns, secrets)
    except (ValueError, TypeError, LookupError, RecursionError) as unwritable:
        message = f"what it said can't be written down: {type(unwritable).__name__}"
        told = {"answer": None, "failure": "malformed_answer", "message": message, "events": ()}
        failed = examination.model_copy(update=told)
        return failed, trajectory(question, failed, (), since_ns, secrets)


def trajectory(
    question: Question,
    examination: Examination,
    calls: Sequence[Mapping[str, Any]],
    since_ns: int,
    secrets: Collection[str],
) -> str:
    """One event a line, in the order of their times.

    `calls` are those of the tool server, which every agent has; messages only agents that speak to a model by this
    package. `since_ns` is when the question was handed over; `secrets` are taken out.
    """
    events = [Event(t_ns=since_ns, kind="question", content=question.model_dump(mode="json")), *examination.events]
    for call in calls:
        content = {key: call[key] for key in ("tool", "arguments", "is_error", "result")}
        told = redacted(json.loads(json.dumps(content)), secrets)
        events.append(Event(t_ns=call["started_ns"], kind="tool_call", content=told, elapsed_s=call["elapsed_s"]))
    events.sort(key=lambda each: each.t_ns)
    events.append(_ending(examination, since_ns))
    return "".join(json.dumps(each.model_dump(mode="json", exclude_none=True)) + "\n" for each in events)


def _ending(examination: Examination, since_ns: int) -> Event:
    t_ns = since_ns + int(examination.elapsed_s * 1e9)
    if examination.answer is not None:
        given = examination.answer.model_dump(mode="json")
        return Event(t_ns=t_ns, kind="answer", content=given, total=examination.usage, elapsed_s=examination.elapsed_s)
    return Event(
        t_ns=t_ns,
        kind="stop",
        content=examination.message,
        total=examination.usage,
        elapsed_s=examination.elapsed_s,
        failure=examination.failure,
    )
