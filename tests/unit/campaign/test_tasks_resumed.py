"""A run of tasks that was cut short: what is given again, what stays, and what is refused."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from task_recordings import recorded, recording_from, run, tasks_of, written

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign.rca_recorded import TaskReplay
from netopsbench.campaign.recorded import RECORDING
from netopsbench.campaign.task_folder import RECORDED, Left
from netopsbench.cli import task_run
from netopsbench.core.errors import InfraError
from netopsbench.core.kept import Kept
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.record import TaskTrial
from netopsbench.records.answers import Budget

pytestmark = pytest.mark.usefixtures("same_code")

AGENTS = ("--agent", "oracle", "--agent", "nop")
RESUME = ("rca", "resume")


class Networks:
    """Stands in for running networks: recorded tasks are given, and the user ends it after some trials."""

    def __init__(self, replay: TaskReplay) -> None:
        self._give = recording_from(replay)
        self.trials_until_interrupted = 1000
        self.fails_when_ended = False
        self.is_up = False
        self.given: list[tuple[str, str]] = []
        self.recorded: list[str] = []
        """Tasks that were to be recorded, each time they were."""

    def __call__(self, left: Sequence[Left], budget: Budget) -> Iterator[TaskTrial]:
        self.is_up = True
        try:
            yield from self._given(left, budget)
        except KeyboardInterrupt:
            if self.fails_when_ended:
                raise InfraError("fabric_died", "its processes are gone") from None
            raise
        finally:
            self.is_up = False

    def _given(self, left: Sequence[Left], budget: Budget) -> Iterator[TaskTrial]:
        for each in left:
            if each.recording is not None:
                self.recorded.append(each.task.id)
            for agent in each.agents:
                if len(self.given) == self.trials_until_interrupted:
                    raise KeyboardInterrupt
                self.given.append((each.task.id, agent))
                yield from self._give([Left(each.task, [agent], each.recording)], budget)


@pytest.fixture
def networks(recording: Path, monkeypatch: pytest.MonkeyPatch) -> Networks:
    found = Networks(TaskReplay(recording))
    monkeypatch.setattr(task_run, "_giving", lambda _: (found, {"FRR": "8.4"}))
    return found


@pytest.fixture
def prepared(plan: FabricPlan, tmp_path: Path) -> Path:
    return written(plan, tmp_path / "ctbench")


def cut_short(networks: Networks, prepared: Path, *words: str, after: int = 1) -> Path:
    """The folder of a run that the user ended after some trials; nothing ends the next one."""
    networks.trials_until_interrupted = after
    folder = prepared.parent / "run"
    code, said = run(str(prepared), *AGENTS, "--out", str(folder), *words)
    assert code == 130, said
    networks.trials_until_interrupted = 1000
    networks.given.clear()
    return folder


@pytest.mark.parametrize("after", [1, 2, 3])
def test_what_is_over_is_not_given_again_and_each_task_is_recorded_once(
    networks: Networks, prepared: Path, plan: FabricPlan, after: int
) -> None:
    folder = cut_short(networks, prepared, "--record", after=after)
    assert not (folder / RECORDING).exists()
    first, second = (task.id for task in tasks_of(plan))
    order = [(first, "oracle"), (first, "nop"), (second, "oracle"), (second, "nop")]
    assert run(str(folder), command=RESUME)[0] == 0
    assert networks.given == order[after:]
    # A task of which a trial counts already is recorded; the one that was under way is recorded anew.
    assert networks.recorded.count(first) == 1
    assert [task.id for task in TaskReplay(folder / RECORDING).tasks] == [first, second]
    assert not (folder / RECORDED).exists()
    trials = json.loads((folder / "result.json").read_text())["trials"]
    assert [(trial["task_id"], trial["agent"]) for trial in trials] == order


def test_a_run_that_is_ended_while_words_are_said_leaves_no_network(
    networks: Networks, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(words: str) -> None:
        if "accuracy" in words:
            raise KeyboardInterrupt

    monkeypatch.setattr(task_run, "note", said)
    code, _ = run(str(prepared), *AGENTS, "--out", str(prepared.parent / "run"))
    assert code == 130
    assert networks.is_up is False


def test_a_network_that_fails_because_the_user_ended_the_run_is_no_news(networks: Networks, prepared: Path) -> None:
    networks.fails_when_ended = True
    cut_short(networks, prepared)


def test_what_a_killed_trial_recorded_is_replaced(networks: Networks, prepared: Path, plan: FabricPlan) -> None:
    folder = cut_short(networks, prepared, "--record", after=2)
    second = tasks_of(plan)[1].id
    (folder / RECORDED / f"{second}.zip").write_text("half of it")
    (folder / ".recording.gone").mkdir()
    (folder / "trials" / f".{second}.json.x1").write_text("{")
    assert run(str(folder), command=RESUME)[0] == 0
    assert len(TaskReplay(folder / RECORDING).tasks) == 2
    assert not list(folder.rglob(".*"))


def test_a_change_is_refused_by_name_until_it_is_accepted_and_then_told_in_the_report(
    networks: Networks, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cut_short(networks, prepared)
    shutil.rmtree(prepared / "path")
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "another")
    code, said = run(str(folder), command=RESUME)
    assert code == 2
    words = " ".join(said.split())
    assert "code was same, now it is another" in words
    assert "tasks was " in words
    assert "--accept-changes" in words
    assert networks.given == []
    assert run(str(folder), "--accept-changes", command=RESUME)[0] == 0
    assert len(networks.given) == 3
    assert (
        "Accepted when the run was resumed: code was same, now it is another." in (folder / "report.html").read_text()
    )


def test_a_folder_of_tasks_that_is_gone_is_a_change(networks: Networks, prepared: Path) -> None:
    folder = cut_short(networks, prepared)
    shutil.rmtree(prepared)
    code, said = run(str(folder), command=RESUME)
    assert code == 2
    assert "what is asked can't be made again" in " ".join(said.split())
    assert run(str(folder), "--accept-changes", command=RESUME)[0] == 0


def test_another_recording_in_the_place_of_the_runs_own_is_refused_whatever_is_accepted(
    recording: Path, plan: FabricPlan, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    assert run("--replay", str(recording), "--agent", "nop", "--out", str(folder))[0] == 0
    next((folder / "trials").iterdir()).unlink()
    other = recorded(plan.model_copy(update={"mtu": 9000}), tmp_path / "other")
    for file in (RECORDING, "recording.sealed"):
        (other.parent / file).replace(recording.parent / file)
    for words in ((), ("--accept-changes",)):
        code, said = run(str(folder), *words, command=RESUME)
        assert code == 2
        assert "put it back, or begin another run" in " ".join(said.split())


def test_a_run_that_is_over_is_shown_again_though_its_recording_is_gone(recording: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert run("--replay", str(recording), *AGENTS, "--agent", "nop", "--out", str(folder))[0] == 0
    before = (folder / "tasks.json").read_bytes()
    shutil.rmtree(recording.parent)
    code, said = run(str(folder), command=RESUME)
    assert code == 0, said
    # An agent that is named twice is examined once.
    assert "4 of 4 trials are over" in said
    assert (folder / "tasks.json").read_bytes() == before


def test_a_folder_that_holds_a_run_takes_no_other(recording: Path, tmp_path: Path) -> None:
    words = ("--replay", str(recording), "--agent", "nop", "--out", str(tmp_path / "run"))
    assert run(*words)[0] == 0
    code, said = run(*words)
    assert code == 2
    assert "`netopsbench rca resume` goes on with it" in " ".join(said.split())


@pytest.mark.parametrize("verb", ["resume", "report"])
def test_a_folder_of_no_run_is_told(tmp_path: Path, verb: str) -> None:
    code, said = run(str(tmp_path), command=("rca", verb))
    assert code == 2
    assert "the folder of a run of tasks holds tasks.json" in " ".join(said.split())


def test_a_full_disk_is_told_with_what_is_saved_and_the_way_on(
    networks: Networks, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Kept.save

    def filling(self: Kept[TaskTrial], subject: str, agent: str, trial: TaskTrial) -> None:
        if len(networks.given) == 2:
            raise OSError(28, os.strerror(28), "a trial")
        save(self, subject, agent, trial)

    monkeypatch.setattr(Kept, "save", filling)
    code, said = run(str(prepared), *AGENTS, "--out", str(tmp_path / "run"))
    assert code == 1
    words = " ".join(said.split())
    assert "a trial: No space left on device; 1 of 4 trials are over and saved; go on with: netopsbench rca" in words
