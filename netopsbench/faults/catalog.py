"""The table of faults: a kind is its module's two functions and where the method puts it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.problems import validated
from netopsbench.fabric.plan import FabricPlan, Node, Role
from netopsbench.faults import (
    acl_misconfig,
    bgp_neighbor_misconfig,
    blackhole_route,
    device_down,
    high_latency,
    link_down,
    link_flapping,
    mtu_mismatch,
    packet_corruption,
    packet_loss,
    route_policy_misconfig,
    static_route_misconfig,
    wire,
)
from netopsbench.faults.contract import Change
from netopsbench.faults.places import InterfaceRole, check_kind_of_fabric
from netopsbench.records.faults import (
    AclMisconfig,
    BgpNeighborMisconfig,
    BlackholeRoute,
    DeviceDown,
    FaultSpec,
    HighLatency,
    LinkDown,
    LinkFlapping,
    MtuMismatch,
    PacketCorruption,
    PacketLoss,
    RoutePolicyMisconfig,
    StaticRouteMisconfig,
)
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

    @property
    def variant_keys(self) -> tuple[Mapping[str, str], ...]:
        """The key that chooses each variant; one choice of nothing where there are none."""
        return tuple({"variant": name} for name in self.variants) or ({},)


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
        _kind(LinkFlapping, link_flapping.change, wire.spots, example={"at": "leaf1:eth1"}, settles_s=4.0),
        _kind(PacketLoss, packet_loss.change, wire.spots, example={"at": "leaf1:eth1"}, settles_s=1.5),
        _kind(PacketCorruption, packet_corruption.change, wire.spots, example={"at": "leaf1:eth1"}, settles_s=1.5),
        _kind(HighLatency, high_latency.change, wire.spots, example={"at": "leaf1:eth1"}, settles_s=1.5),
        _kind(
            MtuMismatch,
            mtu_mismatch.change,
            mtu_mismatch.spots,
            example={"at": "spine1:eth1"},
            settles_s=1.0,
            roles=("spine", "core"),
        ),
        _kind(
            BlackholeRoute,
            blackhole_route.change,
            blackhole_route.spots,
            example={"device": "leaf1", "prefix": "192.168.102.0/30"},
            settles_s=1.0,
        ),
        _kind(
            StaticRouteMisconfig,
            static_route_misconfig.change,
            static_route_misconfig.spots,
            example={"device": "leaf1", "address": "192.168.102.2", "toward": "192.168.101.2"},
            settles_s=1.0,
        ),
        _kind(
            BgpNeighborMisconfig,
            bgp_neighbor_misconfig.change,
            bgp_neighbor_misconfig.spots,
            example={"device": "leaf1", "neighbor": "10.1.1.1"},
            settles_s=1.0,
            roles=("leaf", "edge", "agg"),
        ),
        _kind(
            RoutePolicyMisconfig,
            route_policy_misconfig.change,
            route_policy_misconfig.spots,
            example={"device": "leaf1", "prefix": "192.168.101.0/30"},
            settles_s=2.5,
        ),
        _kind(DeviceDown, device_down.change, device_down.spots, example={"device": "leaf1"}, settles_s=1.5),
        _kind(
            AclMisconfig,
            acl_misconfig.change,
            acl_misconfig.spots,
            example={"at": "leaf1:eth3", "prefix": "192.168.101.0/30"},
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
    check_kind_of_fabric(plan)
    return KINDS[fault.kind].change(fault, plan)
