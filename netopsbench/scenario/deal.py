"""Hands out the places of a fabric, so that no device and no port comes up again and again."""

import hashlib
from collections import Counter
from collections.abc import Iterator

from netopsbench.core.errors import SpecError
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.faults.catalog import KINDS, FaultKind, change_of
from netopsbench.faults.combine import combined
from netopsbench.records.faults import FaultSpec
from netopsbench.records.labels import LABELS
from netopsbench.scenario.campaign import FaultDraw, Template

_TURN = {label.name: number for number, label in enumerate(LABELS)}
_GOLDEN = (5**0.5 - 1) / 2
_OTHER_ROLES = {"leaf": "edge", "spine": "core"}


class Deal:
    """The places of one fabric that are still free.

    Each kind of fault goes round the devices of a role from a start of its own, so that a new template of one kind
    shifts no case of another, nor any case of a template that stands before it. The starts follow the golden ratio:
    however many kinds and however few cases of each, no part of the round is left out.
    """

    def __init__(self, seed: int, scale: str, plan: FabricPlan) -> None:
        self._seed = seed
        self._scale = scale
        self._plan = plan
        self._dealt: Counter[str] = Counter()
        self._taken: set[FaultSpec] = set()
        self._spot_uses: Counter[tuple[str, ...]] = Counter()
        self._rounds: dict[str, list[Node]] = {}

    def cases(self, template: Template) -> Iterator[tuple[FaultSpec, ...]]:
        """The faults of as many cases as the template asks for at this scale, or as there are places for."""
        for number in range(template.at(self._scale)):
            faults: tuple[FaultSpec, ...] = ()
            for place, draw in enumerate((template, *template.also)):
                found = self._drawn(draw, (template.name, number, place), faults)
                if found is None:
                    return
                faults = (*faults, found)
            yield faults

    def _drawn(self, draw: FaultDraw, rank: tuple[object, ...], beside: tuple[FaultSpec, ...]) -> FaultSpec | None:
        """A fault at the first free place from the kind's turn on; None when there is none."""
        kind, devices = KINDS[draw.fault_type], self._round(draw.device_role)
        start = int(_TURN[kind.name] * _GOLDEN % 1 * len(devices)) + self._dealt[kind.name]
        for step in range(len(devices)):
            fault = self._fault_on(devices[(start + step) % len(devices)], kind, draw, rank, beside)
            if fault is not None:
                self._dealt[kind.name] += 1
                self._taken.add(fault)
                return fault
        return None

    def _round(self, role: str) -> list[Node]:
        """Devices of the role in an order of this campaign's own."""
        if role not in self._rounds:
            present = {node.role for node in self._plan.nodes}
            meant = role if role in present else _OTHER_ROLES.get(role, role)
            found = [node for node in self._plan.nodes if node.role == meant]
            self._rounds[role] = sorted(found, key=lambda node: _rank(self._seed, self._scale, "devices", node.name))
        return self._rounds[role]

    def _fault_on(
        self,
        device: Node,
        kind: FaultKind,
        draw: FaultDraw,
        rank: tuple[object, ...],
        beside: tuple[FaultSpec, ...],
    ) -> FaultSpec | None:
        """The device's least used free place for this fault; None when it has none."""
        spots = sorted(
            kind.spots(self._plan, device, draw.interface_role),
            key=lambda spot: (
                self._spot_uses[kind.name, *spot.values()],
                _rank(self._seed, self._scale, *rank, *spot.values()),
            ),
        )
        for spot in spots:
            fault = kind.parse({**draw.parameters, **spot}, str(rank[0]))
            if fault not in self._taken and self._go_together((*beside, fault)):
                self._spot_uses[kind.name, *spot.values()] += 1
                return fault
        return None

    def _go_together(self, faults: tuple[FaultSpec, ...]) -> bool:
        if len(faults) == 1:
            return True
        try:
            combined([change_of(fault, self._plan) for fault in faults], self._plan)
        except SpecError:
            return False
        return True


def _rank(*parts: object) -> str:
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()
