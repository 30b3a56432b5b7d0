"""Figures beyond the score; every expected number is worked out by hand in the comments."""

import pytest
from scored_trials import faulty, run_of, says, says_healthy, trial
from ten_trials import TEN

from netopsbench.records.score import Score
from netopsbench.records.trial import Attempt
from netopsbench.records.usage import Usage
from netopsbench.scoring.calibration import calibration
from netopsbench.scoring.effort import Effort, pareto
from netopsbench.scoring.facts import facts_of
from netopsbench.scoring.grade import grade
from netopsbench.scoring.paired import cases_needed, compare_all, compare_scores
from netopsbench.scoring.repeats import pass_all
from netopsbench.scoring.runfolder import grade_all
from netopsbench.scoring.summary import SCORER_VERSION, summarise

CONFIDENCE = {"t01": 0.9, "t02": 0.8, "t03": 0.9, "t04": 0.7, "t05": 0.6, "t07": 0.95}
USUAL = Usage(input_tokens=100, cached_input_tokens=900, output_tokens=50, cost_usd=0.02)
DOUBLE = Usage(input_tokens=200, cached_input_tokens=1800, output_tokens=100, cost_usd=0.04)
INVALID = Attempt(
    started_ns=0,
    reason="telemetry_failed",
    was_question_asked=True,
    agent_time_s=3,
    infra_time_s=7,
    usage=Usage(input_tokens=500, output_tokens=0, cost_usd=0.005),
)
KILLED = Attempt(started_ns=0, reason="killed", was_question_asked=False, infra_time_s=5)


def told(each):
    """A trial of the ten with confidence, usage, exposure and earlier tries."""
    changes: dict[str, object] = {"exposure": "wide" if each.trial_id <= "t04" else None}
    if each.was_question_asked:
        changes["usage"] = DOUBLE if each.trial_id == "t06" else USUAL
    if each.trial_id in CONFIDENCE:
        changes["answer"] = each.answer.model_copy(update={"confidence": CONFIDENCE[each.trial_id]})
    changes["earlier"] = {"t01": (KILLED,), "t04": (INVALID,)}.get(each.trial_id, ())
    return each.model_copy(update=changes)


TOLD = tuple(map(told, TEN))


def summary_of(*trials):
    return summarise(run_of(*trials), [facts_of(each) for each in trials], grade_all(trials))


def score(case_id: str, strict: float, agent: str = "a") -> Score:
    made = grade(trial(f"t-{case_id}", case_id=case_id, agent=agent, answer=says_healthy()))
    return made.model_copy(update={"strict": strict})


def test_confidence_of_the_ten_against_what_was_right():
    (agent,) = summary_of(*TOLD).agents
    found = agent.calibration
    assert (found.answers, found.without_confidence) == (6, 2)  # t06 failed, t08 told none
    shown = [
        (each.low, each.answers, round(each.mean_confidence, 6), round(each.share_right, 6)) for each in found.bins
    ]
    # right are t01, t04 and t07; t01, t03 and t07 share a bin: (0.9 + 0.9 + 0.95) / 3
    assert shown == [(0.6, 1, 0.6, 0), (0.7, 1, 0.7, 1), (0.8, 1, 0.8, 0), (0.9, 3, 0.916667, 0.666667)]
    # (0.6 + 0.3 + 0.8 + 3 × 0.25) / 6
    assert found.expected_error == pytest.approx(0.408333, abs=1e-6)
    # (0.01 + 0.64 + 0.81 + 0.09 + 0.36 + 0.0025) / 6
    assert found.brier == pytest.approx(0.31875)


def test_no_confidence_is_no_calibration():
    assert calibration([(facts_of(TEN[0]), grade(TEN[0]))]) is None


def test_effort_of_the_ten_over_all_attempts():
    (agent,) = summary_of(*TOLD).agents
    effort = agent.effort
    assert effort.tokens == 1181.25  # (7 × 1050 + 2100) / 8
    assert effort.cost_usd == pytest.approx(0.0225)  # (7 × 0.02 + 0.04) / 8
    assert effort.total_tokens == 9950  # 9450 and the 500 of the earlier try
    assert effort.total_cost_usd == pytest.approx(0.185)
    assert effort.total_time_s == 2153  # 140 scored, 2 × 999 not scored, 10 and 5 earlier
    assert (effort.attempts, effort.invalid_attempts, effort.cut_short) == (12, 1, 1)
    assert (agent.counts.asked, agent.counts.late_invalid) == (9, 1)
    assert agent.counts.late_invalid_pct == pytest.approx(11.111111)


def test_one_trial_that_does_not_tell_its_tokens_makes_them_unknown():
    silent = TOLD[0].model_copy(update={"usage": None})
    (agent,) = summary_of(silent, *TOLD[1:]).agents
    assert (agent.effort.tokens, agent.effort.cost_usd) == (None, None)
    assert (agent.effort.total_tokens, agent.effort.total_cost_usd) == (None, None)


def test_a_true_zero_is_no_unknown():
    free = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)
    (agent,) = summary_of(TEN[0].model_copy(update={"usage": free})).agents
    assert (agent.effort.tokens, agent.effort.cost_usd, agent.effort.total_tokens) == (0, 0, 0)


def test_cases_that_did_not_show_where_they_should_are_named():
    predicted = [each.model_copy(update={"exposure": "bgp", "exposed_in": ("logs", "bgp")}) for each in TEN[:2]]
    (agent,) = summary_of(*predicted).agents
    assert not [flag for flag in agent.flags if "predicted" in flag]
    quiet = predicted[0].model_copy(update={"exposed_in": ("logs",)})
    (agent,) = summary_of(quiet, predicted[1]).agents
    assert f"the predicted telemetry did not show the fault: {quiet.case_id} (bgp)" in " ".join(agent.flags)


