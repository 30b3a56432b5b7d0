"""What the kernels of a network hold, compared with what they held when it was built."""

from netopsbench.fabric.observe import Eyes
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.snapshot import Snapshot, differences
from netopsbench.faults.witness import poll


def kernels(eyes: Eyes, plan: FabricPlan) -> Snapshot:
    """Links, addresses, permanent neighbours, filters and routes of every node.

    Sessions are waited for elsewhere, and so are the routes of a lab, whose protocols may choose others.
    """
    states = eyes.state([node.name for node in plan.nodes])
    if plan.lab is not None:
        states = {name: state.model_copy(update={"routes": {}}) for name, state in states.items()}
    return Snapshot(nodes=states, sessions={}, cables={})


def left_behind(built: Snapshot, eyes: Eyes, plan: FabricPlan, deadline_s: float) -> tuple[str, ...]:
    """What is still not as it was built when the time is over, in words."""
    return poll(lambda: differences(built, kernels(eyes, plan)), deadline_s)
