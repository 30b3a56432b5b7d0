"""What an answer to a ticket is worth."""

import pytest
from ticket_files import broken, false_premise

from netopsbench.tickets.answer import TicketAnswer
from netopsbench.tickets.axes import Says
from netopsbench.tickets.outcome import Hits, outcome, reasoning, said, score_ticket


@pytest.mark.parametrize(
    ("must", "bonus", "value"),
    [
        ((2, 2), (1, 1), 1.0),
        ((0, 2), (1, 1), 0.3),
        ((2, 2), (0, 1), 0.7),
        ((1, 2), (0, 1), 0.35),
        ((1, 3), (1, 1), 0.5333333333333333),
        ((3, 4), (1, 1), 0.825),
        ((1, 1), (1, 2), 0.85),
        ((3, 4), (0, 0), 0.75),
        ((0, 0), (1, 2), 0.5),
        ((0, 0), (0, 0), 0.0),
    ],
)
def test_the_outcome_weighs_the_pools_that_exist(must: tuple[int, int], bonus: tuple[int, int], value: float) -> None:
    assert outcome(Hits(*must), Hits(*bonus)) == pytest.approx(value, abs=1e-12)


def test_reasoning_is_the_mean_of_three_marks_of_ten() -> None:
    assert reasoning(10, 5, 0) == 0.5
    with pytest.raises(ValueError, match="from 0 to 10"):
        reasoning(11, 0, 0)


def test_a_healthy_network_found_healthy_is_worth_everything() -> None:
    score = score_ticket(false_premise(), TicketAnswer(is_anomaly=False), "a")
    assert (score.outcome, score.is_exact, score.is_over_diagnosed) == (1.0, True, False)


def test_an_anomaly_on_a_healthy_network_is_over_diagnosis() -> None:
    score = score_ticket(false_premise(), TicketAnswer(is_anomaly=True, devices=("r1",)), "a")
    assert (score.outcome, score.precision, score.recall) == (0.0, 0.0, None)
    assert score.is_over_diagnosed


def test_an_answer_without_a_verdict_is_no_over_diagnosis_and_no_success() -> None:
    score = score_ticket(false_premise(), TicketAnswer(is_anomaly=None), "a")
    assert not score.is_over_diagnosed
    assert (score.outcome, score.outcome_published, score.is_exact) == (0.0, 0.5, False)


def test_a_name_inside_another_name_counts_in_the_published_matching_only() -> None:
    ticket = broken(culprit="r1")
    score = score_ticket(ticket, TicketAnswer(is_anomaly=True, devices=("r10",)), "a")
    assert (score.outcome, score.outcome_published) == (0.0, 1.0)


def test_the_culprit_isnt_taken_for_the_decoy_inside_its_name() -> None:
    ticket = broken(ticket_class="wrong-device", culprit="r10", blamed=("r1",))
    score = score_ticket(ticket, TicketAnswer(is_anomaly=True, devices=("R10",)), "a")
    assert (score.outcome, score.outcome_published) == (1.0, 0.5)


def test_naming_everybody_costs_precision() -> None:
    answer = TicketAnswer(is_anomaly=True, devices=("r10", "r1", "r2", "pc1"))
    score = score_ticket(broken(), answer, "a")
    assert (score.precision, score.recall, score.is_exact) == (0.25, 1.0, False)


def test_no_answer_is_a_timeout_worth_nothing() -> None:
    score = score_ticket(broken(), None, "a")
    assert (score.is_answered, score.outcome, score.precision) == (False, 0.0, None)


@pytest.mark.parametrize(
    ("diagnosis", "is_said"),
    [
        ("On r3 the ospfd process isn't running.", True),
        ("The OSPF daemon of r3 has stopped.", True),
        ("ospfd2 is fine, the cable is cut.", False),
        ("", False),
    ],
)
def test_a_short_alternative_is_looked_for_as_words(diagnosis: str, is_said: bool) -> None:
    axis = Says(pool="must", slug="component", text="ospfd / OSPF daemon")
    assert said(axis, diagnosis) is is_said


def test_every_group_of_words_has_to_be_met() -> None:
    axis = Says(pool="must", slug="x", text="x", words=(("dead", "not running"), ("ripd", "rip daemon")))
    assert said(axis, "ripd is not running")
    assert not said(axis, "ripd is busy")


def test_a_judge_decides_text_axes_where_there_is_one() -> None:
    axis = Says(pool="bonus", slug="x", text="never said")
    ticket = false_premise().model_copy(update={"axes": (*false_premise().axes, axis)})
    answer = TicketAnswer(is_anomaly=False)
    assert score_ticket(ticket, answer, "a").outcome == pytest.approx(0.7)
    assert score_ticket(ticket, answer, "a", judge=lambda axis, text: True).outcome_judged == 1.0


def test_right_words_beside_the_wrong_verdict_earn_nothing() -> None:
    axis = Says(pool="bonus", slug="checked", text="x", words=(("healthy",),))
    ticket = false_premise().model_copy(update={"axes": (*false_premise().axes, axis)})
    answer = TicketAnswer(is_anomaly=True, devices=("r1",), text="The ticket says it was healthy yesterday.")
    score = score_ticket(ticket, answer, "a")
    assert (score.outcome, score.outcome_published) == (0.0, pytest.approx(0.3))
