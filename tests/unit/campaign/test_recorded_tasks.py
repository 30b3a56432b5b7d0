"""Recorded root-cause and path tasks: what is kept for whom, and agents that get them without a network."""

import json
from pathlib import Path

import pytest
from fake_trials import NoEngine
from typer.testing import CliRunner

from netopsbench.campaign.rca_recorded import TaskReplay, keep_tasks
from netopsbench.campaign.rca_trial import TaskOrder, TaskTrial, asked, rules_of, run_tasks
from netopsbench.campaign.recorded import RECORDING, sealed_path
from netopsbench.cli.main import app
from netopsbench.core.files import write_atomic
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple
from netopsbench.rca.design import Design
from netopsbench.rca.evidence import Look
from netopsbench.rca.model import CauseRef, Metadata, PathTask, RcaTask
from netopsbench.rca.standing import StandingNetwork
from netopsbench.records.answers import Budget
from netopsbench.replay.archive import Archive, RecordingError
from netopsbench.replay.devices import packed_book
from netopsbench.replay.task_bundle import RecordedTask, TaskTape, write_task
from netopsbench.vendors.names import Vendor
from netopsbench.vendors.recorded import FactBook, FactRecord

BUDGET = Budget(wall_time_s=60, tool_calls=60)
FACTS = {"protocols": 1, "vendors": 1, "device_types": 1, "is_heterogeneous": False, "golden_length": 1}


@pytest.fixture(scope="module")
def plan() -> FabricPlan:
    return plan_fabric(load_spec("xs"))


def tasks_of(plan: FabricPlan) -> list[RcaTask | PathTask]:
    """A port that is switched off, and a path; every switch is Cisco's."""
    vendors: dict[str, Vendor] = {node.name: "cisco" if node.is_switch else "linux" for node in plan.nodes}
    common = {"network": "xs", "seed": 1, "vendors": vendors, "source": "client1", "target": "client2"}
    look = Look(device="leaf1", need="interface_brief")
    metadata = Metadata.model_validate({"observability": "O1", **FACTS})
    cause = CauseRef(triple=Triple(node="leaf1", object="eth1", cause="shutdown"))
    paths = tuple(sorted(Design(plan).paths("client1", "client2"), key=str))
    return [
        RcaTask.model_validate({**common, "golden": (look,), "metadata": metadata, "causes": (cause,)}),
        PathTask.model_validate({**common, "golden": (look,), "metadata": metadata, "paths": paths}),
    ]


def ports_of(plan: FabricPlan) -> FactRecord:
    """What leaf1 told of its ports: the first is switched off."""
    node = next(each for each in plan.nodes if each.name == "leaf1")
    shown = [
        {
            "name": port.name,
            "is_admin_up": port.name != "eth1",
            "has_carrier": port.name != "eth1",
            "mtu_bytes": port.mtu,
            "mac": port.mac,
            "addresses": [str(port.address)],
        }
        for port in node.interfaces
    ]
    return FactRecord(device="leaf1", kind="Interfaces", asked="", told={"interfaces": shown})


def recorded(plan: FabricPlan, folder: Path) -> Path:
    """The folder of a run whose two tasks were recorded."""
    files = folder / "recording"
    files.mkdir(parents=True)
    tasks = tasks_of(plan)
    book = packed_book(FactBook(records=(ports_of(plan),)))
    for task in tasks:
        text = asked(task, plan, BUDGET).text
        tape = TaskTape(task_id=task.id, text=text, plan=plan.digest, rules=rules_of(task), left_out=0)
        write_task(files / f"{task.id}.zip", RecordedTask(tape=tape, plan=plan, book=book))
    assert keep_tasks(files, tasks, BUDGET, folder) == folder / RECORDING
    assert not files.exists()
    return folder / RECORDING


@pytest.fixture
def recording(plan: FabricPlan, tmp_path: Path) -> Path:
    return recorded(plan, tmp_path / "run")


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


def test_refused_commands_cost_a_call_and_are_no_evidence(recording: Path) -> None:
    replay = TaskReplay(recording)
    (trial,) = replay.trials(replay.tasks[1:], ["tracer"], BUDGET)
    refused = [call for call in trial.calls if call.is_error]
    assert {"No permission" in call.result for call in refused} == {True}
    assert trial.score is not None
    assert (trial.score.rounds, trial.score.evidence) == (len(trial.calls), 0.0)


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
    assert keep_tasks(tmp_path / "recording", tasks_of(plan), BUDGET, tmp_path) is None


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


def run(*words: str, command: tuple[str, ...] = ("rca", "run")) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*command, *words])
    return done.exit_code, done.output + done.stderr


