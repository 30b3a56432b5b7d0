import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_trials import HEALTHY, broke, crashed, faulty, says, says_healthy, trial, two_faults

from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.scoring.grade import grade, grade_answer

LINK = faulty("link_down", "leaf1:eth1", "spine1:eth1")
CLIENT_PORT = faulty("link_down", "leaf1:eth3")
ROUTE = faulty("blackhole_route", "leaf2")


@pytest.mark.parametrize(
    ("truth", "answer", "strict", "paper"),
    [
        (LINK, says("link_down", "leaf1:eth1"), 1, 1),
        (LINK, says("link_down", "spine1:eth1"), 1, 1),
        (LINK, says("link_down", "leaf1:eth2"), 0.5, 0.5),
        (LINK, says("link_down", "leaf1"), 0.5, 0.5),
        (LINK, says("link_down", "leaf2:eth1"), 0, 0.5),
        (LINK, says("link_down", "leaf2:eth2"), 0, 0),
        (LINK, says("link_down"), 0, 0),
        (LINK, says("link_down", "leaf1:eth1", "leaf1:eth2"), 0, 0),
        (LINK, says("link_down", "leaf1:eth1", "spine1:eth1"), 0, 0),
        (LINK, says("link_down", "leaf1:eth1", "leaf1:eth1"), 0, 0),
        (LINK, says_healthy(), 0, 0),
        (LINK, Answer(verdict="inconclusive", findings=says("link_down", "leaf1:eth1").findings), 0, 0),
        (LINK, None, 0, 0),
        (CLIENT_PORT, says("link_down", "client1:eth1"), 0, 0),
        (ROUTE, says("blackhole_route", "leaf2"), 1, 1),
        (ROUTE, says("blackhole_route", "leaf2:eth7"), 1, 1),
        (ROUTE, says("anything else", "leaf2"), 1, 1),
        (ROUTE, says("blackhole_route", "leaf1"), 0, 0),
        (HEALTHY, says_healthy(), 1, 1),
        (HEALTHY, says("link_down", "leaf1:eth1"), 0, 0),
        (HEALTHY, Answer(verdict="inconclusive"), 0, 0),
        (HEALTHY, None, 0, 0),
    ],
)
def test_answers_are_worth_what_the_method_says(truth, answer, strict, paper):
    worth = grade_answer(truth, answer)
    assert (worth.strict, worth.paper) == (strict, paper)


def test_the_right_port_beside_the_peer_device_earns_only_the_device():
    truth = faulty("link_down", "leaf1:eth1", "spine1:eth4")
    worth = grade_answer(truth, says("link_down", "leaf1:eth4"))
    assert (worth.strict, worth.paper, worth.is_interface_right) == (0.5, 0.5, False)


@pytest.mark.parametrize(
    ("device", "interface"),
    [
        ("leaf1", "eth2"),
        (" LEAF1 ", "Eth2"),
        ("Leaf1", "Ethernet4"),
        ("leaf1", "ETHERNET4"),
        ("leaf1", "ethernet-1/2"),
        ("leaf1", "Ethernet-1/2 "),
    ],
)
def test_other_spellings_of_a_place_are_the_same_place(device, interface):
    found = Finding(fault_type="link_down", location=Location(device=device, interface=interface))
    answer = Answer(verdict="fault_detected", findings=(found,))
    assert grade_answer(faulty("link_down", "leaf1:eth2"), answer).strict == 1


@pytest.mark.parametrize(
    "interface",
    [
        "Ethernet2",
        "Ethernet04",
        "ethernet-1/0",
        "ethernet-1/02",
        "ethernet-2/2",
        "eth02",
        "eth-2",
        "eth2.0",
        "Ethernet4x",
        "Ethernet" + "4" * 5000,
        "Ethernet٤",
        "leaf1:eth2",
    ],
)
def test_near_misses_of_a_port_name_are_wrong(interface):
    answer = says("link_down", f"leaf1:{interface}")
    assert grade_answer(faulty("link_down", "leaf1:eth2"), answer).strict == 0.5


@pytest.mark.parametrize("nothing", ["", "  ", "null", "None", "NaN", "n/a", "-"])
def test_words_for_nothing_name_no_device_and_no_interface(nothing):
    assert grade_answer(LINK, says("link_down", f"leaf1:{nothing}")).strict == 0.5
    assert grade_answer(LINK, says("link_down", f"{nothing}:eth1")).strict == 0
    assert grade_answer(ROUTE, says("blackhole_route", nothing)).strict == 0


