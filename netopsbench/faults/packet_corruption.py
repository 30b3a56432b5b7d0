"""packet_corruption: a share of what a port sends is damaged on its cable."""

from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults import wire
from netopsbench.faults.contract import Change
from netopsbench.records.faults import PacketCorruption


def change(fault: PacketCorruption, plan: FabricPlan) -> Change:
    """Impair the cable, in the direction away from the port.

    Raises SpecError when the port doesn't lead to another switch.
    """
    return wire.impaired(plan, fault.at, "corruption_pct", fault.corruption_pct)
