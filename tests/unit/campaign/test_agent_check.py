"""`agents check` passes what was seen, and says what wasn't."""

import pytest
from typer.testing import CliRunner

from netopsbench.agent.spec import Choice
from netopsbench.campaign.agent_check import Check, check_on_recording, checks_of
from netopsbench.campaign.recorded import SealedTruth
from netopsbench.campaign.replayed_agent import examined_here
from netopsbench.cli.main import app
from netopsbench.cli.replay import find_recording, recorded_case
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Question
from netopsbench.replay.bundle import Bundle, RecordedCase
from netopsbench.replay.playing import played


@pytest.fixture(scope="module")
def case() -> RecordedCase:
    found = recorded_case("smoke", None, or_first=True)
    assert found is not None
    return found


class _Curious:
    """Calls some tools before it answers, whatever they say."""

    def __init__(self, calls: int, is_patient: bool) -> None:
        self._calls = calls
        self._is_patient = is_patient

    def answer(self, question: Question, tools) -> Answer:
        for _ in range(min(self._calls, question.budget.tool_calls)):
            try:
                tools.call("get_topology")
            except ToolError:
                if not self._is_patient:
                    raise
        return Answer(verdict="network_healthy")


def _passed(case: RecordedCase, agent, wall_time_s: float = 60.0) -> dict[str, bool | None]:
    found: list[Check] = []
    found.extend(
        checks_of(lambda question, desk: examined_here(agent, question, desk), lambda: played(case), wall_time_s)
    )
    return {each.name: each.is_passed for each in found}


def test_an_agent_that_calls_no_tool_was_not_tried_with_tools(case: RecordedCase) -> None:
    silent = {
        each.name: each.is_passed for each in check_on_recording(Choice(agent="always-healthy", options={}), case)
    }
    assert silent == {
        "answers in shape": True,
        "keeps to a small budget of calls": None,
        "survives tools that fail": None,
        "ends within the time it is told": True,
    }


def test_an_agent_that_survives_errors_of_tools_passes_and_one_that_does_not_fails(case: RecordedCase) -> None:
    assert set(_passed(case, _Curious(5, is_patient=True)).values()) == {True}
    assert _passed(case, _Curious(5, is_patient=False))["survives tools that fail"] is False


def test_an_answer_after_the_time_is_late_wherever_the_agent_runs(case: RecordedCase) -> None:
    found = _passed(case, _Curious(5, is_patient=True), wall_time_s=1e-6)
    assert found["ends within the time it is told"] is False


def test_the_case_and_its_right_answer_are_told_at_the_end() -> None:
    bundle = Bundle(find_recording("smoke"))
    truth = SealedTruth(bundle)
    cases = {truth.trial(case_id).truth.is_faulty: case_id for case_id in bundle.about.cases}
    for is_faulty, case_id in cases.items():
        words = ["agents", "check", "always-healthy", "--replay", "smoke", "--case", case_id]
        last = CliRunner().invoke(app, words).stderr.splitlines()[-1]
        assert last.startswith(f"The case: {case_id} of smoke, {'broken' if is_faulty else 'healthy'}; right was ")
        faults = truth.trial(case_id).truth.faults
        assert all(fault.fault_type in last and str(fault.accepted[0]) in last for fault in faults)
        assert ("network_healthy" in last) == (not is_faulty)
