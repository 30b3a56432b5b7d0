import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_trials import HEALTHY, at, faulty, says, says_healthy, trial, two_faults

from netopsbench.scoring.floor import floor
from netopsbench.scoring.grade import grade_answer
from netopsbench.scoring.runfolder import grade_all


def test_floor_is_the_best_of_all_constant_answers():
    cases = [
        faulty("link_down", "leaf1:eth1", "spine1:eth1"),
        faulty("link_down", "leaf1:eth2", "spine2:eth1"),
        faulty("blackhole_route", "leaf1"),
        faulty("blackhole_route", "leaf2"),
        HEALTHY,
    ]
    found = floor(cases)
    # leaf1:eth1 earns 1 + 0.5 + 1 + 0 + 0 of 5.
    assert found.always_faulty == pytest.approx(0.5)
    assert found.answer is not None
    assert found.answer.findings[0].location == at("leaf1:eth1")
    assert (found.always_healthy, found.value, found.cases) == (0.2, 0.5, 5)


def test_mostly_healthy_campaign_has_the_healthy_share_as_floor():
    found = floor([HEALTHY, HEALTHY, faulty("blackhole_route", "leaf1")])
    assert found.value == found.always_healthy == pytest.approx(2 / 3)
    assert found.always_faulty == pytest.approx(1 / 3)


def test_peer_end_can_be_the_best_constant_answer():
    cases = [
        faulty("link_down", "leaf1:eth1", "spine1:eth1"),
        faulty("packet_loss", "leaf2:eth1", "spine1:eth2"),
        faulty("high_latency", "leaf3:eth1", "spine1:eth3"),
    ]
    found = floor(cases)
    assert found.always_faulty == pytest.approx(2 / 3)
    assert found.answer is not None
    assert found.answer.findings[0].location.device == "spine1"


def test_campaign_without_faults_has_no_constant_faulty_answer():
    found = floor([HEALTHY])
    assert (found.answer, found.always_faulty, found.value) == (None, 0, 1)


def test_no_cases_have_no_floor():
    assert floor([]).value == 0


def test_cases_with_two_faults_can_be_floored_by_two_findings():
    both = two_faults(faulty("link_down", "leaf1:eth1"), faulty("blackhole_route", "leaf2"))
    found = floor([both, both, faulty("blackhole_route", "leaf3")])
    assert found.always_faulty == pytest.approx(2 / 3)
    assert found.answer is not None
    assert len(found.answer.findings) == 2


def test_giving_the_floors_answer_scores_exactly_the_floor():
    cases = [faulty("link_down", f"leaf{n % 3}:eth{n % 4}", f"spine{n % 2}:eth{n}") for n in range(7)]
    cases.append(HEALTHY)
    found = floor(cases)
    scores = grade_all(trial(f"t{index}", truth=truth, answer=found.answer) for index, truth in enumerate(cases))
    assert sum(score.strict for score in scores) / len(cases) == found.always_faulty


locations = st.builds(
    lambda tier, node, port: f"{tier}{node}:eth{port}",
    st.sampled_from(["leaf", "spine"]),
    st.integers(1, 3),
    st.integers(1, 3),
)
links = st.lists(locations, min_size=1, max_size=2).map(lambda ends: faulty("link_down", *ends))
devices = st.integers(1, 3).map(lambda node: faulty("blackhole_route", f"leaf{node}"))
campaigns = st.lists(st.one_of(links, devices, st.just(HEALTHY)), min_size=1, max_size=12)


@given(campaigns, locations)
def test_no_constant_answer_beats_the_floor(cases, place):
    found = floor(cases)
    for answer in (says("link_down", place), says_healthy()):
        worth = sum(grade_answer(truth, answer).strict for truth in cases) / len(cases)
        assert worth <= found.value + 1e-12


@given(campaigns, st.randoms(use_true_random=False))
def test_order_of_cases_doesnt_change_the_floor(cases, random):
    shuffled = list(cases)
    random.shuffle(shuffled)
    assert floor(shuffled) == floor(cases)
