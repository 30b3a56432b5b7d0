"""A task's key and names of interfaces as the task's devices call them."""

from netopsbench.rca.answer import PathHop, RestoredPath, Triple
from netopsbench.rca.model import PathTask, RcaTask, Task
from netopsbench.vendors.names import NAMES, Vendor


def told_triples(task: RcaTask) -> frozenset[Triple]:
    """The key as the devices of the task name their interfaces."""
    return frozenset(
        triple.model_copy(update={"object": named(task.vendors[triple.node], triple.object)}) for triple in task.gold
    )


def told_paths(task: PathTask) -> frozenset[RestoredPath]:
    """The key as the devices of the task name their interfaces."""
    return frozenset(
        RestoredPath(
            hops=tuple(PathHop(node=hop.node, egress=named(task.vendors[hop.node], hop.egress)) for hop in path.hops),
            end=path.end,
        )
        for path in task.paths
    )


def full_name(task: Task, node: str, thing: str) -> str:
    """How the device itself calls in full what somebody calls as its tables, its kernel or get_topology do.

    What isn't the name of an interface stays as it is.
    """
    vendor = task.vendors.get(node)
    return thing if vendor is None else named(vendor, NAMES[vendor].native(thing) or thing)


def named(vendor: Vendor, thing: str) -> str:
    is_port = thing == "lo" or (thing.startswith("eth") and thing[3:].isdigit())
    return NAMES[vendor].of(thing) if is_port else thing
