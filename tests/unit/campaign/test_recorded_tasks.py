"""Recorded root-cause and path tasks: what is kept for whom, and how agents fare with them."""

import json
from pathlib import Path

import pytest
from fake_trials import NoEngine
from task_recordings import BUDGET, recorded, tasks_of

from netopsbench.agent.run import Examination
from netopsbench.campaign.rca_recorded import TaskReplay, keep_tasks
from netopsbench.campaign.rca_trial import TaskOrder, judged, run_tasks
from netopsbench.campaign.recorded import sealed_path
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.commands import typed_in
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.record import Drawing, TaskTrial
from netopsbench.records.answers import Answer, Budget
from netopsbench.records.trial import ToolCall
from netopsbench.replay.archive import Archive, RecordingError


def test_keys_lie_beside_the_recording_and_nothing_of_them_in_it(recording: Path, plan: FabricPlan) -> None:
    archive = Archive(recording, "netopsbench recorded tasks")
    for name in archive.names:
        assert b"golden" not in archive.read(name)
        assert b"metadata" not in archive.read(name)
    assert [task.id for task in TaskReplay(recording).tasks] == [task.id for task in tasks_of(plan)]


def test_reference_agents_and_controls_fare_as_they_should(recording: Path) -> None:
    replay = TaskReplay(recording)
    trials = replay.trials(replay.tasks, ["oracle", "nop", "sweeper"], BUDGET)
    accuracy = {(trial.agent, trial.score.kind): trial.score.strict.accuracy for trial in trials if trial.score}
    assert accuracy == {
        ("oracle", "rca"): 1.0,
        ("oracle", "path"): 1.0,
        ("nop", "rca"): 0.0,
        ("nop", "path"): 0.0,
        ("sweeper", "rca"): 1.0,
        ("sweeper", "path"): 0.0,
    }


def test_commands_that_are_not_recorded_cost_a_call(recording: Path) -> None:
    replay = TaskReplay(recording)
    (trial,) = replay.trials(replay.tasks[1:], ["tracer"], BUDGET)
    refused = [call for call in trial.calls if call.is_error]
    assert {"No permission" in call.result for call in refused} == {True}
    assert trial.score is not None
    assert (trial.score.rounds, trial.score.evidence) == (len(trial.calls), 0.0)


def test_what_a_running_network_would_answer_is_an_action_in_a_replay_too() -> None:
    def call(command: str, kind: str | None) -> ToolCall:
        told = {"result": "…"} if kind is None else {"kind": kind, "message": "No permission to perform the operation"}
        asked = {"device": "leaf1", "command": command}
        return ToolCall(
            tool="execute",
            arguments=asked,
            started_ns=0,
            elapsed_s=0.0,
            is_error=kind is not None,
            result=json.dumps(told),
        )

    kinds = (None, "not_recorded", "denied", "bad_syntax", "busy", "timeout")
    calls = [call(f"show {number}", kind) for number, kind in enumerate(kinds)]
    assert typed_in(calls) == [("leaf1", "show 0"), ("leaf1", "show 1")]


def test_of_a_wrong_answer_is_told_how_near_its_devices_are(recording: Path, plan: FabricPlan) -> None:
    replay = TaskReplay(recording)
    near = {}
    for device in ("leaf1", "leaf2", "spine1"):
        said = f"<result>\n{device};GigabitEthernet0/9;shutdown\n</result>"
        ended = Examination(
            answer=Answer(verdict="fault_detected", reasoning=said), failure=None, message="", stderr="", elapsed_s=1.0
        )
        scores = [judged(task, plan, "somebody", ended, []).score for task in replay.tasks]
        near[device] = [score.node_similarity for score in scores if score is not None]
    # The cause is at leaf1; paths have no such figure, nor has a right answer.
    same_role, same_site = 0.7 * 0.7 + 0.3 * 0.3, 0.7 * 0.3 + 0.3 * 0.6
    assert near == {
        "leaf1": [1.0, None],
        "leaf2": [pytest.approx(same_role), None],
        "spine1": [pytest.approx(same_site), None],
    }
    right = [trial.score.node_similarity for trial in replay.trials(replay.tasks, ["oracle"], BUDGET) if trial.score]
    assert right == [None, None]


def test_the_budget_of_calls_is_kept(recording: Path) -> None:
    replay = TaskReplay(recording)
    (trial,) = replay.trials(replay.tasks[:1], ["sweeper"], Budget(wall_time_s=60, tool_calls=3))
    assert trial.error is not None
    assert trial.error.reason == "tool_calls_exceeded"


def test_keys_of_another_recording_are_refused(recording: Path, plan: FabricPlan, tmp_path: Path) -> None:
    other = recorded(plan.model_copy(update={"mtu": 9000}), tmp_path / "other")
    sealed_path(other).replace(sealed_path(recording))
    with pytest.raises(RecordingError) as refused:
        TaskReplay(recording)
    assert refused.value.damage == "not_alike"


def test_nothing_is_kept_when_no_task_could_be_recorded(plan: FabricPlan, tmp_path: Path) -> None:
    (tmp_path / "recording").mkdir()
    assert keep_tasks(tmp_path / "recording", tasks_of(plan), Drawing(), BUDGET, tmp_path) is None


def test_what_a_run_left_that_was_cut_short_is_replaced_and_never_kept(
    plan: FabricPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tasks_of(plan)
    for task in tasks:
        (tmp_path / f"{task.id}.zip").write_text("left")

    def ran(order: TaskOrder, *_: object) -> TaskTrial:
        if order.recording is not None:
            order.recording.write_text(order.agent)
        is_scored = order.task.kind == "rca" and order.agent != "nop"
        return TaskTrial(task_id=order.task.id, agent=order.agent, end="scored" if is_scored else "invalid")

    monkeypatch.setattr("netopsbench.campaign.rca_trial.run_task", ran)
    network = StandingNetwork("xs", NoEngine())
    trials = list(run_tasks(tasks, ["nop", "oracle", "random"], network, BUDGET, tmp_path))
    assert [trial.end for trial in trials] == ["invalid", "scored", "scored", *["invalid"] * 3]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {f"{tasks[0].id}.zip": "oracle"}
