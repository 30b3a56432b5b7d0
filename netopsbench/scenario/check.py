"""What a set of cases is worth: whether each can be told, and what somebody gets who looks at nothing."""

from collections import Counter
from collections.abc import Mapping, Sequence

from netopsbench.core.errors import Problem
from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.scenario.exposure import exposure_of
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.truth import truth_of


class CheckedScale(Model):
    """The cases of one scale."""

    scale: str
    cases: int
    healthy: int
    distinct_truths: int
    """Of the faulty cases."""
    by_exposure: dict[str, int]
    """By the plainest telemetry that shows the fault."""


def check_cases(
    cases: Sequence[Scenario], plans: Mapping[str, FabricPlan]
) -> tuple[tuple[CheckedScale, ...], tuple[Problem, ...]]:
    """Each scale counted, and every mistake: faults that two cases share, and cases that no telemetry shows."""
    return (
        tuple(
            _counted(scale, [case for case in cases if case.scale == scale], plans) for scale in _scales(cases, plans)
        ),
        (*_repeated(cases), *_unseen(cases, plans)),
    )


def _scales(cases: Sequence[Scenario], plans: Mapping[str, FabricPlan]) -> list[str]:
    """The smallest first."""
    sizes = {case.scale: len(plans[case.fabric].nodes) for case in cases}
    return sorted(sizes, key=lambda scale: (sizes[scale], scale))


def _counted(scale: str, cases: Sequence[Scenario], plans: Mapping[str, FabricPlan]) -> CheckedScale:
    truths = {truth_of(case.faults, plans[case.fabric]).model_dump_json() for case in cases if case.faults}
    shown = [exposure_of(case, plans[case.fabric]) for case in cases]
    return CheckedScale(
        scale=scale,
        cases=len(cases),
        healthy=sum(not case.faults for case in cases),
        distinct_truths=len(truths),
        by_exposure=dict(Counter(kinds[0] for kinds in shown if kinds)),
    )


def _repeated(cases: Sequence[Scenario]) -> list[Problem]:
    """Cases of one fabric with the same faults differ in nothing that an agent could find."""
    first: dict[tuple[str, object], str] = {}
    problems = []
    for case in cases:
        key = (case.fabric, frozenset(case.faults))
        if case.faults and key in first:
            problems.append(Problem(case.id, "faults", "", f"{first[key]} has the same ones; remove one of the two"))
        first.setdefault(key, case.id)
    return problems


def _unseen(cases: Sequence[Scenario], plans: Mapping[str, FabricPlan]) -> list[Problem]:
    return [
        Problem(case.id, "faults", "", "no telemetry can show this; watch for more epochs, or make the fault stronger")
        for case in cases
        if case.faults and not exposure_of(case, plans[case.fabric])
    ]
