"""The recording that comes along: replayed from the command line, on any system, with the scores of its run."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.agent.programs.sandbox import ensure_usable
from netopsbench.campaign.cases import load_cases
from netopsbench.campaign.recorded import SealedTruth, sealed_path
from netopsbench.campaign.replayed import Replay, ReplayRequest, replay
from netopsbench.campaign.verbs import Silent
from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError, UnsupportedError
from netopsbench.core.files import data_root, find_data
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.labels import LABELS
from netopsbench.replay.archive import RecordingError
from netopsbench.replay.bundle import Bundle
from netopsbench.scenario.truth import truth_of
from netopsbench.scoring.run import score_run

ELSEWHERE = Path(__file__).with_name("elsewhere.py")
MOST_BYTES = 1_000_000
PROGRAM = """
import json, os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["NETOPSBENCH_TOOLS"])
line.sendall(json.dumps({"id": 1, "tool": "get_topology", "arguments": {}}).encode() + b"\\n")
nodes = json.loads(line.makefile().readline())["result"]["nodes"]
print(json.dumps({"verdict": "network_healthy", "reasoning": f"{len(nodes)} devices"}))
"""


@pytest.fixture(scope="module")
def shipped() -> Path:
    return find_data("recordings", "smoke", ".zip")


@pytest.fixture(scope="module")
def run_folder(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay with the reference agent and two controls."""
    folder = tmp_path_factory.mktemp("replayed") / "run"
    replay(ReplayRequest(recording=shipped, agents=("baseline", "oracle", "nop")), folder, Silent())
    return folder


@pytest.fixture
def copied(shipped: Path, tmp_path: Path) -> Path:
    """The recording with its truth at a place where one may change it."""
    for path in (shipped, sealed_path(shipped)):
        shutil.copy(path, tmp_path)
    return tmp_path / shipped.name


def told(*words: str) -> tuple[int, str]:
    """Exit code and all that a command said, on one line."""
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, " ".join(done.output.split())


def test_every_fault_of_the_smoke_campaign_is_in_it_and_it_is_small(shipped):
    bundle = Bundle(shipped)
    truth = SealedTruth(bundle)
    recorded = [truth.trial(case_id).truth.faults for case_id in bundle.about.cases]
    plans = {"xs": plan_fabric(load_spec("xs"))}
    meant = [truth_of(each.faults, plans[each.fabric]).faults for each in load_cases("smoke").scenarios]
    assert sorted(kinds(recorded)) == sorted(kinds(meant))
    assert shipped.stat().st_size + sealed_path(shipped).stat().st_size < MOST_BYTES


def kinds(cases):
    return [[fault.fault_type for fault in faults] for faults in cases]


def test_reference_agent_and_oracle_explain_every_recorded_case(run_folder, shipped):
    agents = {agent.agent: agent for agent in score_run(run_folder).summary.agents}
    cases = len(Bundle(shipped).about.cases)
    assert {name: agent.counts.scored for name, agent in agents.items()} == dict.fromkeys(agents, cases)
    assert agents["oracle"].strict.value == 1
    assert agents["baseline"].strict.value == 1
    assert agents["nop"].strict.value == 0


def test_report_says_that_it_was_replayed_and_from_what(run_folder, shipped):
    summary = score_run(run_folder).summary
    assert summary.replayed.sha256 == Bundle(shipped).sha256
    code, words = told("benchmark", "score", str(run_folder))
    assert code == 0
    assert f"Replayed: every answer came from the recording smoke.zip (SHA-256 {summary.replayed.sha256[:12]})" in words


def test_nothing_in_the_recording_says_what_was_wrong_or_where_it_was_made(shipped):
    bundle = Bundle(shipped)
    truth = SealedTruth(bundle)
    archive = bundle.archive
    for name in archive.names:
        content = archive.read(name).decode(errors="replace")
        found = [label.name for label in LABELS if re.search(rf"\b{label.name}\b", content)]
        assert not found, name
        assert not re.search(r'"(scenario|truth|fault_type|difficulty|seed_sha256)"', content), name
        assert not re.search(r"/(home|root|work|tmp|Users)/\w", content), name
    assert {truth.trial(case_id).case_id for case_id in bundle.about.cases} == set(bundle.about.cases)


