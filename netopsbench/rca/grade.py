"""Grades an answer to a task: the published figures by the strict reader, and by the tolerant one beside them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from typing import NamedTuple

from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.answer import PathHop, Reading, RestoredPath, Said, Triple, read_paths, read_triples
from netopsbench.rca.hierarchy import nodes_score
from netopsbench.rca.metrics import Action, PathFigures, RcaFigures, evidence_f1, path_figures, rca_figures
from netopsbench.rca.model import PathTask, RcaTask, Task, in_order
from netopsbench.rca.naming import full_name, told_paths, told_triples
from netopsbench.rca.record import TaskScore
from netopsbench.rca.solving.evidence import Look
from netopsbench.vendors.names import Need, Vendor
from netopsbench.vendors.parse import CommandMistakeError
from netopsbench.vendors.pipes import PipeMistakeError, split
from netopsbench.vendors.table import read


def grade(
    task: Task, text: str, commands: Iterable[tuple[str, str]], effort: tuple[int, float, int | None], agent: str
) -> TaskScore:
    """Grade a task's answer; `commands` are (device, line), `effort` rounds, seconds and tokens."""
    rounds, elapsed_s, tokens = effort
    typed = [action for device, line in commands if (action := action_of(task.vendors, device, line))]
    return TaskScore(
        task_id=task.id,
        agent=agent,
        kind=task.kind,
        strict=_figures(task, text, "strict"),
        tolerant=_figures(task, text, "tolerant"),
        evidence=max(_evidence(typed, golden) for golden in task.golden_sets),
        rounds=rounds,
        elapsed_s=elapsed_s,
        tokens=tokens,
    )


def _evidence(typed: Iterable[Action], looks: Iterable[Look]) -> float:
    """F1 of the actions against one set of golden steps."""
    golden = frozenset((look.device, _spelled(look.need, look.about)) for look in looks)
    return evidence_f1({_shown(action, golden) for action in typed}, golden)


class Steps(NamedTuple):
    """An agent's commands against golden steps."""

    golden: tuple[tuple[Look, bool], ...]
    """Of the golden sets the one that comes nearest, each step with whether it was taken."""
    are_golden: tuple[bool, ...]
    """Of each command, in order."""


def steps_of(task: Task, commands: Sequence[tuple[str, str]]) -> Steps:
    """What evidence is worked out from; `commands` are (device, line)."""
    actions = [action_of(task.vendors, device, line) for device, line in commands]
    typed = [action for action in actions if action is not None]
    nearest = max(task.golden_sets, key=lambda looks: _evidence(typed, looks))
    wanted = {(look.device, _spelled(look.need, look.about)): look for look in in_order(nearest)}
    shown = [_shown(action, frozenset(wanted)) if action is not None else None for action in actions]
    return Steps(
        golden=tuple((look, action in shown) for action, look in wanted.items()),
        are_golden=tuple(action in wanted for action in shown),
    )


def nearness(task: Task, text: str, plan: FabricPlan) -> float | None:
    """How near the devices of a wrong root-cause answer are to the true ones; None for a right one, and for paths."""
    if task.kind == "path":
        return None
    said, gold = read_triples(text, "strict"), told_triples(task)
    if said.entries == gold and not said.rejected:
        return None
    return nodes_score({each.node for each in said.entries}, {each.node for each in gold}, plan)


def action_of(vendors: Mapping[str, Vendor], device: str, line: str) -> Action | None:
    """A line as an action: what it asks for, and the address or prefix that it looks up; None when it is no command.

    Lines of different vendors, abbreviated or filtered, that ask for the same are the same action.
    """
    if device not in vendors:
        return None
    vendor = vendors[device]
    try:
        asked = read(vendor, split(line, vendor)[0])
    except (CommandMistakeError, PipeMistakeError):
        return None
    return device, _spelled(asked.command.need, _about(asked.arguments))


def _about(arguments: Mapping[str, str]) -> str:
    """The address or the prefix that a look-up is about."""
    if "mask" in arguments:
        return str(IPv4Network(f"{arguments['address']}/{arguments['mask']}", strict=False))
    return arguments.get("prefix") or arguments.get("address") or ""


def _spelled(need: Need, about: str) -> str:
    # The whole table of the kernel shows what a look-up in it shows.
    return f"{need} {about}".rstrip() if need == "route_lookup" else need


def _shown(action: Action, golden: frozenset[Action]) -> Action:
    """The golden look-up that an action shows: one of a whole prefix shows the routes to all of its addresses."""
    device, (need, _, about) = action[0], action[1].partition(" ")
    if "/" not in about:
        return action
    network = IPv4Network(about, strict=False)
    for step in sorted(golden):
        wanted, _, address = step[1].partition(" ")
        if (step[0], wanted) == (device, need) and address and IPv4Address(address) in network:
            return step
    return action


def _figures(task: RcaTask | PathTask, text: str, reading: Reading) -> RcaFigures | PathFigures:
    if task.kind == "rca":
        return rca_figures(_triples(task, text, reading), told_triples(task))
    return path_figures(_paths(task, text, reading), told_paths(task))


def _triples(task: RcaTask, text: str, reading: Reading) -> Said[Triple]:
    said = read_triples(text, reading)
    if reading == "strict":
        return said
    named = (each.model_copy(update={"object": full_name(task, each.node, each.object)}) for each in said.entries)
    return replace(said, entries=frozenset(named))


def _paths(task: PathTask, text: str, reading: Reading) -> Said[RestoredPath]:
    said = read_paths(text, reading)
    if reading == "strict":
        return said
    named = (
        RestoredPath(
            hops=tuple(PathHop(node=h.node, egress=full_name(task, h.node, h.egress)) for h in path.hops), end=path.end
        )
        for path in said.entries
    )
    return replace(said, entries=frozenset(named))
