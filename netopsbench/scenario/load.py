"""Scenario and campaign files, with every mistake of a file named at once."""

from collections.abc import Iterator, Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import find_data, known_data
from netopsbench.core.problems import load_model, read_yaml
from netopsbench.core.salvage import validated_telling
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.catalog import change_of, kind_named
from netopsbench.faults.combine import combined
from netopsbench.faults.contract import Change
from netopsbench.scenario.campaign import Campaign, FaultDraw
from netopsbench.scenario.model import Scenario


def load_scenario(name_or_path: str) -> Scenario:
    """One case out of a file in `scenarios/`, or at a path.

    Raises SpecError.
    """
    return load_model(Scenario, find_data("scenarios", name_or_path))


def check_scenario(scenario: Scenario, plan: FabricPlan, source: str) -> None:
    """Whether the case's faults fit its fabric, and each other.

    Raises SpecError with every mistake, `source` being the file that the case came from.
    """
    if plan.lab is not None:
        wanted = "a generated fabric; labs have tickets instead of cases: netopsbench tickets list"
        raise SpecError([Problem(source, "fabric", plan.name, wanted)])
    problems: list[Problem] = []
    changes: list[Change] = []
    for number, fault in enumerate(scenario.faults, start=1):
        try:
            changes.append(change_of(fault, plan))
        except SpecError as wrong:
            problems += _moved(wrong, source, f"faults[{number}]")
    if not problems and changes:
        try:
            combined(changes, plan)
        except SpecError as meeting:
            problems = [Problem(source, each.key, each.value, each.wanted) for each in meeting.problems]
    if problems:
        raise SpecError(problems)


def load_campaign(name_or_path: str) -> Campaign:
    """A campaign out of a file in `campaigns/`, or at a path.

    Raises SpecError.
    """
    path = find_data("campaigns", name_or_path)
    campaign = validated_telling(
        Campaign, read_yaml(path), str(path), lambda mended: _campaign_problems(mended, str(path))
    )
    problems = list(_campaign_problems(campaign, str(path)))
    if problems:
        raise SpecError(problems)
    return campaign


def _campaign_problems(campaign: Campaign, source: str) -> Iterator[Problem]:
    fabrics = known_data("fabrics")
    for number, scale in enumerate(campaign.scales, start=1):
        if scale not in fabrics:
            yield Problem(source, f"scales[{number}]", scale, f"one of {', '.join(fabrics)}")
        if scale in campaign.scales[: number - 1]:
            yield Problem(source, f"scales[{number}]", scale, "each scale once")
    yield from _unknown_scales(campaign.healthy.count_per_scale, campaign, source, "healthy")
    names: set[str] = set()
    for number, template in enumerate(campaign.fault_templates, start=1):
        key = f"fault_templates[{number}]"
        if template.name in names:
            yield Problem(source, f"{key}.name", template.name, "a name that no other template has")
        names.add(template.name)
        yield from _unknown_scales(template.count_per_scale, campaign, source, key)
        yield from _draw_problems(template, source, key)
        for place, draw in enumerate(template.also, start=1):
            yield from _draw_problems(draw, source, f"{key}.also[{place}]")


def _unknown_scales(counts: Mapping[str, int] | None, campaign: Campaign, source: str, key: str) -> Iterator[Problem]:
    for scale, count in (counts or {}).items():
        if scale not in campaign.scales:
            yield Problem(
                source, f"{key}.count_per_scale", scale, f"a scale of this campaign: {', '.join(campaign.scales)}"
            )
        if count < 0:
            yield Problem(source, f"{key}.count_per_scale.{scale}", str(count), "at least 0")


def _draw_problems(draw: FaultDraw, source: str, key: str) -> Iterator[Problem]:
    try:
        kind = kind_named(draw.fault_type, source, f"{key}.fault_type")
    except SpecError as unknown:
        yield from unknown.problems
        return
    for name in draw.parameters.keys() & kind.example.keys():
        value = str(draw.parameters[name])
        yield Problem(source, f"{key}.parameters.{name}", value, "leave it out: the place is drawn")
    try:
        kind.parse({**draw.parameters, **kind.example}, source)
    except SpecError as wrong:
        yield from _moved(wrong, source, f"{key}.parameters")


def _moved(error: SpecError, source: str, below: str) -> list[Problem]:
    """Mistakes of one part, as mistakes of the file it stands in."""
    return [Problem(source, f"{below}.{each.key}", each.value, each.wanted) for each in error.problems]
