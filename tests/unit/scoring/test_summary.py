"""One agent, ten trials; every expected number is worked out by hand in the comments."""

import math
import random

import pytest
from scored_trials import (
    HEALTHY,
    at,
    broke,
    crashed,
    faulty,
    run_of,
    says,
    says_healthy,
    trial,
)
from ten_trials import TEN

from netopsbench.scoring import summary as scoring_summary
from netopsbench.scoring.facts import facts_of
from netopsbench.scoring.runfolder import grade_all
from netopsbench.scoring.summary import AgentSummary, Summary


def summarise(run, trials, scores) -> Summary:
    return scoring_summary.summarise(run, [facts_of(each) for each in trials], scores)


def of_ten() -> tuple[Summary, AgentSummary]:
    summary = summarise(run_of(*TEN), TEN, grade_all(TEN))
    (agent,) = summary.agents
    return summary, agent


def test_counts_of_the_ten():
    counts = of_ten()[1].counts
    assert (counts.planned, counts.valid, counts.scored, counts.asked) == (10, 8, 8, 8)
    assert (counts.agent_failed, counts.agent_failures) == (1, {"crashed": 1})
    assert (counts.invalid, counts.invalid_reasons) == (1, {"effect_not_seen": 1})
    assert (counts.invalid_before_question, counts.invalid_after_question) == (1, 0)
    assert (counts.infra_failed, counts.unsupported, counts.missing, counts.unreadable) == (0, 1, 0, 0)


def test_average_scores_of_the_ten():
    agent = of_ten()[1]
    assert agent.strict is not None
    assert agent.paper is not None
    # 1 + 0.5 + 0 + 1 + 0 + 0 + 1 + 0 = 3.5 of 8; paper 0.5 more
    assert agent.strict.value == 0.4375
    assert agent.paper.value == 0.5
    # z² = 3.84146; 1 + z²/8 = 1.48018; centre (0.4375 + 0.24009) / 1.48018 = 0.45778
    # half 1.95996 / 1.48018 × √(0.0307617 + 0.0150057) = 0.28328
    assert (agent.strict.low, agent.strict.high) == pytest.approx((0.1745, 0.7411), abs=1e-4)
    assert (agent.strict.method, agent.strict.cases) == ("wilson", 8)


def test_detection_of_the_ten():
    found = of_ten()[1].detection
    # hits t01–t04; misses t05 and t06; all-clear t07; wrong on healthy t08
    assert (found.hits, found.misses, found.all_clears, found.wrong_on_healthy) == (4, 2, 1, 1)
    assert found.false_alarms == 1
    assert found.accuracy is not None
    assert found.accuracy.value == 0.625  # 5 of 8
    assert found.precision == 0.8  # 4 of 5
    assert found.recall == pytest.approx(0.666667, abs=1e-6)  # 4 of 6
    assert found.f1 == pytest.approx(0.727273, abs=1e-6)  # 8 / (8 + 1 + 2)
    assert found.specificity == 0.5  # 1 of 2
    assert found.balanced_accuracy == pytest.approx(0.583333, abs=1e-6)  # (2/3 + 1/2) / 2
    # (4×1 − 1×2) / √(5 × 6 × 2 × 3) = 2 / 13.41641
    assert found.mcc == pytest.approx(0.149071, abs=1e-6)


def test_localization_of_the_ten():
    agent = of_ten()[1]
    assert agent.device_localization_rate is not None
    assert agent.interface_localization_rate is not None
    assert agent.localization_composite is not None
    assert agent.fault_type_rate is not None
    assert agent.device_localization_rate.value == 0.5  # t01, t02, t04 of 6
    assert agent.interface_localization_rate.value == pytest.approx(0.333333, abs=1e-6)  # t01 of 3
    assert agent.localization_composite.value == pytest.approx(0.416667, abs=1e-6)  # 2.5 of 6
    assert agent.fault_type_rate.value == 0.5  # t01, t02, t04 of 6


def test_cost_of_the_ten():
    agent = of_ten()[1]
    assert agent.effort.time_s == 17.5  # 10+20+30+12+8+40+5+15 = 140 of 8
    assert agent.effort.tool_calls == 5  # 4+6+8+2+2+10+3+5 = 40 of 8


def test_parts_of_the_ten():
    agent = of_ten()[1]
    scales = {part.name: part.strict.value for part in agent.by_scale}
    # xs: t01 t02 t03 t07 t08 = 2.5 of 5; small: t04 t05 t06 = 1 of 3
    assert scales == pytest.approx({"xs": 0.5, "small": 0.333333}, abs=1e-6)
    assert agent.macro_over_scales == pytest.approx(0.416667, abs=1e-6)  # (0.5 + 0.333333) / 2
    faults = {part.name: (part.trials, part.strict.value) for part in agent.by_fault}
    assert faults["link_down"] == (3, 0.5)  # 1 + 0.5 + 0
    assert faults["blackhole_route"] == (3, pytest.approx(0.333333, abs=1e-6))
    assert faults["healthy"] == (2, 0.5)
    difficulties = {part.name: part.strict.value for part in agent.by_difficulty}
    # easy: t01 t02 t07 t08 = 2.5 of 4; medium: t04; hard: t03 t05 t06
    assert difficulties == {"easy": 0.625, "medium": 1.0, "hard": 0.0}


