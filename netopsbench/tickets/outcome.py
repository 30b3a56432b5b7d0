"""What an answer to a ticket is worth, by rules: the published figures, and exact ones beside them."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from netopsbench.core.model import Model
from netopsbench.tickets.answer import TicketAnswer
from netopsbench.tickets.axes import Axis, Identifies, NoAnomaly, NoFaultyDevices, NotIdentifies, Says
from netopsbench.tickets.model import Persona, Ticket, TicketClass

MUST_WEIGHT, BONUS_WEIGHT = 0.7, 0.3
_LEAST_SHARE = 0.6
"""Of the words of a longer text axis, so many have to stand in the diagnosis."""
_SHORT = 4
"""Alternatives of up to so many words are looked for as they are."""
_FILLER = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "have", "in", "into", "is", "it"),
        *("its", "no", "not", "of", "on", "or", "that", "the", "their", "this", "to", "was", "with"),
    }
)


class Hits(NamedTuple):
    """How many axes of a pool are met."""

    met: int
    of: int


class AxisResult(Model):
    """One axis, judged."""

    axis: Axis
    is_met: bool
    why: str


class TicketScore(Model):
    """What an agent got for one ticket."""

    ticket_id: str
    agent: str
    lab: str
    ticket_class: TicketClass
    persona: Persona
    parent: str
    """The ticket in the standard voice, itself where it is one: rewrites are compared on it."""
    is_answered: bool
    """False: the budget was spent without an answer."""
    outcome: float
    """0–1; 0 without an answer or a verdict. Text counts only beside the right verdict."""
    outcome_published: float
    """The same with devices matched by substring, as published."""
    outcome_judged: float | None = None
    """`outcome` with text axes as a judge sees them; None where none was asked."""
    is_anomaly: bool | None = None
    precision: float | None = None
    """Share of the named devices that are culprits; None when none is named."""
    recall: float | None = None
    """Share of the culprits that are named; None where nothing is wrong."""
    is_exact: bool = False
    """The named devices are the culprits, and the verdict is right."""
    fix: float | None = None
    """0, 0.5 or 1; None where there is nothing to fix and nothing was done."""
    axes: tuple[AxisResult, ...] = ()

    @property
    def is_over_diagnosed(self) -> bool:
        """An anomaly was found where nothing is wrong."""
        return self.ticket_class == "false-premise" and self.is_anomaly is True


Judge = Callable[[Says, str], bool]
"""Whether a diagnosis says what a text axis asks for."""


def outcome(must: Hits, bonus: Hits) -> float:
    """0.7 of the must pool's share and 0.3 of the bonus pool's, over the pools that exist; 0 without any."""
    pools = [(hits.met / hits.of, weight) for hits, weight in ((must, MUST_WEIGHT), (bonus, BONUS_WEIGHT)) if hits.of]
    if not pools:
        return 0.0
    return min(1.0, sum(share * weight for share, weight in pools) / sum(weight for _, weight in pools))


def reasoning(grounding: int, causality: int, coverage: int) -> float:
    """A judge's three marks, 0–10 each, as 0–1. Raises ValueError for other marks."""
    marks = (grounding, causality, coverage)
    if any(not 0 <= mark <= 10 for mark in marks):
        raise ValueError(f"marks run from 0 to 10, not {marks}")
    return sum(marks) / 30


def score_ticket(
    ticket: Ticket, answer: TicketAnswer | None, agent: str, fix: float | None = None, judge: Judge | None = None
) -> TicketScore:
    """Score an answer; None is a timeout. A judge is asked for the text axes beside the rules, not instead of them."""
    head = {
        "ticket_id": ticket.id,
        "agent": agent,
        "lab": ticket.lab,
        "ticket_class": ticket.ticket_class,
        "persona": ticket.persona,
        "parent": ticket.parent or ticket.id,
    }
    if answer is None:
        return TicketScore(**head, is_answered=False, outcome=0, outcome_published=0, fix=fix)
    has_right_verdict = answer.is_anomaly is bool(ticket.culprits)
    results = _by_rules(ticket, answer, said)
    published = [_judged(axis, answer, said, is_exact=False) for axis in ticket.axes]
    named = _lowered(answer.devices)
    culprits = _lowered(ticket.culprits)
    return TicketScore(
        **head,
        is_answered=True,
        outcome=_worth(answer, results),
        outcome_published=_pooled(published),
        outcome_judged=_worth(answer, _by_rules(ticket, answer, judge)) if judge else None,
        is_anomaly=answer.is_anomaly,
        precision=len(named & culprits) / len(named) if named else None,
        recall=len(named & culprits) / len(culprits) if culprits else None,
        is_exact=named == culprits and has_right_verdict,
        fix=fix,
        axes=results,
    )


