"""Whatever an agent does in a real case, the case is scored 0 for it and nothing else is lost."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from case_runs import NULL_ROUTE, campaign_of, run_all, whole_trials

from netopsbench.agent.run import examine_program
from netopsbench.fabric.engine import NodeFiles, ProgressCallback
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Question

pytestmark = pytest.mark.live

Play = Callable[..., Any]
"""Runs a case with a program as the agent: `(trial, score)`."""

NO_SUCH_DEVICE = {
    "verdict": "fault_detected",
    "findings": [{"fault_type": "blackhole_route", "location": {"device": "leaf99"}}],
}
MANY_CALLS = """
from netopsbench.tools.client import ToolClient
tools = ToolClient()
for _ in range(100):
    try: tools.call("get_topology")
    except Exception: pass
"""


class Kept(NativeFabric):
    """A fabric that outlives its cases."""

    def destroy(self) -> None:
        """Nothing: whoever deployed it ends it."""


class OneFabric:
    """An engine that always gives the same fabric, which every case has to leave as it was."""

    def __init__(self, engine: NativeEngine) -> None:
        self._engine = engine
        self._fabric: NativeFabric | None = None

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> NativeFabric:
        if self._fabric is None:
            self._fabric = self._engine.deploy(plan, files, progress)
        return Kept(self._fabric.handle)

    def end(self) -> None:
        if self._fabric is not None:
            self._fabric.destroy()


@pytest.fixture(scope="module")
def one_fabric(engine: NativeEngine) -> Iterator[OneFabric]:
    held = OneFabric(engine)
    yield held
    held.end()


@pytest.fixture
def play(one_fabric: OneFabric, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    def played(code: str, wall_time_s: float = 60) -> Any:
        def examine(agent: str, question: Question, socket: Path, **_: object) -> Any:
            return examine_program([sys.executable, "-c", code], question, socket)

        monkeypatch.setattr("netopsbench.campaign.trial.examine", examine)
        keys = campaign_of(NULL_ROUTE, wall_time_s=wall_time_s)
        scored = run_all(keys, ["nop"], one_fabric, tmp_path / "case")
        [trial], [score] = whole_trials(tmp_path / "case"), scored.scores
        return trial, score

    return played


@pytest.mark.parametrize(
    ("code", "wall_time_s", "reason"),
    [
        ("import time; time.sleep(600)", 2, "wall_time_exceeded"),
        ("raise RuntimeError('out of ideas')", 60, "crashed"),
        ("print('It is the cable.')", 60, "malformed_answer"),
        ("pass", 60, "no_answer"),
        (MANY_CALLS, 60, "tool_calls_exceeded"),
    ],
    ids=["hangs", "crashes", "prints garbage", "says nothing", "calls too much"],
)
def test_an_agent_that_fails_scores_nothing_and_the_case_stays_valid(
    code: str, wall_time_s: float, reason: str, play: Play
) -> None:
    trial, score = play(code, wall_time_s)
    assert (trial.end, trial.error.side, trial.error.reason) == ("scored", "agent", reason)
    assert score.strict == 0
    assert trial.was_question_asked
    assert trial.receipts[-1].step == "restored"


def test_a_device_that_does_not_exist_is_a_wrong_answer(play: Play) -> None:
    trial, score = play(f"print({json.dumps(json.dumps(NO_SUCH_DEVICE))})")
    assert (trial.end, trial.error) == ("scored", None)
    assert (score.strict, score.paper) == (0, 0)
    assert str(trial.answer.findings[0].location) == "leaf99"


def test_the_last_words_of_a_crash_are_in_the_record(play: Play) -> None:
    trial, _ = play("raise RuntimeError('out of ideas')")
    assert "out of ideas" in trial.error.message
    assert "out of ideas" in trial.agent_stderr
