"""Is a task valid? The network is broken as its key says, and the solver finds the key with what is permitted."""

import time

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.rca.breaking.holding import held
from netopsbench.rca.breaking.repertoire import broken_of
from netopsbench.rca.model import PathTask, RcaTask, Task, in_order
from netopsbench.rca.network.measuring import flow_path, measured_paths, packet_nodes
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.solving.solver import solve

FLOW_PORTS = (40_123, 33_434)


class Proof(Model):
    """What came of proving a task."""

    task_id: str
    kind: str
    problems: tuple[str, ...]
    """Empty when the task is valid."""
    elapsed_s: float

    @property
    def is_valid(self) -> bool:
        return not self.problems


def prove(task: Task, network: StandingNetwork) -> Proof:
    """Prove one task on its network; a failing network is a problem of the task, and the network is built anew."""
    started = time.monotonic()
    try:
        problems = _rca_problems(task, network) if task.kind == "rca" else _path_problems(task, network)
    except InfraError as failure:
        network.discard()
        problems = [f"{failure.reason}: {failure}"]
    elapsed_s = round(time.monotonic() - started, 2)
    return Proof(task_id=task.id, kind=task.kind, problems=tuple(problems), elapsed_s=elapsed_s)


def _rca_problems(task: RcaTask, network: StandingNetwork) -> list[str]:
    problems = []
    causes = broken_of(task.causes, network.plan)
    with held(network.fabric, causes):
        solved = solve(network.fabric, frozenset(task.denied), task.vendors)
    problems += [f"not found: {triple}" for triple in sorted(map(str, task.gold - solved.causes))]
    problems += [f"found but not broken: {triple}" for triple in sorted(map(str, solved.causes - task.gold))]
    if not problems and len(solved.golden) != len(task.golden):
        found = ", ".join(map(str, in_order(solved.golden)))
        problems.append(f"{len(solved.golden)} questions decide it, not {len(task.golden)}: {found}")
    try:
        network.restore(causes)
    except InfraError as failure:
        problems.append(f"the network didn't become healthy again: {failure}")
    return problems


def _path_problems(task: PathTask, network: StandingNetwork) -> list[str]:
    fabric = network.fabric
    measured = measured_paths(fabric, task.source, task.target)
    problems = [f"a path that the kernels don't have: {path}" for path in sorted(map(str, task.gold - measured))]
    problems += [f"a path that the key lacks: {path}" for path in sorted(map(str, measured - task.gold))]
    taken = flow_path(fabric, task.source, task.target, FLOW_PORTS)
    if taken not in measured:
        problems.append(f"the path of one flow is none of them: {taken}")
    seen = packet_nodes(fabric, task.source, task.target, FLOW_PORTS)
    if seen != taken.nodes:
        problems.append(f"a packet went {'->'.join(seen)}, its flow's path is {'->'.join(taken.nodes)}")
    return problems
