"""What a fabric needs of a machine, and whether a machine has it."""

from collections.abc import Iterator

from netopsbench.core.errors import Problem
from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.fabric.queries import TIERS, clients, nodes_by_name, switches

DAEMON_MEMORY_MIB = {"zebra": 4.0, "bgpd": 8.0, "staticd": 1.5}
DAEMON_START_S = {"zebra": 0.12, "bgpd": 0.09, "staticd": 0.03}
"""CPU seconds. Memory and start were measured with FRR 8.4 on Linux 6.18.

Memory is a daemon's own: the pages that all daemons share are counted once in `SHARED_MEMORY_MIB`.
"""

SESSION_MEMORY_MIB = 0.08
PATH_MEMORY_MIB = 0.0055
"""Of bgpd and zebra together, for each path of each prefix."""

NODE_MEMORY_MIB = 2.0
NODE_START_S = 0.04
SHARED_MEMORY_MIB = 100
"""Keeper, observer, link watcher and prober."""

SESSION_START_S = 0.01
DAEMON_TASKS = {"zebra": 5, "bgpd": 5, "staticd": 2}
NODE_TASKS = 2

START_LIMIT_S = 300
"""Longer than this with every core busy, and routers that started first lose their sessions again and again."""


class MachineFacts(Model):
    """What a machine can give now; None where it can't be told, and then it isn't checked."""

    memory_mib: float
    """Available, not installed."""
    cores: float
    gc_thresh3: int | None = None
    """`net.ipv4.neigh.default.gc_thresh3`: a limit of the kernel, shared by all namespaces."""
    has_permanent_neighbours: bool = False
    """Whether the engine writes neighbour entries as permanent ones, which the limit doesn't count."""
    namespaces: int | None = None
    """How many namespaces of each kind the user may make."""
    tasks: int | None = None
    """How many processes and threads the user may have."""


class FabricNeed(Model):
    """What a fabric takes."""

    memory_mib: float
    start_s: float
    """CPU seconds of one core until every session is up."""
    neighbours: int
    """Neighbour entries: two for each link."""
    namespaces: int
    tasks: int


def need_of(plan: FabricPlan) -> FabricNeed:
    """Estimate from figures measured per daemon, session and path."""
    sessions = 2 * sum(link.kind == "fabric" for link in plan.links)
    daemons = [daemon for node in plan.nodes for daemon in node.daemons]
    return FabricNeed(
        memory_mib=SHARED_MEMORY_MIB + sum(memory_of(plan).values()),
        start_s=sum(DAEMON_START_S.get(daemon, 0.1) for daemon in daemons)
        + NODE_START_S * len(plan.nodes)
        + SESSION_START_S * sessions,
        neighbours=2 * len(plan.links),
        namespaces=len(plan.nodes) + 1,
        tasks=sum(DAEMON_TASKS.get(daemon, 3) for daemon in daemons) + NODE_TASKS * len(plan.nodes),
    )


def memory_of(plan: FabricPlan) -> dict[str, float]:
    """MiB that each node will take."""
    by_name = nodes_by_name(plan)
    prefixes = len(switches(plan)) + len(clients(plan))
    return {node.name: _node_memory(node, by_name, prefixes) for node in plan.nodes}


def _node_memory(node: Node, by_name: dict[str, Node], prefixes: int) -> float:
    peers = [by_name[port.peer.node] for port in node.interfaces if port.peer.node in by_name]
    sessions = sum(peer.is_switch for peer in peers) if node.is_switch else 0
    # Most prefixes lie beyond the next tier up and come by each of its switches; at the top by one.
    uplinks = max(1, sum(TIERS[peer.role] < TIERS[node.role] for peer in peers)) if node.is_switch else 0
    return (
        NODE_MEMORY_MIB
        + sum(DAEMON_MEMORY_MIB.get(daemon, 8.0) for daemon in node.daemons)
        + SESSION_MEMORY_MIB * sessions
        + PATH_MEMORY_MIB * prefixes * uplinks
    )


def check_size(plan: FabricPlan, machine: MachineFacts) -> list[Problem]:
    """Everything that makes the fabric too large for a machine."""
    return list(_shortages(plan.name, need_of(plan), machine))


def _shortages(fabric: str, need: FabricNeed, machine: MachineFacts) -> Iterator[Problem]:
    if need.memory_mib > machine.memory_mib:
        yield Problem(
            fabric,
            "memory",
            f"{machine.memory_mib:,.0f} MiB available",
            f"the fabric needs about {need.memory_mib:,.0f} MiB; end other programs or choose a smaller one",
        )
    if need.start_s > START_LIMIT_S * machine.cores:
        yield Problem(
            fabric,
            "cores",
            f"{machine.cores:g}",
            f"starting takes about {need.start_s:,.0f} s of CPU, which wants "
            f"{need.start_s / START_LIMIT_S:,.0f} cores or more",
        )
    if machine.gc_thresh3 is not None and not machine.has_permanent_neighbours and need.neighbours > machine.gc_thresh3:
        yield Problem(
            fabric,
            "neighbour entries",
            f"{machine.gc_thresh3:,}",
            f"the links need {need.neighbours:,} in the whole kernel; as root: "
            f"sysctl -w net.ipv4.neigh.default.gc_thresh3={_rounded_up(need.neighbours)}",
        )
    if machine.namespaces is not None and need.namespaces > machine.namespaces:
        yield Problem(
            fabric,
            "namespaces of each kind",
            f"{machine.namespaces:,}",
            f"the nodes need {need.namespaces:,}; `netopsbench doctor` looks closer; `sysctl -a --pattern "
            f"'user.max_.*_namespaces'` shows the limits; as root set the small ones to {_rounded_up(need.namespaces)}",
        )
    if machine.tasks is not None and need.tasks > machine.tasks:
        yield Problem(
            fabric,
            "processes and threads",
            f"{machine.tasks:,}",
            f"the nodes need {need.tasks:,}; raise `ulimit -u`, kernel.pid_max or the container's pids.max",
        )


def _rounded_up(entries: int) -> int:
    """The next power of two with a quarter to spare."""
    return 1 << (entries * 5 // 4 - 1).bit_length()
