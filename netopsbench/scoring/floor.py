"""What a campaign gives to somebody who looks at nothing and always says the same."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from netopsbench.core.model import Model
from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.records.truth import Truth
from netopsbench.scoring.grade import grade_answer
from netopsbench.scoring.statistics import mean


class Floor(Model):
    """The best constant answers to a set of cases, computed over every answer that can be right at all."""

    cases: int
    always_faulty: float
    """Mean strict score of the best constant answer that claims a fault."""
    answer: Answer | None
    """That answer; None when no case has a fault."""
    always_healthy: float
    """Share of healthy cases, which is what `network_healthy` always gives."""
    value: float
    """The larger of the two: what an agent must beat to have shown anything."""


def floor(truths: Sequence[Truth]) -> Floor:
    """The floor of a set of cases, one truth per case. All zero for no cases.

    An answer lists at most as many findings as the case with the most faults has.
    """
    if not truths:
        return Floor(cases=0, always_faulty=0.0, answer=None, always_healthy=0.0, value=0.0)
    answers = list(_constant_answers(truths))
    worth = [mean([grade_answer(truth, answer).strict for truth in truths]) for answer in answers]
    always_faulty = max(worth, default=0.0)
    always_healthy = sum(not truth.is_faulty for truth in truths) / len(truths)
    return Floor(
        cases=len(truths),
        always_faulty=always_faulty,
        # The first of equals, so that the answer doesn't depend on the order of cases.
        answer=answers[worth.index(always_faulty)] if answers else None,
        always_healthy=always_healthy,
        value=max(always_faulty, always_healthy),
    )


def _constant_answers(truths: Sequence[Truth]) -> Iterator[Answer]:
    """Every answer that could be best: accepted places, alone or as many together as a case has faults."""
    yield from (_answer([place]) for place in _places(truths))
    most = max(len(truth.faults) for truth in truths)
    together = _places(truth for truth in truths if len(truth.faults) > 1)
    for size in range(2, most + 1):
        yield from (_answer(chosen) for chosen in combinations(together, size))


def _places(truths: Iterable[Truth]) -> list[tuple[str, str, str]]:
    """Distinct (device, interface or nothing, commonest fault type there), sorted."""
    types: dict[tuple[str, str], list[str]] = {}
    for truth in truths:
        for fault in truth.faults:
            for location in fault.accepted:
                types.setdefault((location.device, location.interface or ""), []).append(fault.fault_type)
    return [
        (device, interface, max(sorted(set(found)), key=found.count))
        for (device, interface), found in sorted(types.items())
    ]


def _answer(places: Iterable[tuple[str, str, str]]) -> Answer:
    return Answer(
        verdict="fault_detected",
        findings=tuple(
            Finding(fault_type=kind, location=Location(device=device, interface=interface or None))
            for device, interface, kind in places
        ),
    )
