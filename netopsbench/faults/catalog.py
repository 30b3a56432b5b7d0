"""The table of faults: a kind is its module's two functions and where the method puts it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.problems import validated
from netopsbench.fabric.plan import FabricPlan, Node, Role
from netopsbench.faults import blackhole_route, link_down
from netopsbench.faults.contract import Change
from netopsbench.faults.places import InterfaceRole
from netopsbench.records.faults import BlackholeRoute, FaultSpec, LinkDown
from netopsbench.records.labels import LABEL_BY_NAME, FaultLabel

F = TypeVar("F", bound=FaultSpec)
Spots = Callable[[FabricPlan, Node, InterfaceRole], tuple[Mapping[str, str], ...]]


@dataclass(frozen=True)
class FaultKind:
    """One row of the table."""

    label: FaultLabel
    parse: Callable[[Mapping[str, object], str], FaultSpec]
    """A fault out of a user's keys and the name of their source; SpecError with every mistake."""
    example: Mapping[str, str]
    """The keys that say where, filled in for the smallest fabric."""
    roles: tuple[Role, ...]
    """Switch roles where the method puts it."""
    variants: tuple[str, ...]
    settles_s: float
    """Time from the command to the whole effect, with room to spare; a sham injection takes as long."""
    change: Callable[[FaultSpec, FabricPlan], Change]
    spots: Spots

    @property
    def name(self) -> str:
        return self.label.name


def _kind(
    model: type[F],
    change: Callable[[F, FabricPlan], Change],
    spots: Spots,
    *,
    example: Mapping[str, str],
    settles_s: float,
    roles: tuple[Role, ...] = ("leaf", "edge"),
) -> FaultKind:
    def checked(fault: FaultSpec, plan: FabricPlan) -> Change:
        if not isinstance(fault, model):
            raise TypeError(f"{fault.kind} is not {model.__name__}")
        return change(fault, plan)

    name = str(model.model_fields["kind"].default)

    def parse(keys: Mapping[str, object], source: str) -> FaultSpec:
        return validated(model, {**keys, "kind": name}, source)

    return FaultKind(
        label=LABEL_BY_NAME[name],
        parse=parse,
        example=example,
        roles=roles,
        variants=_variants(model),
        settles_s=settles_s,
        change=checked,
        spots=spots,
    )


def _variants(model: type[Model]) -> tuple[str, ...]:
    field = model.model_fields.get("variant")
    return tuple(getattr(field.annotation, "__args__", ())) if field else ()


KINDS: Mapping[str, FaultKind] = {
    kind.name: kind
    for kind in (
        _kind(LinkDown, link_down.change, link_down.spots, example={"at": "leaf1:eth1"}, settles_s=1.0),
        _kind(
            BlackholeRoute,
            blackhole_route.change,
            blackhole_route.spots,
            example={"device": "leaf1", "prefix": "192.168.102.0/30"},
            settles_s=1.0,
        ),
    )
}


def kind_named(name: str, source: str, key: str) -> FaultKind:
    """The row of a fault.

    Raises SpecError with the known names.
    """
    found = KINDS.get(name)
    if found is None:
        raise SpecError([Problem(source, key, name, f"one of {', '.join(KINDS)}")])
    return found


def parse_fault(name: str, parameters: Mapping[str, object], source: str) -> FaultSpec:
    """A fault out of its name and the keys a user gave.

    Raises SpecError with every mistake.
    """
    return kind_named(name, source, "kind").parse(parameters, source)


def change_of(fault: FaultSpec, plan: FabricPlan) -> Change:
    """What a fault does to this fabric, and what must be seen.

    Raises SpecError when the fault doesn't fit the fabric.
    """
    return KINDS[fault.kind].change(fault, plan)
