"""A run that records: which trials do, what is kept of them, and what the recording must not hold."""

import dataclasses
import errno
import json
import os
import re
from pathlib import Path

import pytest
from fake_trials import Heard, NoEngine, campaign_file, invalid, planned, trial_of

from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.recorded import RECORDING, SealedTruth, keep_recording, recorded_in, sealed_path
from netopsbench.campaign.replayed import Replay, ReplayRequest
from netopsbench.campaign.run import Terms, resume, run
from netopsbench.campaign.verbs import Silent
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.telemetry import Window
from netopsbench.replay.archive import Archive, RecordingError, write_archive
from netopsbench.replay.bundle import Bundle, CaseTape, RecordedCase, write_case
from netopsbench.replay.devices import packed_book
from netopsbench.replay.records import packed_records
from netopsbench.telemetry.store import MemoryStore
from netopsbench.vendors.lines import CommandLineRules
from netopsbench.vendors.recorded import FactBook

WINDOW = Window(since_ns=0, until_ns=1)


def silent_case(order) -> RecordedCase:
    """A case in which nothing was measured and nobody answered."""
    plan = plan_fabric(load_spec(order.scenario.fabric))
    tape = CaseTape(
        case_id=order.scenario.id,
        plan=plan.digest,
        baseline=WINDOW,
        current=WINDOW,
        versions={},
        left_out=0,
    )
    records = packed_records(MemoryStore(), WINDOW)
    return RecordedCase(tape=tape, plan=plan, records=records, commands=b"", replies=b"")


def recording(order, number):
    """A trial that records its case when it is told to."""
    if order.recording is not None:
        write_case(order.recording, silent_case(order))
    return trial_of(order, agent_stderr="a word of the agent")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def carried_out(folder, plan):
    return run(plan, NoEngine(), folder, Heard(), Terms(workers=2))


def test_only_the_first_trial_of_each_case_records(tmp_path, trials, folder):
    told = []

    def outcome(order, number):
        told.append((order.scenario.id, order.contestant, order.recording is not None))
        return recording(order, number)

    trials(outcome)
    carried_out(folder, planned(tmp_path, "nop", "baseline", repeat=2, record=True))
    recorders = [(case_id, agent) for case_id, agent, records in told if records]
    assert len(told) == 12
    assert sorted(recorders) == sorted({(case_id, "nop") for case_id, _, _ in told})


@pytest.mark.parametrize("what", ["about", "trial"])
def test_a_truth_of_a_later_version_is_refused_with_both_versions(tmp_path, trials, folder, what):
    trials(recording)
    carried_out(folder, planned(tmp_path, record=True))
    path = sealed_path(folder / RECORDING)
    sealed = Archive(path, "netopsbench sealed truth")
    about, parts = dict(sealed.about), {name: sealed.read(name) for name in sealed.names}
    case_id = next(iter(parts)).removesuffix(".json")
    if what == "about":
        about["info"] = {**about["info"], "schema_version": 99}
    else:
        parts[f"{case_id}.json"] = parts[f"{case_id}.json"].replace(b'"schema_version":1', b'"schema_version":99')
    write_archive(path, "netopsbench sealed truth", about, parts)
    with pytest.raises(RecordingError, match="schema_version is 99, and this netopsbench reads up to 1") as refused:
        SealedTruth(Bundle(folder / RECORDING)).trial(case_id)
    assert refused.value.damage == "wrong_version"


def test_nothing_is_recorded_when_nobody_wants_it(tmp_path, trials, folder):
    trials(recording)
    plan = planned(tmp_path)
    carried_out(folder, plan)
    assert recorded_in(plan, RunFolder(folder)) == {}
    assert not (folder / RECORDING).exists()


def test_recording_and_its_truth_lie_in_the_folder_of_the_run(tmp_path, trials, folder):
    trials(recording)
    plan = planned(tmp_path, record=True)
    carried_out(folder, plan)
    bundle = Bundle(folder / RECORDING)
    assert bundle.about.cases == tuple(scenario.id for scenario in plan.cases.scenarios)
    assert bundle.about.budget == plan.cases.budget
    truth = SealedTruth(bundle)
    for case_id in bundle.about.cases:
        assert truth.trial(case_id).truth == RunFolder(folder).trial(_trial_id(plan, case_id)).truth
    assert not (folder / "recording").exists()


def test_neither_file_holds_a_word_of_the_agent(tmp_path, trials, folder):
    trials(recording)
    carried_out(folder, planned(tmp_path, record=True))
    bundle = Bundle(folder / RECORDING)
    for case_id in bundle.about.cases:
        trial = SealedTruth(bundle).trial(case_id)
        assert (trial.agent, trial.answer, trial.calls, trial.agent_stderr) == ("", None, (), "")


