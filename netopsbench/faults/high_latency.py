"""high_latency: what a port sends comes late out of its cable."""

from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults import wire
from netopsbench.faults.contract import Change
from netopsbench.records.faults import HighLatency


def change(fault: HighLatency, plan: FabricPlan) -> Change:
    """Impair the cable, in the direction away from the port.

    Raises SpecError when the port doesn't lead to another switch.
    """
    return wire.impaired(plan, fault.at, "delay_ms", fault.delay_ms)
