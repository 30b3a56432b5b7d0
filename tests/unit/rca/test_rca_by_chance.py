"""What chance is worth: the random agent's answers to every task of the suite, graded against the keys."""

from pathlib import Path

import pytest

from netopsbench.agent.controls import Random
from netopsbench.campaign.rca_trial import rules_of
from netopsbench.campaign.replayed_agent import DeskTools
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.commands import typed_in
from netopsbench.rca.generate import NETWORKS, Suite, generate
from netopsbench.rca.grade import grade
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.question import task_question
from netopsbench.rca.record import TaskScore
from netopsbench.records.answers import Budget
from netopsbench.records.trial import ToolCall
from netopsbench.replay.playing import task_desk
from netopsbench.replay.task_bundle import RecordedTask, TaskTape
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.process import read_calls
from netopsbench.vendors.recorded import FactBook

BUDGET = Budget(wall_time_s=60, tool_calls=50)


@pytest.fixture(scope="module")
def plans() -> dict[str, FabricPlan]:
    return {name: plan_fabric(load_spec(name)) for name in NETWORKS}


@pytest.fixture(scope="module")
def suite(plans: dict[str, FabricPlan]) -> Suite:
    return generate(plans, 1)


def by_chance(task: RcaTask | PathTask, plan: FabricPlan, folder: Path) -> TaskScore:
    """The score of the random agent, which needs the design alone."""
    question = task_question(task, plan, BUDGET)
    tape = TaskTape(task_id=task.id, text=question.text, plan=plan.digest, rules=rules_of(task), left_out=0)
    path = folder / f"{task.id}.jsonl"
    meter = Meter(path, BUDGET.tool_calls)
    try:
        desk = task_desk(RecordedTask(tape=tape, plan=plan, book=b""), FactBook(records=()), meter)
        answer = Random(task.seed).answer(question, DeskTools(desk))
    finally:
        meter.close()
    calls = [ToolCall.model_validate(call) for call in read_calls(path)]
    return grade(task, answer.reasoning, typed_in(calls), (len(calls), 0.0, None), "random")


def test_chance_answers_every_task_in_its_form_and_is_right_in_almost_none(
    suite: Suite, plans: dict[str, FabricPlan], tmp_path: Path
) -> None:
    scores = [by_chance(task, plans[task.network], tmp_path) for task in (*suite.rca, *suite.paths)]
    assert len(scores) == 234
    # One that could not be read would be worth nothing whatever it says.
    assert [score.task_id for score in scores if getattr(score.strict, "failure", None) == "F5"] == []
    assert sum(score.strict.accuracy for score in scores) <= 0.02 * len(scores)
    # It looks at the design and asks no device.
    assert {score.rounds for score in scores} == {1}
    assert sum(score.evidence for score in scores) == 0
