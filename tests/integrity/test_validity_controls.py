"""Controls score what they must on every campaign of the package, from its cases to its summary, without a fabric."""

import pytest

from netopsbench.agent.catalog import make_agent
from netopsbench.campaign.cases import Cases, load_cases, plans_of
from netopsbench.campaign.contestants import entry_for
from netopsbench.core.files import known_data
from netopsbench.records.answers import Answer
from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.records.trial import Trial
from netopsbench.records.truth import Truth
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.question import question_for
from netopsbench.scenario.truth import truth_of
from netopsbench.scoring.facts import facts_of
from netopsbench.scoring.floor import floor
from netopsbench.scoring.grade import grade
from netopsbench.scoring.summary import AgentSummary, summarise

CONTROLS = ("oracle", "nop", "always-healthy", "always-faulty")
SCALES = [(name, scale) for name in known_data("campaigns") for scale in load_campaign(name).scales]


class NoTools:
    """Controls that know or don't look need none."""

    def list_tools(self) -> list[dict[str, object]]:
        raise AssertionError("a control looked at the tools")

    def call(self, name: str, /, **arguments: object) -> dict[str, object]:
        raise AssertionError(f"a control called {name}")


def answers(agent: str, truths: list[Truth], cases: Cases) -> list[Answer]:
    """A control's answer to every case; only the oracle is told which case it is."""
    question = question_for(cases.budget, cases.most_faults)
    entries = [entry_for(agent, truth, truths) for truth in (truths if agent == "oracle" else truths[:1])]
    given = [make_agent(entry.agent, entry.options).answer(question, NoTools()) for entry in entries]
    return given if agent == "oracle" else given * len(truths)


def results(name: str, scale: str) -> tuple[dict[str, AgentSummary], list[Truth]]:
    """Every control on every case of a scale, as a run would record and sum it up."""
    cases = load_cases(name)
    plans = plans_of(cases)
    chosen = [case for case in cases.scenarios if case.scale == scale]
    truths = [truth_of(case.faults, plans[case.fabric]) for case in chosen]
    trials = [
        Trial(
            trial_id=f"{agent}-{case.id}",
            case_id=case.id,
            agent=agent,
            fabric=case.fabric,
            scale=scale,
            difficulty=case.difficulty,
            seed=case.seed,
            started_ns=0,
            end="scored",
            was_question_asked=True,
            truth=truth,
            answer=answer,
        )
        for agent in CONTROLS
        for case, truth, answer in zip(chosen, truths, answers(agent, truths, cases), strict=True)
    ]
    info = RunInfo(
        run_id="r",
        campaign=name,
        fabrics=(scale,),
        agents=CONTROLS,
        seed_kind="practice",
        started_ns=0,
        planned=tuple(PlannedTrial(trial_id=each.trial_id, case_id=each.case_id, agent=each.agent) for each in trials),
    )
    summary = summarise(info, [facts_of(trial) for trial in trials], [grade(trial) for trial in trials])
    return {agent.agent: agent for agent in summary.agents}, truths


@pytest.mark.parametrize(("name", "scale"), SCALES)
def test_controls_score_what_they_must(name: str, scale: str) -> None:
    found, truths = results(name, scale)
    scores = {agent: summary.strict.value for agent, summary in found.items() if summary.strict}
    assert scores["oracle"] == 1.0
    assert scores["nop"] == 0.0
    expected = floor(truths)
    assert scores["always-faulty"] == pytest.approx(expected.always_faulty, abs=1e-12)
    assert scores["always-healthy"] == pytest.approx(expected.always_healthy, abs=1e-12)
    assert max(scores["always-faulty"], scores["always-healthy"]) == pytest.approx(expected.value, abs=1e-12)
    assert expected.value < 0.5


def test_the_floor_sinks_as_the_published_fabrics_grow() -> None:
    value = {scale: floor(results("netopsbench", scale)[1]).value for scale in ("xs", "small", "medium", "large")}
    assert value["xs"] > value["small"] > value["medium"] > value["large"]
    assert value["large"] < 0.1