def _by_rules(ticket: Ticket, answer: TicketAnswer, says: Judge) -> tuple[AxisResult, ...]:
    """Every axis with exact names; text counts only beside the right verdict."""
    has_right_verdict = answer.is_anomaly is bool(ticket.culprits)

    def earned(axis: Says, text: str) -> bool:
        # Whoever claims the opposite and quotes the right words hasn't said it.
        return has_right_verdict and says(axis, text)

    return tuple(_judged(axis, answer, earned, is_exact=True) for axis in ticket.axes)


def _worth(answer: TicketAnswer, results: Iterable[AxisResult]) -> float:
    return 0.0 if answer.is_anomaly is None else _pooled(results)


def said(axis: Says, diagnosis: str) -> bool:
    """The deterministic rule for a text axis.

    With `words`: one phrase of every group stands in the diagnosis. Without: one of the alternatives that the axis
    separates by `/`, as it is when it is short, else six tenths of its words.
    """
    flat = _flat(diagnosis)
    if axis.words:
        return all(any(_stands(phrase, flat) for phrase in group) for group in axis.words)
    return any(_told(part, flat) for part in axis.text.split(" / "))


def _told(part: str, flat: str) -> bool:
    words = [word for word in _flat(part).split() if word not in _FILLER]
    if not words:
        return False
    if len(words) <= _SHORT and _stands(part, flat):
        return True
    return sum(_stands(word, flat) for word in words) >= max(1, round(_LEAST_SHARE * len(words)))


def _stands(phrase: str, flat: str) -> bool:
    wanted = _flat(phrase)
    return bool(wanted) and re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w)", flat) is not None


def _flat(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9][a-z0-9.:/_-]*[a-z0-9]|[a-z0-9]", text.lower()))


def _judged(axis: Axis, answer: TicketAnswer, judge: Judge, *, is_exact: bool) -> AxisResult:
    names = ", ".join(answer.devices) or "none"
    match axis:
        case NoAnomaly():
            met, why = answer.is_anomaly is False, f"is_anomaly: {answer.is_anomaly}"
        case NoFaultyDevices():
            met, why = not answer.devices, f"devices: {names}"
        case Identifies():
            met, why = _names(axis.device, answer.devices, is_exact=is_exact), f"devices: {names}"
        case NotIdentifies():
            met, why = not _names(axis.device, answer.devices, is_exact=is_exact), f"devices: {names}"
        case Says():
            met = judge(axis, answer.text)
            why = "the diagnosis says it" if met else "the diagnosis doesn't say it"
    return AxisResult(axis=axis, is_met=met, why=why)


def _names(device: str, devices: Iterable[str], *, is_exact: bool) -> bool:
    """Exactly, or as published: somewhere in the list's text, so that r1 is found in r10."""
    wanted = device.lower()
    return wanted in _lowered(devices) if is_exact else wanted in " ".join(devices).lower()


def _pooled(results: Iterable[AxisResult]) -> float:
    pools: dict[bool, list[bool]] = {True: [], False: []}
    for result in results:
        is_bonus = isinstance(result.axis, Says) and result.axis.pool == "bonus"
        pools[is_bonus].append(result.is_met)
    must, bonus = (Hits(sum(pools[key]), len(pools[key])) for key in (False, True))
    return outcome(must, bonus)


def _lowered(devices: Iterable[str]) -> frozenset[str]:
    return frozenset(device.lower() for device in devices)