@pytest.mark.parametrize(
    ("said", "is_right"),
    [
        ("link_down", True),
        ("Link Down", True),
        ("link-down", True),
        ("port_down", True),
        ("link_flapping", False),
        ("link_down or blackhole_route", False),
        ("", False),
    ],
)
def test_fault_type_goes_by_label_and_alias_and_never_changes_the_score(said, is_right):
    worth = grade_answer(LINK, says(said, "leaf1:eth1"))
    assert (worth.is_type_right, worth.strict) == (is_right, 1)


def test_healthy_case_has_nothing_to_locate():
    worth = grade_answer(HEALTHY, says_healthy())
    assert (worth.is_device_right, worth.is_interface_right, worth.is_type_right) == (None, None, None)


def test_two_faults_are_scored_by_f1_over_whole_places():
    truth = two_faults(LINK, ROUTE)
    assert grade_answer(truth, says("x", "leaf1:eth1", "leaf2")).strict == 1
    assert grade_answer(truth, says("x", "spine1:eth1", "leaf2")).strict == 1
    # 1 right of 1 said and 2 true: precision 1, recall 1/2.
    assert grade_answer(truth, says("x", "leaf1:eth1")).strict == pytest.approx(2 / 3)
    # 2 right of 3 said: precision 2/3, recall 1.
    assert grade_answer(truth, says("x", "leaf1:eth1", "leaf2", "leaf9")).strict == pytest.approx(0.8)
    # Both ends of one link are one fault found and one false finding.
    assert grade_answer(truth, says("x", "leaf1:eth1", "spine1:eth1")).strict == 0.5
    assert grade_answer(truth, says("x", "leaf1:eth9", "leaf9")).strict == 0


def test_two_faults_at_one_place_need_two_findings():
    same_place = two_faults(faulty("packet_loss", "leaf1:eth1", "spine1:eth1"), faulty("high_latency", "leaf1:eth1"))
    # The first finding suits both faults; only one way of pairing serves both.
    assert grade_answer(same_place, says("x", "leaf1:eth1", "spine1:eth1")).strict == 1
    assert grade_answer(same_place, says("x", "leaf1:eth1")).strict == pytest.approx(2 / 3)


def test_an_agent_that_failed_scores_nothing_even_with_a_right_answer():
    score = grade(trial(truth=LINK, answer=says("link_down", "leaf1:eth1"), error=crashed()))
    assert (score.strict, score.paper, score.is_detected) == (0, 0, False)
    assert "crashed" in score.why


def test_an_agent_that_failed_in_a_healthy_case_scores_nothing():
    assert grade(trial(truth=HEALTHY, answer=says_healthy(), error=crashed())).strict == 0


@pytest.mark.parametrize("end", ["invalid", "unsupported"])
def test_a_trial_without_an_examination_has_no_score(end):
    with pytest.raises(ValueError, match="no score"):
        grade(trial(truth=LINK, end=end, error=broke("deploy_failed")))


places = st.builds(
    lambda device, port: f"{device}:{port}" if port else device,
    st.sampled_from(["leaf1", "leaf2", "spine1", "LEAF1", "", "null"]),
    st.sampled_from(["", "eth1", "eth2", "Ethernet0", "ethernet-1/2", "none"]),
)
answers = st.one_of(
    st.none(),
    st.builds(lambda places: says("link_down", *places), st.lists(places, max_size=4)),
    st.just(says_healthy()),
)
truths = st.sampled_from([HEALTHY, LINK, ROUTE, CLIENT_PORT, two_faults(LINK, ROUTE)])


@given(truths, answers)
def test_every_score_is_a_share_and_strict_never_beats_paper(truth, answer):
    worth = grade_answer(truth, answer)
    assert 0 <= worth.strict <= worth.paper <= 1


@given(truths, answers)
def test_case_of_letters_never_changes_a_score(truth, answer):
    if answer is None:
        return
    shouted = Answer.model_validate(
        {
            "verdict": answer.verdict,
            "findings": [
                {
                    "fault_type": finding.fault_type.upper(),
                    "location": {
                        "device": finding.location.device.upper(),
                        "interface": (finding.location.interface or "").upper(),
                    },
                }
                for finding in answer.findings
            ],
        }
    )
    plain, loud = grade_answer(truth, answer), grade_answer(truth, shouted)
    assert (plain.strict, plain.paper, plain.is_type_right) == (loud.strict, loud.paper, loud.is_type_right)
