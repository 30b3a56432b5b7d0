"""The judge of fault types changes no score, fails closed, and is told on when it contradicts itself."""

import json
from pathlib import Path

import pytest
from fake_provider import Turn, provider
from scored_trials import faulty, says, says_healthy, trial

from netopsbench.core.errors import SpecError
from netopsbench.records.prices import price_list
from netopsbench.records.usage import Usage
from netopsbench.scoring.grade import grade
from netopsbench.scoring.judge import JudgeSettings, judge, read_judge, save_judge, settings_from
from netopsbench.scoring.judge_client import JudgeError, asking

SETTINGS = JudgeSettings(url="http://127.0.0.1:9/v1", model="m", times=3)
TRUTH = faulty("link_down", "leaf1:eth1")
ENV = {"NETOPSBENCH_FAULT_TYPE_JUDGE_URL": "http://h/v1", "NETOPSBENCH_FAULT_TYPE_JUDGE_MODEL": "m"}
ON = {"NETOPSBENCH_FAULT_TYPE_JUDGE_ENABLED": "1"}


def saying(*words, cost=0.5):
    """A judge that says one thing after the other."""
    left = list(words)

    def ask(_):
        said = left.pop(0)
        if isinstance(said, Exception):
            raise said
        return said, Usage(input_tokens=10, output_tokens=1, cost_usd=cost)

    return ask


def judged(answer, ask, known=()):
    given = trial(truth=TRUTH, answer=answer)
    score = grade(given)
    return judge({given.trial_id: given}, {given.trial_id: score}, SETTINGS, ask, known)


def test_other_words_are_confirmed_by_most_opinions():
    report = judged(says("cable pulled", "leaf1:eth1"), saying('{"same": true}', '{"same": true}', '{"same": true}'))
    assert [each.is_same for each in report.judgements] == [True]
    assert (report.disputed, report.cost_usd, report.tokens) == ((), 1.5, 33)


def test_different_opinions_on_one_answer_are_flagged():
    report = judged(says("port trouble", "leaf1:eth1"), saying('{"same": true}', '{"same": false}', '{"same": true}'))
    assert report.judgements[0].is_same
    assert report.disputed == (report.judgements[0].trial_id,)


@pytest.mark.parametrize(
    "said", ["yes", "true", "[]", '{"same": "true"}', '{"same": 1}', "", JudgeError("out of reach")]
)
def test_whatever_is_not_a_plain_yes_is_no(said):
    report = judged(says("cable pulled", "leaf1:eth1"), saying(said, said, said))
    assert not report.judgements[0].is_same
    assert all(each.why for each in report.judgements[0].opinions)


def test_an_unknown_cost_is_unknown():
    yes = '{"same": true}'
    assert judged(says("cable pulled", "leaf1:eth1"), saying(yes, yes, yes, cost=None)).cost_usd is None


@pytest.mark.parametrize("answer", [says("link_down", "leaf1:eth1"), says_healthy(), None])
def test_only_other_words_for_a_found_fault_are_judged(answer):
    assert judged(answer, saying()).judgements == ()


def test_a_judge_that_is_out_of_reach_confirms_nothing():
    report = judged(says("cable pulled", "leaf1:eth1"), asking(SETTINGS))
    assert "no connection" in report.judgements[0].opinions[0].why
    assert not report.judgements[0].is_same


def test_what_was_judged_is_kept_and_not_judged_again(tmp_path: Path):
    yes = '{"same": true}'
    first = judged(says("cable pulled", "leaf1:eth1"), saying(yes, yes, yes))
    save_judge(first, tmp_path)
    kept = read_judge(tmp_path)
    assert kept == first
    assert judged(says("cable pulled", "leaf1:eth1"), saying(), kept.judgements) == first


def test_an_outage_is_no_verdict_and_is_judged_again():
    yes, answer = '{"same": true}', says("cable pulled", "leaf1:eth1")
    outage = judged(answer, saying(yes, JudgeError("out of reach"), JudgeError("out of reach")))
    assert (outage.judgements[0].is_same, outage.disputed, outage.unusable) == (False, (), 2)
    again = judged(answer, saying(yes, yes, yes), outage.judgements)
    assert (again.judgements[0].is_same, again.unusable) == (True, 0)


def test_it_is_off_unless_it_is_switched_on():
    assert settings_from(ENV) is None
    assert settings_from({**ENV, **ON}) == JudgeSettings(url="http://h/v1", model="m")


@pytest.mark.parametrize("wrong", [{"TIMES": "0"}, {"TIMES": "many"}, {"KEY_ENV": "NOT_SET_ANYWHERE"}, {"MODEL": ""}])
def test_a_judge_that_cannot_work_is_told_before(wrong):
    more = {f"NETOPSBENCH_FAULT_TYPE_JUDGE_{name}": value for name, value in wrong.items()}
    with pytest.raises(SpecError, match=f"JUDGE_{next(iter(wrong))}"):
        settings_from({**ENV, **ON, **more})


def settings_at(url, *, model="m", prices=""):
    """What the environment says of a judge at an endpoint."""
    words = {"URL": url, "MODEL": model, "PRICES": prices}
    return settings_from({**ON, **{f"NETOPSBENCH_FAULT_TYPE_JUDGE_{name}": word for name, word in words.items()}})


def test_opinions_are_paid_by_the_price_list_cached_tokens_at_their_own_rate():
    with provider([Turn(text='{"same": true}')], kind="openai") as at:
        settings = settings_at(at.url, model="claude-sonnet-4-5")
        given = trial(truth=TRUTH, answer=says("cable pulled", "leaf1:eth1"))
        report = judge({given.trial_id: given}, {given.trial_id: grade(given)}, settings, asking(settings))
    assert report.judgements[0].is_same
    assert report.cost_usd == pytest.approx(3 * (100 * 3 + 40 * 0.3 + 10 * 15) / 1e6)
    assert report.judgements[0].opinions[0].usage.price_version == price_list().version
    assert settings.price.source in price_list().sources.values()


def test_a_judge_of_ones_own_is_paid_by_ones_own_list(tmp_path: Path):
    mine = tmp_path / "prices.json"
    models = {"m": {"input": 1, "output": 2, "source": "offer"}}
    mine.write_text(json.dumps({"version": "2026-11-02", "sources": {"offer": "offer 17"}, "models": models}))
    with provider([Turn(text='{"same": true}')], kind="openai") as at:
        _, usage = asking(settings_at(at.url, prices=str(mine)))("same?")
        _, unpriced = asking(settings_at(at.url))("same?")
    assert usage.cost_usd == pytest.approx((140 * 1 + 10 * 2) / 1e6)
    assert usage.price_version == "2026-11-02, own list"
    assert (unpriced.cost_usd, unpriced.tokens) == (None, 150)


def test_another_price_makes_no_other_judge():
    dearer = settings_at("http://h/v1", model="claude-sonnet-4-5")
    assert dearer.judges_like(dearer.model_copy(update={"price": None}))
    assert not dearer.judges_like(dearer.model_copy(update={"times": 5}))