def test_scores_by_exposure_where_it_is_told():
    (agent,) = summary_of(*TOLD).agents
    (wide,) = agent.by_exposure
    assert (wide.name, wide.trials, wide.strict.value) == ("wide", 4, 0.625)  # 1 + 0.5 + 0 + 1


def test_cells_of_fault_and_scale_of_the_ten():
    (agent,) = summary_of(*TEN).agents
    cells = {(each.fault, each.scale): (round(each.strict, 6), each.cases) for each in agent.by_fault_and_scale}
    assert cells == {
        ("link_down", "xs"): (0.5, 3),
        ("healthy", "xs"): (0.5, 2),
        ("blackhole_route", "small"): (0.333333, 3),
    }


def test_chance_of_being_right_every_time():
    # one case 3 of 4 right, one 2 of 2
    scores = [*(score("c1", worth) for worth in (1, 1, 1, 0.5)), score("c2", 1), score("c2", 1)]
    found = {each.k: (each.estimate.value, each.estimate.cases) for each in pass_all(scores)}
    # k=1: (3/4 + 1) / 2; k=2: (3/6 + 1) / 2; k=3: 1/4; k=4: 0/1
    assert found == {1: (0.875, 2), 2: (0.75, 2), 3: (0.25, 1), 4: (0.0, 1)}
    assert pass_all([]) == ()


def test_paired_difference_on_the_cases_valid_for_both():
    of_a = [score("c1", 1), score("c2", 0.5), score("c3", 0), score("c4", 1)]
    of_b = [score("c1", 0), score("c2", 0.5), score("c3", 0), score("c5", 1), score("c6", 1)]
    found = compare_scores("a", of_a, "b", of_b)
    assert (found.cases, found.only_a, found.only_b) == (3, 1, 2)
    assert (found.mean_a, found.mean_b) == (0.5, pytest.approx(0.166667, abs=1e-6))
    assert found.difference == pytest.approx(0.333333, abs=1e-6)
    assert (found.better, found.equal, found.worse) == (1, 2, 0)
    # centre 1/5; spread (1 + 1)/5 − 0.04 = 0.36; half 1.959964 × √(0.36/5) = 0.525909
    assert (found.low, found.high) == pytest.approx((-0.325909, 0.725909), abs=1e-5)
    assert not found.is_clear
    # √((4/9 + 1/9 + 1/9) / 2); (2.801585 × 0.57735 / 0.05)² = 1046.5
    assert found.deviation == pytest.approx(0.57735, abs=1e-5)
    assert found.cases_needed == {5: 1047, 10: 262, 20: 66}


def test_repeats_of_a_case_are_one_difference():
    of_a = [score("c1", 1), score("c1", 0), score("c2", 1)]
    found = compare_scores("a", of_a, "b", [score("c1", 0.5), score("c2", 1)])
    assert (found.cases, found.difference, found.equal) == (2, 0, 2)


def test_equal_differences_still_leave_doubt():
    always = [score(f"c{n}", 1) for n in range(30)]
    found = compare_scores("a", always, "b", [each.model_copy(update={"strict": 0.0}) for each in always])
    assert found.difference == 1
    assert 0.8 < found.low < 1
    assert found.high == 1
    assert found.method == "adjusted"


def test_many_cases_get_the_bootstrap_and_a_clear_lead_is_called_clear():
    of_a = [score(f"c{n}", 1) for n in range(40)]
    of_b = [score(f"c{n}", float(n % 2)) for n in range(40)]
    found = compare_scores("a", of_a, "b", of_b)
    assert (found.method, found.difference) == ("bootstrap", 0.5)
    assert 0.3 < found.low < 0.5 < found.high < 0.7
    assert found.is_clear


def test_agents_without_a_common_case_are_not_compared():
    assert compare_scores("a", [score("c1", 1)], "b", [score("c2", 1)]) is None
    assert len(compare_all({"a": [score("c1", 1)], "b": [score("c1", 0)], "c": [score("c9", 0)]})) == 1


def test_half_the_difference_needs_four_times_the_cases():
    assert cases_needed(0.5, 0.1) == pytest.approx(4 * cases_needed(0.5, 0.2), abs=4)


def effort_of(time_s: float, calls: float, cost_usd: float | None) -> Effort:
    return Effort(
        time_s=time_s,
        tool_time_s=0,
        tool_calls=calls,
        tokens=None,
        cost_usd=cost_usd,
        total_time_s=0,
        total_tokens=None,
        total_cost_usd=None,
        attempts=1,
        invalid_attempts=0,
        cut_short=0,
    )


def test_an_agent_is_unbeaten_where_none_scores_as_much_for_less():
    points = pareto(
        [
            ("best", 0.9, effort_of(100, 40, 1.0)),
            ("quick", 0.6, effort_of(10, 50, 0.5)),
            ("worse", 0.5, effort_of(10, 60, None)),
        ]
    )
    assert {each.agent: each.best_by for each in points} == {
        "best": ("time_s", "tool_calls", "cost_usd"),
        "quick": ("time_s", "cost_usd"),
        "worse": (),
    }


def test_the_summary_names_its_scorer_and_the_seeds_hash():
    one = trial("t1", truth=faulty("link_down", "leaf1:eth1"), answer=says("link_down", "leaf1:eth1"))
    run = run_of(one, seed_kind="headline").model_copy(update={"seed_sha256": "ab", "seed": 12})
    summary = summarise(run, [facts_of(one)], grade_all([one]))
    assert (summary.scorer_version, summary.seed, summary.seed_sha256) == (SCORER_VERSION, 12, "ab")
