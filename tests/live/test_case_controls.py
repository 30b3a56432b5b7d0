"""The controls score what they must, through the whole path from campaign to summary."""

import pytest
from case_runs import CLIENT_CABLE, NULL_ROUTE, campaign_of, run_all

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.scenario.load import load_campaign
from netopsbench.scoring.floor import floor
from netopsbench.scoring.run import ScoredRun

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]

CONTESTANTS = ("oracle", "nop", "always-faulty", "baseline")


def small() -> dict[str, object]:
    return campaign_of(CLIENT_CABLE, NULL_ROUTE, healthy=1)


def shipped() -> dict[str, object]:
    return load_campaign("quickstart").model_dump(mode="json")


@pytest.fixture(scope="module", params=[small, pytest.param(shipped, marks=pytest.mark.slow)])
def scored(request: pytest.FixtureRequest, engine: NativeEngine, tmp_path_factory: pytest.TempPathFactory) -> ScoredRun:
    return run_all(request.param(), CONTESTANTS, engine, tmp_path_factory.mktemp("run") / "out")


def strict(scored: ScoredRun, agent: str) -> list[float]:
    trials = {trial.trial_id for trial in scored.records.trials if trial.agent == agent}
    return [score.strict for score in scored.scores if score.trial_id in trials]


def test_every_trial_was_scored(scored: ScoredRun) -> None:
    ended = [(trial.agent, trial.end, trial.error) for trial in scored.records.trials]
    assert ended == [(agent, "scored", None) for agent, _, _ in ended]
    assert len(ended) == len(scored.records.info.planned)
    assert scored.records.problems == ()


def test_the_oracle_is_always_right(scored: ScoredRun) -> None:
    assert set(strict(scored, "oracle")) == {1.0}


def test_an_agent_that_says_nothing_scores_nothing(scored: ScoredRun) -> None:
    assert set(strict(scored, "nop")) == {0.0}


def test_the_best_constant_claim_of_a_fault_scores_exactly_the_computed_floor(scored: ScoredRun) -> None:
    truths = [trial.truth for trial in scored.records.trials if trial.agent == "always-faulty"]
    got = strict(scored, "always-faulty")
    assert sum(got) / len(got) == pytest.approx(floor(truths).always_faulty)
    assert 0 < sum(got) < len(got)


def test_the_baseline_solves_what_it_is_said_to_solve(scored: ScoredRun) -> None:
    got = strict(scored, "baseline")
    assert sum(got) / len(got) >= 0.95


def test_the_oracle_gets_its_answers_without_a_single_call(scored: ScoredRun) -> None:
    calls = {trial.agent: trial.tool_calls for trial in scored.records.trials}
    assert calls["oracle"] == 0
    assert calls["baseline"] > 0
