"""Campaign to cases: the same on every machine, no two alike, places spread."""

import hashlib
from collections.abc import Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.faults import FaultSpec
from netopsbench.scenario.campaign import Campaign, Template
from netopsbench.scenario.deal import Deal
from netopsbench.scenario.model import Scenario

GENERATOR = 3
"""Version of what is drawn from a seed: another one means other cases."""


def generate(campaign: Campaign, plans: Mapping[str, FabricPlan]) -> tuple[Scenario, ...]:
    """All cases of a campaign, in the order of their ids, which tells nothing; `plans` holds each scale's fabric.

    Raises SpecError naming every template for which a fabric has too few places.
    """
    problems: list[Problem] = []
    scenarios: list[Scenario] = []
    for scale in campaign.scales:
        deal = Deal(campaign.seed, scale, plans[scale])
        for template in campaign.fault_templates:
            dealt, wanted = list(deal.cases(template)), template.at(scale)
            if len(dealt) < wanted:
                available = f"{scale} has {len(dealt)} places left for it; ask for fewer or another role"
                problems.append(Problem(campaign.name, f"{template.name} at {scale}", str(wanted), available))
            scenarios += (
                _scenario(campaign, scale, template.name, number, template, faults)
                for number, faults in enumerate(dealt, start=1)
            )
        scenarios += _healthy(campaign, scale)
    if problems:
        raise SpecError(problems)
    return tuple(sorted(scenarios, key=lambda scenario: scenario.id))


def _healthy(campaign: Campaign, scale: str) -> list[Scenario]:
    """Healthy cases, which pretend one fault and two in the shares that the faulty ones have."""
    counts = sorted(
        1 + len(template.also) for template in campaign.fault_templates for _ in range(template.at(scale))
    ) or [1]
    wanted = campaign.healthy.at(scale)
    # From the middle of each part, so that even a single healthy case is like most others.
    pretended = [counts[(2 * number + 1) * len(counts) // (2 * wanted)] for number in range(wanted)]
    return [
        _scenario(campaign, scale, "healthy", number).model_copy(update={"pretended_faults": faults})
        for number, faults in enumerate(pretended, start=1)
    ]


def case_seed(campaign_seed: int, scale: str, template: str, number: int) -> int:
    """Seed of one case; another template or another count doesn't shift it."""
    drawn = hashlib.sha256(f"{campaign_seed}/{scale}/{template}/{number}".encode())
    return int(drawn.hexdigest()[:12], 16)


def _scenario(
    campaign: Campaign,
    scale: str,
    name: str,
    number: int,
    template: Template | None = None,
    faults: tuple[FaultSpec, ...] = (),
) -> Scenario:
    return Scenario(
        fabric=scale,
        scale=scale,
        seed=case_seed(campaign.seed, scale, name, number),
        faults=faults,
        difficulty="easy" if template is None else template.difficulty,
        timeline=campaign.defaults,
    )
