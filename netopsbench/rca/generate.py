"""Draws root-cause and path tasks: the same seed gives the same tasks on every machine."""

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.answer import Triple
from netopsbench.rca.breaking.contract import Broken, does_reach, hosts
from netopsbench.rca.breaking.repertoire import breakages
from netopsbench.rca.labels import CAUSE_BY_LABEL, Category
from netopsbench.rca.model import CauseRef, PathTask, RcaTask, in_order
from netopsbench.rca.network.design import Design
from netopsbench.rca.network.facts import dealt_vendors, path_metadata, rca_metadata
from netopsbench.rca.solving.evidence import Look, alternatives, denials, fewest, smallest
from netopsbench.vendors.names import Vendor

RCA_NETWORKS = (
    "nat_edge",
    "ospf_enterprise_static",
    "dc_clos_bgp",
    "ospf_eigrp_campus",
    "redundant_office",
    "metro_overlay",
    "small",
    "fat-tree-k4",
)
PATH_NETWORKS = (
    "simple_bgp",
    "dc_clos_bgp",
    "ospf_enterprise_static",
    "nat_edge",
    "redundant_office",
    "metro_overlay",
    "xs",
    "small",
    "fat-tree-k4",
)
NETWORKS = tuple(dict.fromkeys((*RCA_NETWORKS, *PATH_NETWORKS)))
_QUOTAS: Mapping[Category, int] = {"C1": 35, "C2": 30, "C3": 22, "C4": 20, "C5": 19}
"""Root-cause tasks by their first cause, in the published shares."""
_CAUSE_COUNTS = (*(1,) * 66, *(2,) * 36, *(3,) * 20, *(4,) * 4)
"""214 root causes in 126 tasks, as published."""
_SINGLE_PATHS = 54
_PATHS = 108
_INDIRECT_SHARE = 0.4
"""Of path tasks."""
_DENIED_SHARE = 0.8
"""Of the root-cause tasks that have indirect evidence at all; most causes have none."""
_TRIES = 400

Offered = Mapping[str, Mapping[str, Sequence[Broken]]]
"""What can be broken, by network and label."""


class Suite(Model):
    """All tasks."""

    rca: tuple[RcaTask, ...]
    paths: tuple[PathTask, ...]


def generate(plans: Mapping[str, FabricPlan], seed: int) -> Suite:
    """Draw the suite; `plans` holds the networks of both families by name. Raises SpecError when they are too few."""
    return Suite(rca=_rca_tasks(plans, seed), paths=_path_tasks(plans, seed))


def task_id(kind: str, seed: int, number: int) -> str:
    """Name of a task. It is drawn from the seed and not from the key, so where the seed is secret it tells nothing."""
    return "t" + hashlib.sha256(f"{kind} {seed} {number}".encode()).hexdigest()[:12]


def _rca_tasks(plans: Mapping[str, FabricPlan], seed: int) -> tuple[RcaTask, ...]:
    offered = {name: breakages(plans[name]) for name in RCA_NETWORKS}
    wanted = [category for category, count in _QUOTAS.items() for _ in range(count)]
    counts = list(_CAUSE_COUNTS)
    random.Random(f"rca {seed}").shuffle(counts)
    tasks: list[RcaTask] = []
    for number, category in enumerate(wanted):
        # Where a category has no new place for so many root causes, a later task changes numbers with it.
        for later in dict.fromkeys(counts.index(count, number) for count in counts[number:]):
            found = _new_task(plans, offered, (category, counts[later]), tasks, seed)
            if found is not None:
                counts[number], counts[later] = counts[later], counts[number]
                tasks.append(found)
                break
        else:
            raise SpecError([Problem("ctbench", "tasks", str(number), f"networks with room for category {category}")])
    return tuple(tasks)


