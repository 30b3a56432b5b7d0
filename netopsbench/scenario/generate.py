"""Campaign to cases: the same on every machine, no two alike, places spread."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping

from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.faults.catalog import KINDS, FaultKind
from netopsbench.records.faults import FaultSpec
from netopsbench.records.labels import LABELS
from netopsbench.scenario.campaign import Campaign, Template
from netopsbench.scenario.model import Scenario

_TURN = {label.name: number for number, label in enumerate(LABELS)}


def generate(campaign: Campaign, plans: Mapping[str, FabricPlan]) -> tuple[Scenario, ...]:
    """All cases of a campaign, in the order of their ids, which tells nothing; `plans` holds each scale's fabric.

    Raises SpecError naming every template for which a fabric has too few places.
    """
    problems: list[Problem] = []
    scenarios: list[Scenario] = []
    for scale in campaign.scales:
        deal = _Deal(campaign.seed, scale, plans[scale])
        for template in campaign.fault_templates:
            faults = list(deal.faults(template))
            wanted = template.at(scale)
            if len(faults) < wanted:
                available = f"{scale} has {len(faults)} places left for it; ask for fewer or another role"
                problems.append(Problem(campaign.name, f"{template.name} at {scale}", str(wanted), available))
            scenarios += (
                _scenario(campaign, scale, template.name, number, template, fault)
                for number, fault in enumerate(faults, start=1)
            )
        scenarios += (
            _scenario(campaign, scale, "healthy", number) for number in range(1, campaign.healthy.at(scale) + 1)
        )
    if problems:
        raise SpecError(problems)
    return tuple(sorted(scenarios, key=lambda scenario: scenario.id))


def case_seed(campaign_seed: int, scale: str, template: str, number: int) -> int:
    """Seed of one case; another template or another count doesn't shift it."""
    return int(_rank(campaign_seed, scale, template, number)[:12], 16)


class _Deal:
    """Hands out the places of one fabric, so that no device and no port comes up again and again.

    Each kind of fault goes round the devices of a role from a start of its own, so that a new template of one kind
    shifts no case of another, nor any case of a template that stands before it.
    """

    def __init__(self, seed: int, scale: str, plan: FabricPlan) -> None:
        self._seed = seed
        self._scale = scale
        self._plan = plan
        self._dealt: Counter[str] = Counter()
        self._taken: set[FaultSpec] = set()
        self._spot_uses: Counter[tuple[str, ...]] = Counter()

    def faults(self, template: Template) -> Iterator[FaultSpec]:
        """As many faults as the template asks for at this scale, or as there are places."""
        kind = KINDS[template.fault_type]
        devices = self._devices(template)
        for number in range(template.at(self._scale)):
            turn = _TURN[kind.name] + self._dealt[kind.name]
            fault = next(
                (
                    found
                    for step in range(len(devices))
                    if (found := self._fault_on(devices[(turn + step) % len(devices)], kind, template, number))
                ),
                None,
            )
            if fault is None:
                return
            self._dealt[kind.name] += 1
            self._taken.add(fault)
            yield fault

    def _devices(self, template: Template) -> list[Node]:
        """Devices of the role in an order of this campaign's own."""
        present = {node.role for node in self._plan.nodes}
        role: str = template.device_role
        if role not in present:
            role = {"leaf": "edge", "spine": "core"}.get(role, role)
        found = [node for node in self._plan.nodes if node.role == role]
        return sorted(found, key=lambda node: _rank(self._seed, self._scale, "devices", node.name))

    def _fault_on(self, device: Node, kind: FaultKind, template: Template, number: int) -> FaultSpec | None:
        """The device's least used free place for this fault; None when it has none."""
        spots = sorted(
            kind.spots(self._plan, device, template.interface_role),
            key=lambda spot: (
                self._spot_uses[kind.name, *spot.values()],
                _rank(self._seed, self._scale, template.name, number, *spot.values()),
            ),
        )
        for spot in spots:
            fault = kind.parse({**template.parameters, **spot}, template.name)
            if fault not in self._taken:
                self._spot_uses[kind.name, *spot.values()] += 1
                return fault
        return None


def _scenario(
    campaign: Campaign,
    scale: str,
    name: str,
    number: int,
    template: Template | None = None,
    fault: FaultSpec | None = None,
) -> Scenario:
    return Scenario(
        fabric=scale,
        scale=scale,
        seed=case_seed(campaign.seed, scale, name, number),
        faults=() if fault is None else (fault,),
        difficulty="easy" if template is None else template.difficulty,
        timeline=campaign.defaults,
    )


def _rank(*parts: object) -> str:
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()
