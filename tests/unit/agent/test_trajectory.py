"""A trajectory holds question, conversation, calls and answer in the order of their times, without secrets."""

import json

from netopsbench.agent.models.journal import Event
from netopsbench.agent.run import Examination
from netopsbench.agent.trajectory import trajectory, written_down
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.usage import Usage

QUESTION = Question(text="?", labels=(), budget=Budget(wall_time_s=5, tool_calls=5), answer_schema={})
CALL = {"tool": "get_topology", "arguments": {}, "started_ns": 30, "elapsed_s": 0.5, "is_error": False, "result": "{}"}


def lines_of(examination: Examination) -> list[dict[str, object]]:
    return [json.loads(line) for line in trajectory(QUESTION, examination, [CALL], 10, ()).splitlines()]


def test_events_are_in_the_order_of_their_times() -> None:
    events = (Event(t_ns=20, kind="sent", content="hello"), Event(t_ns=40, kind="reply", content="well"))
    answered = Examination(
        answer=Answer(verdict="network_healthy"),
        failure=None,
        message="",
        stderr="",
        elapsed_s=1,
        usage=Usage(output_tokens=3),
        events=events,
    )
    lines = lines_of(answered)
    assert [each["kind"] for each in lines] == ["question", "sent", "tool_call", "reply", "answer"]
    assert lines[-1]["total"] == {"output_tokens": 3, "price_version": ""}
    assert lines[2]["elapsed_s"] == 0.5


def test_a_failure_is_the_end_by_its_name() -> None:
    failed = Examination(answer=None, failure="turns_exceeded", message="no answer", stderr="", elapsed_s=1)
    last = lines_of(failed)[-1]
    assert (last["kind"], last["failure"], last["content"]) == ("stop", "turns_exceeded", "no answer")


def test_secrets_are_in_no_line() -> None:
    call = {**CALL, "arguments": {"device": "my-very-key"}}
    failed = Examination(answer=None, failure="crashed", message="", stderr="", elapsed_s=1)
    text = trajectory(QUESTION, failed, [call], 10, ("my-very-key",))
    assert "my-very-key" not in text


def test_what_can_not_be_written_down_is_the_agents_failure_and_its_end() -> None:
    said = Examination(answer=Answer(verdict="network_healthy"), failure=None, message="", stderr="", elapsed_s=1)
    broken = [{**CALL, "elapsed_s": "long"}]
    outcome, text = written_down(QUESTION, said, broken, 10, ())
    assert (outcome.answer, outcome.failure) == (None, "malformed_answer")
    assert "can't be written down: ValidationError" in outcome.message
    assert [json.loads(line)["kind"] for line in text.splitlines()] == ["question", "stop"]


def test_what_can_be_written_down_changes_nothing() -> None:
    said = Examination(answer=Answer(verdict="network_healthy"), failure=None, message="", stderr="", elapsed_s=1)
    outcome, text = written_down(QUESTION, said, [CALL], 10, ())
    assert outcome is said
    assert text == trajectory(QUESTION, said, [CALL], 10, ())