def test_recording_holds_neither_the_seed_nor_a_fault(tmp_path, trials, folder):
    trials(recording)
    plan = planned(tmp_path, record=True)
    carried_out(folder, plan)
    archive = Bundle(folder / RECORDING).archive
    whole = str(archive.about) + "".join(archive.read(name).decode(errors="replace") for name in archive.names)
    assert "link_down" not in whole
    for seed in (plan.seed, *(scenario.seed for scenario in plan.cases.scenarios)):
        assert not re.search(rf'"seed":\s*{seed}\b', whole)
    assert "link_down" in folder.joinpath("trials", f"{_faulty(plan)}.json").read_text()


def test_replay_offers_command_lines_where_they_were_recorded_and_never_a_shell(tmp_path, trials, folder):
    def outcome(order, number):
        if order.recording is not None:
            case = silent_case(order)
            tape = case.tape.model_copy(update={"command_lines": CommandLineRules(vendors={"leaf1": "frr"})})
            write_case(order.recording, dataclasses.replace(case, tape=tape, book=packed_book(FactBook(records=()))))
        return trial_of(order)

    trials(outcome)
    path = campaign_file(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tools": {"command_lines": True, "shell": True}}))
    carried_out(folder, plan_run(RunRequest(source=str(path), agents=("nop",), record=True)))
    replay = Replay(ReplayRequest(recording=folder / RECORDING, agents=("nop",)))
    assert (replay.info.has_command_lines, replay.info.has_shell) == (True, False)
    replay.carry_out(tmp_path / "again", Silent())
    told = [path.read_text() for path in (tmp_path / "again" / "trajectories").glob("*.jsonl")]
    assert told
    assert all("execute" in each for each in told)


def test_case_that_could_not_be_scored_is_left_out(tmp_path, trials, folder):
    plan = planned(tmp_path, record=True)
    broken = plan.info.planned[0]

    def outcome(order, number):
        recorded = recording(order, number)
        return invalid(order) if order.trial_id == broken.trial_id else recorded

    trials(outcome)
    carried_out(folder, plan)
    cases = Bundle(folder / RECORDING).about.cases
    assert broken.case_id not in cases
    assert len(cases) == len(plan.info.planned) - 1


def test_run_without_a_scored_case_has_no_recording(tmp_path, trials, folder):
    trials(lambda order, number: invalid(order))
    plan = planned(tmp_path, record=True)
    carried_out(folder, plan)
    assert keep_recording(plan, RunFolder(folder)) is None
    assert not (folder / RECORDING).exists()
    assert not sealed_path(folder / RECORDING).exists()


def test_resumed_run_records_the_cases_that_were_left(tmp_path, trials, folder):
    plan = planned(tmp_path, record=True)

    def outcome(order, number):
        if order.trial_id == plan.info.planned[1].trial_id:
            raise KeyboardInterrupt
        return recording(order, number)

    trials(outcome)
    with pytest.raises(KeyboardInterrupt):
        run(plan, NoEngine(), folder, Heard(), Terms(workers=1))
    assert not (folder / RECORDING).exists()
    trials(recording)
    resume(folder, NoEngine(), Heard(), Terms(workers=1))
    assert len(Bundle(folder / RECORDING).about.cases) == len(plan.info.planned)


def test_replay_is_scored_like_the_run_and_knows_its_campaign(tmp_path, trials, folder):
    trials(recording)
    carried_out(folder, planned(tmp_path, record=True))
    request = ReplayRequest(recording=folder / RECORDING, agents=("always-healthy", "oracle"))
    info = Replay(request).carry_out(tmp_path / "again", Silent())
    assert info.campaign == "small"
    assert info.replayed is not None
    assert info.seed == 7
    place = RunFolder(tmp_path / "again")
    answers = {
        (each.agent, each.case_id): trial.answer.verdict
        for each in info.planned
        if (trial := place.trial(each.trial_id))
    }
    assert len(answers) == 6
    assert {verdict for (agent, _), verdict in answers.items() if agent == "always-healthy"} == {"network_healthy"}
    assert sorted(verdict for (agent, _), verdict in answers.items() if agent == "oracle") == [
        "fault_detected",
        "fault_detected",
        "network_healthy",
    ]


def test_replay_moves_nothing_between_file_systems(tmp_path, trials, folder, monkeypatch):
    trials(recording)
    carried_out(folder, planned(tmp_path, record=True))

    def replace(source, target):
        if source.parent != Path(target).parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        os.replace(source, target)  # noqa: PTH105 - this stands in for the other

    monkeypatch.setattr(Path, "replace", replace)
    info = Replay(ReplayRequest(recording=folder / RECORDING, agents=("nop",))).carry_out(tmp_path / "again", Silent())
    kept = {path.name for path in (tmp_path / "again" / "trajectories").iterdir()}
    assert kept == {f"{planned.trial_id}.1.jsonl" for planned in info.planned}


def _trial_id(plan, case_id):
    return next(each.trial_id for each in plan.info.planned if each.case_id == case_id)


def _faulty(plan):
    return _trial_id(plan, next(scenario.id for scenario in plan.cases.scenarios if scenario.faults))