def test_replay_again_has_the_same_trials(shipped):
    first, second = (Replay(ReplayRequest(recording=shipped, agents=("nop",), repeat=2)).info for _ in range(2))
    assert first.planned == second.planned
    assert first.run_id != second.run_id
    assert len({planned.trial_id for planned in first.planned}) == 2 * len(Bundle(shipped).about.cases)


def test_quickstart_replays_where_nothing_of_linux_is_left(tmp_path):
    words = ["quickstart", "--replay", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, str(ELSEWHERE), *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "Replayed: every answer came from the recording" in " ".join(done.stdout.split())
    assert json.loads((tmp_path / "run" / "report.json").read_text())["agents"][0]["strict"]["value"] == 1
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.fixture
def shut_in() -> None:
    """Skips with the reason where programs can't be shut in."""
    try:
        ensure_usable()
    except UnsupportedError as reason:
        pytest.skip(str(reason))


def test_programs_are_shut_in_and_find_the_recorded_tools(shipped, tmp_path, shut_in):
    case_id = Bundle(shipped).about.cases[0]
    (tmp_path / "agent.py").write_text(PROGRAM)
    agent = f"command:python3 {tmp_path / 'agent.py'}"
    info = replay(ReplayRequest(recording=shipped, agents=(agent,), cases=(case_id,)), tmp_path / "run", Silent())
    trial = json.loads((tmp_path / "run" / "trials" / f"{info.planned[0].trial_id}.json").read_text())
    assert trial["error"] is None, trial["agent_stderr"]
    assert trial["agent_access"] == "closed"
    assert trial["answer"]["reasoning"] == "6 devices"
    assert [call["tool"] for call in trial["calls"]] == ["get_topology"]


def test_only_the_named_cases_are_replayed(shipped, tmp_path):
    case_id = Bundle(shipped).about.cases[2]
    request = ReplayRequest(recording=shipped, agents=("nop",), cases=(case_id,))
    info = replay(request, tmp_path / "run", Silent())
    assert [planned.case_id for planned in info.planned] == [case_id]


def test_unknown_case_names_the_known_ones(shipped):
    with pytest.raises(SpecError, match=r"cNONE.*cases of .*smoke\.zip: c"):
        Replay(ReplayRequest(recording=shipped, agents=("nop",), cases=("cNONE",)))


def test_folder_of_a_run_is_not_used_twice(run_folder, shipped):
    with pytest.raises(SpecError, match="holds a run already"):
        replay(ReplayRequest(recording=shipped, agents=("nop",)), run_folder, Silent())


def test_recording_that_is_cut_short_ends_with_2_and_says_so(copied):
    copied.write_bytes(copied.read_bytes()[:-1000])
    code, words = told("benchmark", "run", "--replay", str(copied), "--agent", "nop")
    assert code == 2
    assert "damaged" in words


def test_truth_of_another_recording_is_refused(copied):
    copied.write_bytes(copied.read_bytes() + b"\0")
    with pytest.raises(RecordingError, match="another recording") as caught:
        Replay(ReplayRequest(recording=copied, agents=("nop",)))
    assert caught.value.damage == "not_alike"


def test_recording_without_its_truth_cannot_be_scored(copied):
    sealed_path(copied).unlink()
    with pytest.raises(RecordingError, match=r"smoke\.sealed") as caught:
        Replay(ReplayRequest(recording=copied, agents=("nop",)))
    assert caught.value.damage == "not_readable"


@pytest.mark.parametrize(
    "more",
    [
        ["smoke"],
        ["--seed", "3"],
        ["--timing", "fast"],
        ["--dry-run"],
        ["--record"],
        ["--workers", "8"],
        ["--telemetry", "influx://127.0.0.1/points"],
    ],
)
def test_options_that_mean_nothing_for_a_recording_are_refused(more):
    code, words = told("benchmark", "run", "--replay", "smoke", "--agent", "nop", *more)
    assert code == 2
    assert "a recording has its cases already" in words


def test_neither_campaign_nor_recording_is_a_mistake():
    code, words = told("benchmark", "run", "--agent", "nop")
    assert code == 2
    assert "--replay" in words


def test_recordings_are_found_by_name():
    assert data_root("recordings").is_dir()
    code, words = told("benchmark", "run", "--replay", "nowhere", "--agent", "nop")
    assert code == 2
    assert "known names: smoke" in words
