"""The answer key of a case, worked out from its faults and the plan."""

from collections.abc import Sequence

from netopsbench.fabric import queries
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.catalog import KINDS, change_of
from netopsbench.records.answers import Location
from netopsbench.records.faults import FaultSpec
from netopsbench.records.names import Port
from netopsbench.records.truth import FaultTruth, Truth


def truth_of(faults: Sequence[FaultSpec], plan: FabricPlan) -> Truth:
    """Every location that is a right answer for each fault.

    Raises SpecError when a fault doesn't fit the fabric.
    """
    return Truth(
        faults=tuple(
            FaultTruth(
                fault_type=fault.kind,
                accepted=_accepted(change_of(fault, plan).place, plan, KINDS[fault.kind].label.is_symmetric),
            )
            for fault in faults
        )
    )


def _accepted(place: Location, plan: FabricPlan, is_symmetric: bool) -> tuple[Location, ...]:
    """The place, and the other end of its link where that is as good an answer: never a client's port."""
    if not is_symmetric or place.interface is None:
        return (place,)
    peer = queries.interface(plan, Port(node=place.device, interface=place.interface)).peer
    if not queries.node(plan, peer.node).is_switch:
        return (place,)
    return (place, Location(device=peer.node, interface=peer.interface))