def test_floor_of_the_ten():
    summary, agent = of_ten()
    # leaf2:eth1 is right in t03, and its device in t06: 2 of 8; healthy are 2 of 8
    assert (agent.floor.always_faulty, agent.floor.always_healthy, agent.floor.cases) == (0.25, 0.25, 8)
    assert agent.floor.answer is not None
    assert agent.floor.answer.findings[0].location == at("leaf2:eth1")
    assert summary.floor == agent.floor


def test_order_of_records_changes_nothing():
    expected = of_ten()[0]
    for seed in range(5):
        shuffled = list(TEN)
        random.Random(seed).shuffle(shuffled)
        assert summarise(run_of(*TEN), shuffled, reversed(grade_all(shuffled))) == expected


def test_constant_faulty_answer_has_high_f1_and_no_correlation():
    trials = [
        trial(
            f"t{index}",
            truth=HEALTHY if index == 0 else faulty("blackhole_route", f"leaf{index}"),
            answer=says("blackhole_route", "leaf1"),
        )
        for index in range(10)
    ]
    (agent,) = summarise(run_of(*trials), trials, grade_all(trials)).agents
    found = agent.detection
    assert found.f1 == pytest.approx(18 / 19)
    assert (found.specificity, found.balanced_accuracy, found.mcc) == (0, 0.5, 0)


def test_ratios_without_a_denominator_are_absent_and_never_zero_or_nan():
    trials = [trial("t1", truth=faulty("blackhole_route", "leaf1"), answer=says_healthy())]
    (agent,) = summarise(run_of(*trials), trials, grade_all(trials)).agents
    assert agent.detection.precision is None
    assert agent.detection.specificity is None
    assert agent.detection.mcc is None
    assert agent.interface_localization_rate is None


def test_agent_without_any_record_has_counts_and_no_figures():
    planned = trial("t1")
    (agent,) = summarise(run_of(planned), [], []).agents
    assert (agent.counts.missing, agent.strict, agent.effort.time_s) == (1, None, None)
    assert agent.floor.value == 0
    assert agent.flags == ("1 of 1 planned trials have no readable record",)


def test_no_verdict_on_a_healthy_network_is_wrong_but_no_false_alarm():
    silent = trial("t1", truth=HEALTHY, error=crashed())
    (agent,) = summarise(run_of(silent), [silent], grade_all([silent])).agents
    assert (agent.detection.wrong_on_healthy, agent.detection.false_alarms) == (1, 0)


def test_run_is_flagged_when_trials_turn_invalid_after_the_question():
    good = [trial(f"t{index}", answer=says_healthy()) for index in range(30)]
    late = trial("t99", end="invalid", error=broke("effect_gone_before_answer"), asked=True)
    (agent,) = summarise(run_of(*good, late), [*good, late], grade_all([*good, late])).agents
    assert agent.counts.invalid_after_question == 1
    assert agent.flags == ("1 of 31 tries became invalid after the question (3.2 %, limit 2 %)",)
    (calm,) = summarise(run_of(*good), good, grade_all(good)).agents
    assert calm.flags == ()


def test_broken_machinery_and_closed_gates_are_told_apart():
    reasons = ("deploy_failed", "interrupted", "effect_not_seen", "a reason of no list")
    trials = [
        trial(f"t{index}", end="invalid", error=broke(reason), asked=False) for index, reason in enumerate(reasons)
    ]
    (agent,) = summarise(run_of(*trials), trials, []).agents
    assert (agent.counts.invalid, agent.counts.infra_failed) == (4, 3)
    assert agent.counts.invalid_reasons["internal_error"] == 1


def test_trials_out_of_the_plan_count_nowhere():
    planned, stray = trial("t1", answer=says_healthy()), trial("t2")
    (agent,) = summarise(run_of(planned), [planned, stray], grade_all([planned, stray])).agents
    assert (agent.counts.planned, agent.counts.scored) == (1, 1)


def test_real_agents_come_first_and_best_first():
    trials = [
        trial("t1", agent="oracle", answer=says_healthy()),
        trial("t2", agent="weak", answer=says("link_down", "leaf1")),
        trial("t3", agent="strong", answer=says_healthy()),
    ]
    summary = summarise(run_of(*trials), trials, grade_all(trials))
    assert [agent.agent for agent in summary.agents] == ["strong", "weak", "oracle"]


@pytest.mark.parametrize(
    ("seed_kind", "scale", "is_headline"),
    [("headline", "large", True), ("headline", "xs", False), ("practice", "large", False)],
)
def test_headline_needs_a_secret_seed_and_more_than_the_smallest_scale(seed_kind, scale, is_headline):
    one = trial("t1", answer=says_healthy(), scale=scale)
    assert summarise(run_of(one, seed_kind=seed_kind), [one], grade_all([one])).is_headline == is_headline


def test_summary_survives_json_without_nan():
    summary = of_ten()[0]
    text = summary.model_dump_json()
    assert "NaN" not in text
    assert Summary.model_validate_json(text) == summary
    assert summary.agents[0].strict is not None
    assert math.isfinite(summary.agents[0].strict.low)
