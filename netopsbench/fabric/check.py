"""What can be wrong with a plan before anything of it exists: all mistakes at once."""

from netopsbench.core.errors import Problem
from netopsbench.fabric.check_addresses import check_addresses
from netopsbench.fabric.check_names import check_names
from netopsbench.fabric.check_routing import check_asns, check_routing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.size import MachineFacts, check_size


def check_plan(plan: FabricPlan, machine: MachineFacts | None = None) -> list[Problem]:
    """Every mistake of a plan; with `machine` also what makes the fabric too large for it."""
    # A lab's routing is the business of its author: AS numbers may be shared, daemons may be any.
    routing = check_routing(plan) if plan.lab is None else check_asns(plan)
    return [
        *check_names(plan),
        *check_addresses(plan),
        *routing,
        *(check_size(plan, machine) if machine is not None else ()),
    ]
