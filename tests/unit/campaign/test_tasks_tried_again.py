"""A task whose network wasn't as it says is tried once more, and what came after the question is counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_trials import NoEngine
from task_recordings import BUDGET, tasks_of, xs

from netopsbench.agent.run import Examination
from netopsbench.campaign.asking import Examiner
from netopsbench.campaign.rca_trial import TaskOrder, run_tasks
from netopsbench.core.errors import InfraError
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.question import task_question
from netopsbench.rca.record import TaskTrial
from netopsbench.rca.summary import counts_of

PLAN = xs()
FINE = "fine"
BEFORE, AFTER = "effect_not_seen", "effect_gone_before_answer"


def tried(ends: Iterator[str], monkeypatch: pytest.MonkeyPatch) -> list[TaskTrial]:
    """The trials of two tasks with one agent, whose tries end so."""

    def carried_out(order: TaskOrder, examiner: Examiner, network: StandingNetwork) -> TaskTrial:
        end = next(ends)
        if end != BEFORE:
            examiner(task_question(order.task, PLAN, BUDGET), Path("nowhere"))
        if end == FINE:
            return TaskTrial(task_id=order.task.id, agent=order.agent, end="scored")
        raise InfraError(end, "as the test wants it")

    asked = Examination(answer=None, failure=None, message="", stderr="", elapsed_s=0.0)
    monkeypatch.setattr("netopsbench.campaign.rca_trial._run", carried_out)
    monkeypatch.setattr("netopsbench.campaign.rca_trial.examine", lambda *_, **__: asked)
    return list(run_tasks(tasks_of(PLAN), ["nop"], StandingNetwork("xs", NoEngine()), BUDGET))


def test_a_second_try_that_succeeds_stands_and_tells_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tried(iter([AFTER, FINE, FINE]), monkeypatch)
    assert (first.end, second.end) == ("scored", "scored")
    assert [(attempt.reason, attempt.was_question_asked) for attempt in first.earlier] == [(AFTER, True)]
    assert second.earlier == ()
    counts = counts_of("nop", [first, second])
    assert (counts.trials, counts.invalid, counts.asked, counts.late_invalid) == (2, 0, 3, 1)
    assert counts.late_invalid_pct == pytest.approx(100 / 3)


def test_there_is_no_third_try(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter([BEFORE, AFTER, BEFORE, BEFORE, FINE])
    first, second = tried(ends, monkeypatch)
    assert (first.end, second.end) == ("invalid", "invalid")
    assert (first.was_question_asked, second.was_question_asked) == (True, False)
    assert list(ends) == [FINE]
    counts = counts_of("nop", [first, second])
    assert (counts.trials, counts.invalid, counts.asked, counts.late_invalid) == (2, 2, 1, 1)


def test_trials_of_others_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = tried(iter([BEFORE, BEFORE, FINE]), monkeypatch)
    counts = counts_of("tracer", trials)
    assert (counts.trials, counts.asked, counts.late_invalid_pct) == (0, 0, 0.0)
