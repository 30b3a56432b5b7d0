"""In a real case, an agent that reads all it can reach meets nothing of the case, its truth or its run."""

import json
from pathlib import Path

import pytest
from case_runs import CLIENT_CABLE, NULL_ROUTE, campaign_of, run_all, whole_trials
from nosy import leaks_of, nosy_program

from netopsbench.agent.run import Examination, examine_program
from netopsbench.campaign.folder import RunFolder
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.records.answers import Question
from netopsbench.records.labels import LABELS
from netopsbench.records.trial import Trial

pytestmark = pytest.mark.live

FOLDER = "folder-7c31d5e0"
LABEL_NAMES = [label.name for label in LABELS]


@pytest.fixture(scope="module")
def trials(engine: NativeEngine, tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """A healthy and two faulty cases, examined by the nosy agent."""
    folder = tmp_path_factory.mktemp("cases") / FOLDER

    def examine(agent: str, question: Question, socket: Path, **_: object) -> Examination:
        info = RunFolder(folder / "run").plan().info
        secrets = [FOLDER, str(folder), info.run_id, info.campaign, "campaign.yaml"]
        secrets += [name for planned in info.planned for name in (planned.case_id, planned.trial_id)]
        program = nosy_program([*secrets, '"accepted"', "uplink-shut", "client-cable", "null-route"], LABEL_NAMES)
        return examine_program(program, question, socket)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("netopsbench.campaign.trial.examine", examine)
        run_all({**campaign_of(CLIENT_CABLE, NULL_ROUTE, healthy=1), "name": "campaign-2b9f"}, ["nop"], engine, folder)
    return whole_trials(folder)


def test_the_nosy_agent_meets_no_secret(trials: list[Trial]) -> None:
    assert len(trials) == 3
    for trial in trials:
        assert trial.end == "scored", trial.error
        assert trial.answer is not None, trial.error
        assert leaks_of(trial.answer.model_dump()) == []
        assert trial.answer.metadata["tools"] > 10


def test_no_tool_speaks_of_faults_by_their_labels(trials: list[Trial]) -> None:
    for trial in trials:
        assert trial.calls
        for call in trial.calls:
            assert not [name for name in LABEL_NAMES if name in call.result], call.tool


def test_healthy_and_faulty_cases_answer_the_same_calls_in_the_same_shape(trials: list[Trial]) -> None:
    def shape(trial: Trial) -> list[tuple[str, str, bool, list[str]]]:
        return [
            (call.tool, json.dumps(call.arguments, sort_keys=True), call.is_error, sorted(_keys(call.result)))
            for call in trial.calls
        ]

    first, *others = [shape(trial) for trial in trials]
    for other in others:
        assert other == first


def _keys(result: str) -> set[str]:
    """The top keys of a tool's answer; which entries its lists have depends on the network."""
    found = json.loads(result)
    return set(found) if isinstance(found, dict) else set()
