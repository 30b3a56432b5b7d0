import hashlib

import pytest
from fake_trials import campaign_file, ids, planned

from netopsbench.campaign import plan as plan_module
from netopsbench.campaign.plan import RunRequest, changes_since, plan_run
from netopsbench.core.errors import SpecError


def test_every_case_is_planned_for_every_agent_and_repeat_with_ids_of_their_own(tmp_path):
    plan = planned(tmp_path, "nop", "baseline", repeat=2)
    assert len(plan.info.planned) == 3 * 2 * 2
    assert len(set(ids(plan))) == 12
    assert {each.repeat for each in plan.info.planned[:6]} == {1}


def test_trial_ids_are_the_same_in_every_run(tmp_path):
    assert ids(planned(tmp_path, "nop")) == ids(planned(tmp_path, "nop"))


def test_trial_ids_differ_by_agent_settings(tmp_path, monkeypatch):
    before = ids(planned(tmp_path, "random"))
    monkeypatch.setattr("netopsbench.campaign.contestants._OPTIONS", {"random": {"seed": 2}})
    assert set(before).isdisjoint(ids(planned(tmp_path, "random")))


def test_turns_that_agents_are_not_told_of_make_other_trials_and_told_ones_leave_ids_as_they_were(tmp_path):
    cases = planned(tmp_path).cases
    told = cases.model_copy(update={"budget": cases.budget.model_copy(update={"turns": 9})})
    hidden = cases.model_copy(update={"budget": told.budget.model_copy(update={"tells_turns": False})})
    before = {key: value for key, value in told.budget.model_dump().items() if key != "tells_turns"}
    as_ever = "t" + plan_module.short_hash(["c1", "nop", {"options": {}, "budget": before}, 1])
    assert plan_module._trial_id("c1", "nop", told, 1) == as_ever
    assert plan_module._trial_id("c1", "nop", hidden, 1) != as_ever


def test_an_agent_named_twice_takes_part_once(tmp_path):
    assert len(planned(tmp_path, "nop", "nop").info.planned) == 3


def test_only_the_wanted_cases_are_planned(tmp_path):
    wanted = planned(tmp_path).cases.scenarios[1].id
    plan = planned(tmp_path, cases=(wanted,))
    assert [each.case_id for each in plan.info.planned] == [wanted]


def test_an_unknown_case_is_answered_with_the_known_ones(tmp_path):
    known = planned(tmp_path).cases.scenarios[0].id
    with pytest.raises(SpecError, match=known):
        planned(tmp_path, cases=("c0",))


def test_another_timing_makes_other_cases(tmp_path):
    fast, paper = planned(tmp_path), planned(tmp_path, timing="paper")
    assert {each.timeline.timing for each in paper.cases.scenarios} == {"paper"}
    assert set(ids(fast)).isdisjoint(ids(paper))


def test_a_public_seed_is_told_and_makes_a_practice_run(tmp_path):
    info = planned(tmp_path, seed=99).info
    assert (info.seed_kind, info.seed, info.seed_sha256) == ("practice", 99, "")


def test_a_secret_seed_is_fresh_and_only_its_hash_is_told(tmp_path):
    one, two = planned(tmp_path, seed="secret"), planned(tmp_path, seed="secret")
    assert one.seed != two.seed
    assert (one.info.seed_kind, one.info.seed) == ("headline", None)
    assert one.info.seed_sha256 == hashlib.sha256(str(one.seed).encode()).hexdigest()


def test_nothing_has_changed_right_after_planning(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "same")
    assert changes_since(planned(tmp_path, "nop", "random", seed="secret")) == ()


def test_changed_cases_code_and_agent_settings_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "old")
    plan = planned(tmp_path, "nop", "random")
    campaign_file(tmp_path, healthy=2)
    monkeypatch.setattr(plan_module, "_code_digest", lambda: "new")
    monkeypatch.setattr("netopsbench.campaign.contestants._OPTIONS", {"random": {"seed": 2}})
    agent, cases, code = changes_since(plan)
    assert agent.startswith("agent random was ")
    assert cases.startswith("cases was ")
    assert code == "code was old, now it is new"


def test_an_unknown_agent_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(SpecError, match="baseline"):
        plan_run(RunRequest(source=str(campaign_file(tmp_path)), agents=("nobody",)))
