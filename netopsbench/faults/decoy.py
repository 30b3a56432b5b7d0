"""The fault that a healthy case pretends to have: drawn like a real one, never made."""

import random

from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.catalog import KINDS
from netopsbench.records.faults import FaultSpec


def decoy_fault(plan: FabricPlan, seed: int) -> FaultSpec:
    """A fault that fits the fabric, drawn by the seed: first the kind, then the switch, then the spot."""
    draw = random.Random(f"decoy {seed}")
    kinds = sorted(KINDS)
    draw.shuffle(kinds)
    for kind in (KINDS[name] for name in kinds):
        switches = [node for node in plan.nodes if node.role in kind.roles]
        draw.shuffle(switches)
        for switch in switches:
            spots = kind.spots(plan, switch, "any")
            if spots:
                return kind.parse({**draw.choice(spots), **draw.choice(kind.variant_keys)}, "decoy")
    raise ValueError(f"no fault fits the fabric {plan.name}")
