"""What happens in every lab before a question, healthy or not: a service restarted for no reason, a little more time.

Who finds a service that is younger than others has found nothing, then: it tells neither that something is wrong
nor where.
"""

import random

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan

RESTART_SHARE = 0.5
"""Of the tickets, so many see a restart."""
MOST_UPTIME_S = 3.0


class Unrest(Model):
    """The unrest of one trial."""

    node: str = ""
    """Where a service is restarted; empty: nowhere."""
    service: str = ""
    """Its script in /etc/init.d."""
    uptime_s: float
    """What passes between the fault, if any, and the question."""

    def __str__(self) -> str:
        return f"{self.service} of {self.node} was restarted" if self.node else ""


def unrest_of(plan: FabricPlan, seed: str) -> Unrest:
    """Drawn from the seed and the lab alone: nothing about a ticket's truth goes into it."""
    draw = random.Random(f"unrest {seed}")
    places = [(node.name, "frr") for node in plan.nodes if node.daemons]
    places += [(planned.node, planned.name) for planned in (plan.lab.services if plan.lab else ())]
    uptime_s = round(draw.uniform(0, MOST_UPTIME_S), 2)
    if not places or draw.random() >= RESTART_SHARE:
        return Unrest(uptime_s=uptime_s)
    node, service = draw.choice(places)
    return Unrest(node=node, service=service, uptime_s=uptime_s)
