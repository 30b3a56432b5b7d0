"""What is known of a network while root causes are looked for: its design, and what its devices show."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Facing, facing
from netopsbench.rca.network.design import Design
from netopsbench.rca.solving.evidence import Evidence, Look
from netopsbench.vendors import facts as f
from netopsbench.vendors.names import Need

Facts = TypeVar("Facts", bound=Model)

_BLOCK = re.compile(r"^interface (\S+)\n((?: .*\n)*)", re.MULTILINE)
HELLO = re.compile(r"ip ospf hello-interval (\d+)")
OUI = len("02:00:00")
"""Characters of a hardware address that its maker has."""

Seen = Mapping[tuple[str, Need], Model]
"""Device and need to facts."""


@dataclass(frozen=True)
class Claim:
    """A root cause, and what is enough to see it."""

    triple: Triple
    evidence: Evidence
    may_pass: bool = False
    """Whether it rests on a state that could be another one seconds later."""


@dataclass(frozen=True)
class Desk:
    """What is known of a network: its design, and what its devices show."""

    plan: FabricPlan
    seen: Seen
    ways: Design = field(init=False)
    ports: tuple[Facing, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ways", Design(self.plan))
        object.__setattr__(self, "ports", tuple(facing(self.plan)))

    @cached_property
    def usual_oui(self) -> str:
        """How most hardware addresses of the network begin."""
        shown = [facts for facts in self.seen.values() if isinstance(facts, f.Interfaces)]
        begun = Counter(each.mac[:OUI].lower() for facts in shown for each in facts.interfaces if each.name != "lo")
        return max(begun, key=lambda oui: begun[oui], default="")

    @cached_property
    def usual_hello(self) -> str:
        """The pace of OSPF's hellos at most ports, as the configurations say it."""
        texts = ["\n".join(facts.lines) for facts in self.seen.values() if isinstance(facts, f.Configuration)]
        paces = Counter(pace for text in texts for pace in HELLO.findall(text))
        return max(paces, key=lambda pace: paces[pace], default="")

    def shown(self, device: str, need: Need, kind: type[Facts]) -> Facts | None:
        """Facts of a device; None when they weren't asked for or are denied."""
        found = self.seen.get((device, need))
        return found if isinstance(found, kind) else None

    def configured(self, device: str, need: Need = "running_config") -> str | None:
        """A device's configuration in use, or the one that it saved; None when it isn't known."""
        found = self.shown(device, need, f.Configuration)
        return None if found is None or not found.lines else "\n".join((*found.lines, ""))

    def interface(self, device: str, need: Need, name: str) -> f.Interface | None:
        """One interface of a device."""
        found = self.shown(device, need, f.Interfaces)
        return next((each for each in found.interfaces if each.name == name), None) if found else None


def interfaces_in(text: str) -> dict[str, str]:
    """What a configuration says of each interface. A saved one says it daemon by daemon."""
    said: dict[str, str] = defaultdict(str)
    for name, block in _BLOCK.findall(text):
        said[name] += block
    return said


def claim_of(node: str, thing: str, cause: str, *looks: tuple[str, Need]) -> Claim:
    """A cause at a device, and the needs at devices that show it."""
    evidence = frozenset(Look(device=device, need=need) for device, need in looks)
    return Claim(Triple(node=node, object=thing, cause=cause), evidence)