def _new_task(
    plans: Mapping[str, FabricPlan],
    offered: Offered,
    wanted: tuple[Category, int],
    earlier: Sequence[RcaTask],
    seed: int,
) -> RcaTask | None:
    """A task whose network has other root causes than in any earlier one: equal ones would count a success twice."""
    known = {(task.network, task.gold) for task in earlier}
    used = Counter(cause.triple.cause for task in earlier for cause in task.causes)
    for attempt in range(_TRIES):
        rng = random.Random(f"rca {seed} {len(earlier)} {wanted[1]} {attempt}")
        drawn = _drawn(offered, *wanted, used, rng)
        if drawn is None or (drawn[0], frozenset(broken.triple for broken, _ in drawn[1])) in known:
            continue
        task = _told(plans[drawn[0]], *drawn, task_id("rca", seed, len(earlier)), rng)
        if task is not None:
            return task
    return None


def _drawn(
    offered: Offered,
    category: Category,
    count: int,
    used: Counter[str],
    rng: random.Random,
) -> tuple[str, list[tuple[Broken, int]]] | None:
    """A network and root causes in it, the first of the category; None when they have no room beside each other."""
    labels = sorted({label for found in offered.values() for label in found})
    first = _least_used([each for each in labels if CAUSE_BY_LABEL[each].category == category], used, rng)
    network = rng.choice([name for name, found in offered.items() if first in found])
    chosen = _chosen(offered[network], first, count, used, rng)
    return None if chosen is None else (network, chosen)


def _chosen(
    offered: Mapping[str, Sequence[Broken]], first: str, count: int, used: Counter[str], rng: random.Random
) -> list[tuple[Broken, int]] | None:
    """Root causes that leave each other alone, each with its number among those of the same key."""
    chosen: list[tuple[Broken, int]] = []
    taken: set[str] = set()
    for number in range(count):
        free = {
            label: places
            for label, found in offered.items()
            if (places := [each for each in found if not taken & set(each.touches)])
        }
        if not free:
            return None
        label = first if number == 0 else _least_used(sorted(free), used, rng)
        broken = rng.choice(free[label])
        alike = [each for each in offered[label] if each.triple == broken.triple]
        chosen.append((broken, next(i for i, each in enumerate(alike) if each is broken)))
        taken.update(broken.touches)
    return chosen


def _least_used(labels: Sequence[str], used: Counter[str], rng: random.Random) -> str:
    """Any of the labels, those that were seldom drawn so far more often."""
    return rng.choices(labels, [1 / (1 + used[label]) for label in labels])[0]


def _told(
    plan: FabricPlan, network: str, chosen: Sequence[tuple[Broken, int]], name: str, rng: random.Random
) -> RcaTask | None:
    triples = [broken.triple for broken, _ in chosen]
    vendors = dealt_vendors(plan, rng)
    is_indirect = rng.random() < _DENIED_SHARE
    denied = _denied(plan, triples, vendors, rng) if is_indirect else frozenset[Look]()
    ways = [fewest(alternatives(triple, plan, vendors), denied) for triple in triples]
    golden = smallest(ways, denied)
    if golden is None:
        return None
    ends = _complaint(plan, chosen[0][0], rng)
    metadata = rca_metadata(plan, triples, vendors, "O2" if denied else "O1", ends)
    return RcaTask(
        id=name,
        network=network,
        seed=rng.getrandbits(31),
        vendors=vendors,
        source=ends[0],
        target=ends[1],
        denied=in_order(denied),
        golden=in_order(golden),
        metadata=metadata.model_copy(update={"golden_length": len(golden)}),
        causes=tuple(
            CauseRef(triple=broken.triple, variant=variant, shown_by=tuple(map(in_order, found)))
            for (broken, variant), found in zip(chosen, ways, strict=True)
        ),
    )


def _denied(
    plan: FabricPlan, triples: Sequence[Triple], vendors: Mapping[str, Vendor], rng: random.Random
) -> frozenset[Look]:
    """What takes away the direct evidence of one of the causes that have indirect evidence too."""
    able = [found for triple in triples if (found := denials(triple, plan, vendors)) is not None]
    return rng.choice(able) if able else frozenset()


