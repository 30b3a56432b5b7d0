"""Scores of tickets in figures."""

from collections.abc import Iterator

import pytest
from ticket_files import broken, false_premise

from netopsbench.tickets.answer import TicketAnswer
from netopsbench.tickets.model import PERSONAS
from netopsbench.tickets.outcome import TicketScore, score_ticket
from netopsbench.tickets.summary import figures, persona_contrasts, summarize

HEALTHY = TicketAnswer(is_anomaly=False)
WRONG = TicketAnswer(is_anomaly=True, devices=("r1",))


def _voices(believes_when_naive: bool) -> Iterator[TicketScore]:
    for number in range(24):
        for persona in PERSONAS:
            parent = None if persona == "standard" else f"t{number}"
            ticket = false_premise(f"t{number}" if parent is None else f"t{number}-{persona}", persona, parent)
            is_fooled = believes_when_naive and persona == "naive" and number % 2 == 0
            yield score_ticket(ticket, WRONG if is_fooled else HEALTHY, "agent")


def test_timeouts_stand_apart_and_as_zero() -> None:
    scores = [score_ticket(false_premise(f"t{n}"), HEALTHY if n < 3 else None, "a") for n in range(4)]
    found = figures(scores)
    assert (found.tickets, found.answered, found.timeouts) == (4, 3, 1)
    assert (found.outcome, found.outcome_with_timeouts) == (1.0, 0.75)
    assert found.over_diagnosis == 0.0


def test_over_diagnosis_is_a_share_of_the_answered_false_premises() -> None:
    scores = [score_ticket(false_premise(f"t{n}"), answer, "a") for n, answer in enumerate((HEALTHY, WRONG, None))]
    assert figures([*scores, score_ticket(broken(), WRONG, "a")]).over_diagnosis == 0.5


def test_a_fix_that_was_never_proposed_counts_as_zero_with_timeouts() -> None:
    scores = [score_ticket(broken("a"), WRONG, "a", fix=1.0), score_ticket(broken("b"), None, "a")]
    assert (figures(scores).fix, figures(scores).fix_with_timeouts) == (1.0, 0.5)


def test_an_empty_group_has_no_means() -> None:
    assert figures([]).outcome is None


def test_personas_are_paired_by_the_ticket_they_rewrite() -> None:
    contrasts = {(each.a, each.b): each for each in persona_contrasts("agent", list(_voices(True)))}
    fooled = contrasts["agent: standard", "agent: naive"]
    assert (fooled.cases, fooled.better, fooled.method) == (24, 12, "bootstrap")
    assert fooled.difference == pytest.approx(0.5)
    assert fooled.is_clear
    assert not contrasts["agent: standard", "agent: novice"].is_clear
    assert len(contrasts) == 15


def test_classes_count_the_standard_voice_only() -> None:
    found = summarize(list(_voices(False)))
    assert [(row.group, row.figures.tickets) for row in found.by_class] == [("false-premise", 24)]
    assert [row.figures.tickets for row in found.by_persona] == [24] * 6
    assert found.overall[0].figures.tickets == 144