def test_a_recording_is_replayed_from_the_command_line(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said = run("--replay", str(recording), "--agent", "sweeper", "--kind", "rca", "--out", str(out))
    assert code == 0, said
    assert '"recording"' in (out / "result.json").read_text()
    assert (out / "report.html").exists()


def test_benchmark_run_replays_tasks_too_and_names_what_means_nothing_for_them(recording: Path, tmp_path: Path) -> None:
    words = ("--replay", str(recording), "--agent", "nop", "--out", str(tmp_path / "out"))
    code, said = run(*words, "--budget", "calls=7", command=("benchmark", "run"))
    assert code == 0, said
    assert '"tool_calls": 7' in (tmp_path / "out" / "result.json").read_text()
    options = ("--timing=fast", "--repeat=2", "--workers=8", "--telemetry=influx://127.0.0.1/points")
    code, said = run(*words, *options, command=("benchmark", "run"))
    assert code == 2
    for option in options:
        assert f"{option.partition('=')[0]}: root-cause and path tasks are run as they are" in said


@pytest.mark.parametrize("command", [("rca", "run"), ("benchmark", "run")])
def test_a_replay_has_the_budget_of_the_recording_but_for_what_is_given(
    recording: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    words = ("--replay", str(recording), "--agent", "nop", "--out", str(tmp_path / "out"))
    given = ("--tool-calls", "7") if command[0] == "rca" else ("--budget", "calls=7")
    for more, calls in (((), BUDGET.tool_calls), (given, 7)):
        code, said = run(*words, *more, command=command)
        assert code == 0, said
        told = json.loads((tmp_path / "out" / "result.json").read_text())["report"]["budget"]
        assert (told["wall_time_s"], told["tool_calls"]) == (BUDGET.wall_time_s, calls)


@pytest.mark.parametrize("option", ["--tool-calls", "--wall-time-s"])
def test_a_limit_of_nothing_is_refused(recording: Path, option: str) -> None:
    code, said = run("--replay", str(recording), "--agent", "nop", option, "0")
    assert code == 2
    assert option in said


def test_the_variable_for_telemetry_keeps_nobody_from_a_replay(recording: Path, tmp_path: Path) -> None:
    words = ["benchmark", "run", "--replay", str(recording), "--agent", "nop", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words, env={"NETOPSBENCH_TELEMETRY": "influx://127.0.0.1/points"})
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [(("rca", "run"), "--only", "x1"), (("benchmark", "run"), "--case", "x1"), (("rca", "run"), "--network", "k8")],
)
def test_a_name_that_there_is_not_is_told_with_its_option_and_the_known_ones(
    recording: Path, plan: FabricPlan, command: tuple[str, ...], option: str, value: str
) -> None:
    code, said = run("--replay", str(recording), "--agent", "nop", option, value, command=command)
    assert code == 2
    known = "xs" if option == "--network" else ", ".join(task.id for task in tasks_of(plan))
    assert f"netopsbench: {option}: '{value}'; one of {known}" in " ".join(said.split())


def test_benchmark_run_keeps_a_replay_of_tasks_where_runs_are_kept(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = run("--replay", str(recording), "--agent", "nop", command=("benchmark", "run"))
    assert code == 0, said
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("tasks-replayed-")
    assert {path.name for path in folder.iterdir()} == {"result.json", "report.html"}


@pytest.fixture
def prepared(plan: FabricPlan, tmp_path: Path) -> Path:
    """A folder of tasks as `benchmark prepare` writes it."""
    for task in tasks_of(plan):
        write_atomic(tmp_path / "ctbench" / task.kind / f"{task.id}.yaml", task.model_dump_json())
    return tmp_path / "ctbench"


def test_benchmark_run_records_tasks_without_a_folder_being_named(
    prepared: Path, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[Path] = []

    def ran(tasks: list[RcaTask | PathTask], agents: list[str], budget: Budget, at: Path) -> list[TaskTrial]:
        files.append(at)
        replay = TaskReplay(recording)
        for task in tasks:
            write_task(at / f"{task.id}.zip", replay.bundle.task(task.id))
        return list(replay.trials(tasks, agents, budget))

    monkeypatch.setattr("netopsbench.cli.rca._live", ran)
    monkeypatch.chdir(tmp_path)
    code, said = run(str(prepared), "--agent", "nop", "--record", command=("benchmark", "run"))
    assert code == 0, said
    folder = tmp_path / files[0].parent
    assert folder.parent == tmp_path / "runs"
    assert folder.name.startswith("ctbench-")
    assert len(TaskReplay(folder / RECORDING).tasks) == 2


def test_a_limit_of_money_that_nobody_could_keep_is_told_before_a_network_is_built(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(*_: object) -> list[TaskTrial]:
        raise AssertionError("a network was asked for")

    monkeypatch.setattr("netopsbench.cli.rca._live", built)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    words = (str(prepared), "--agent", "claude:model=home-made", "--budget", "usd=2")
    code, said = run(*words, command=("benchmark", "run"))
    assert code == 2
    assert "its price is unknown" in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--replay"),
        (("tasks", "--replay", "x.zip"), "--replay"),
        (("--replay", "x.zip", "--record"), "recorded already"),
        (("tasks", "--record"), "--out"),
        (("--replay", "x.zip"), "No such file"),
    ],
)
def test_sources_that_do_not_go_together_are_told(words: tuple[str, ...], told: str) -> None:
    code, said = run("--agent", "nop", *words)
    assert code == 2
    assert told in said