def _complaint(plan: FabricPlan, broken: Broken, rng: random.Random) -> tuple[str, str]:
    """Two hosts, the first near the cause."""
    near = Design(plan).distances(broken.triple.node)
    everyone = sorted((near.get(host.name, len(plan.nodes)), host.name) for host in hosts(plan))
    source = everyone[0][1]
    others = [name for _, name in everyone if name != source and does_reach(plan, source, name)]
    return source, rng.choice(others or [name for _, name in everyone[1:]])


def _path_tasks(plans: Mapping[str, FabricPlan], seed: int) -> tuple[PathTask, ...]:
    rng = random.Random(f"path {seed}")
    singles: list[tuple[str, str, str]] = []
    several: list[tuple[str, str, str]] = []
    for name in PATH_NETWORKS:
        plan, design = plans[name], Design(plans[name])
        for one in hosts(plan):
            for other in hosts(plan):
                found = design.paths(one.name, other.name) if does_reach(plan, one.name, other.name) else frozenset()
                if found and any(len(path.hops) > 2 for path in found) and one.name != other.name:
                    (singles if len(found) == 1 else several).append((name, one.name, other.name))
    chosen = _spread(singles, _SINGLE_PATHS, rng) + _spread(several, _PATHS - _SINGLE_PATHS, rng)
    if len(chosen) < _PATHS:
        raise SpecError([Problem("ctbench", "paths", str(len(chosen)), f"networks with {_PATHS} pairs of hosts")])
    return tuple(
        _path_task(plans[pair[0]], pair, task_id("path", seed, number), rng) for number, pair in enumerate(chosen)
    )


def _spread(pairs: Sequence[tuple[str, str, str]], count: int, rng: random.Random) -> list[tuple[str, str, str]]:
    """So many pairs, as evenly over the networks as these have them."""
    by_network = {
        name: rng.sample(own, len(own)) for name in PATH_NETWORKS if (own := [p for p in pairs if p[0] == name])
    }
    chosen: list[tuple[str, str, str]] = []
    while len(chosen) < count and any(by_network.values()):
        chosen += [own.pop() for own in by_network.values() if own][: count - len(chosen)]
    return chosen


def _path_task(plan: FabricPlan, pair: tuple[str, str, str], name: str, rng: random.Random) -> PathTask:
    network, *ends = pair
    paths = sorted(Design(plan).paths(*ends), key=str)
    by_name = {node.name: node for node in plan.nodes}
    about = str(by_name[ends[1]].interfaces[0].address.ip)
    devices = sorted({hop.node for path in paths for hop in path.hops if by_name[hop.node].is_switch})
    # The denied device still shows its kernel's table.
    shut = rng.choice(devices) if rng.random() < _INDIRECT_SHARE else None
    denied = [Look(device=shut, need=need) for need in ("route_lookup", "route_table")] if shut else []
    golden = [Look(device=name, need="fib" if name == shut else "route_lookup", about=about) for name in devices]
    golden += [Look(device=name, need="vrrp") for name in _answering(plan, by_name[ends[0]])]
    vendors = dealt_vendors(plan, rng)
    return PathTask(
        id=name,
        network=network,
        seed=rng.getrandbits(31),
        vendors=vendors,
        source=ends[0],
        target=ends[1],
        denied=in_order(denied),
        golden=in_order(golden),
        metadata=path_metadata(plan, [*devices, *ends], len(paths), vendors, golden),
        paths=tuple(paths),
    )


def _answering(plan: FabricPlan, host: Node) -> list[str]:
    """The router that answers for a host's gateway address while others stand by, if there is one."""
    groups = plan.lab.standby.values() if plan.lab is not None else ()
    is_shared = any(each.address == host.gateway for shared in groups for each in shared)
    return [host.attached_to] if is_shared and host.attached_to is not None else []
