"""Controls answer without looking, and the catalogue makes agents by name."""

from pathlib import Path

import pytest
from simulated import Desked, SimulatedFabric, clos

from netopsbench.agent.catalog import AGENT_NAMES, make_agent
from netopsbench.core.errors import SpecError
from netopsbench.records.answers import Answer, Budget, Finding, Location, Question
from netopsbench.records.labels import LABELS

QUESTION = Question(text="?", labels=LABELS, budget=Budget(wall_time_s=9, tool_calls=9), answer_schema={})


@pytest.fixture
def tools(tmp_path: Path) -> Desked:
    return Desked(SimulatedFabric(clos(2, 2, 1)), tmp_path / "calls")


def test_nop_gives_no_verdict_and_calls_nothing(tools: Desked) -> None:
    answer = make_agent("nop").answer(QUESTION, tools)
    assert (answer.verdict, answer.findings) == ("inconclusive", ())
    assert tools.desk.status()["calls"] == 0


def test_always_healthy_is_always_healthy(tools: Desked) -> None:
    assert make_agent("always-healthy").answer(QUESTION, tools).verdict == "network_healthy"


def test_constant_gives_the_answer_it_was_given(tools: Desked) -> None:
    finding = Finding(fault_type="link_down", location=Location(device="leaf1", interface="eth2"))
    fixed = Answer(verdict="fault_detected", findings=(finding,))
    assert make_agent("constant", {"answer": fixed.model_dump(mode="json")}).answer(QUESTION, tools) == fixed


def test_random_repeats_itself_and_differs_between_seeds(tools: Desked) -> None:
    answers = [make_agent("random", {"seed": seed}).answer(QUESTION, tools) for seed in range(12)]
    again = [make_agent("random", {"seed": seed}).answer(QUESTION, tools) for seed in range(12)]
    assert answers == again
    assert {answer.verdict for answer in answers} == {"fault_detected", "network_healthy"}
    places = {str(answer.findings[0].location) for answer in answers if answer.findings}
    assert len(places) > 1
    assert not any(place.startswith("client") for place in places)


def test_an_unknown_agent_is_refused_with_the_known_names() -> None:
    with pytest.raises(SpecError) as refused:
        make_agent("clairvoyant")
    assert "'clairvoyant'" in str(refused.value)
    assert all(name in str(refused.value) for name in AGENT_NAMES)


def test_every_wrong_option_is_named() -> None:
    with pytest.raises(SpecError) as refused:
        make_agent("random", {"seed": "soon", "colour": "red"})
    assert len(refused.value.problems) == 2
    assert "seed" in str(refused.value)
    assert "colour" in str(refused.value)
