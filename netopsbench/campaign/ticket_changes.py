"""What an agent changed in a lab: seen by inspections before and after, and by the processes of its services."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from netopsbench.core.process import Completed
from netopsbench.records.trial import ToolCall
from netopsbench.tickets.record import Changes
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tools.catalog import WRITING
from netopsbench.tools.published.profile import PUBLISHED

WRITES = frozenset(tool.name for tool in (*WRITING, *PUBLISHED) if tool.effect == "write")
"""Names of tools that may change devices, whatever profile they belong to."""
_MOST_LINES = 40
"""Of configuration that changed; a record that is longer says so."""
_AT_ONCE = 4
"""Nodes that are asked side by side."""
_LOOK = """
for file in /run/frr/*.pid /run/*.pid; do
    [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null && echo "$file $(cat "$file")"
done
echo ==
[ -d /run/frr ] && vtysh -c 'show running-config' 2>/dev/null
nft -s list ruleset 2>/dev/null
true
"""


class Sight(NamedTuple):
    """A lab at one moment."""

    findings: tuple[str, ...]
    processes: dict[str, str]
    """`r1: frr/bgpd` to its process id."""
    configuration: tuple[str, ...]
    """`r1: router bgp 1`, line by line, in the order of the nodes."""


def look_at(lab: StandingLab) -> Sight:
    """Inspect the lab and its services. Raises InfraError when that can't be done."""
    processes = {}
    configuration: list[str] = []
    for node, done in zip(lab.plan.nodes, on_each(lab, ["sh", "-c", _LOOK]), strict=True):
        running, _, configured = done.stdout.partition("==\n")
        for line in running.splitlines():
            file, _, pid = line.rpartition(" ")
            processes[f"{node.name}: {file.removeprefix('/run/').removesuffix('.pid')}"] = pid
        configuration += [f"{node.name}: {line.strip()}" for line in configured.splitlines() if _says(line)]
    return Sight(tuple(lab.findings()), processes, tuple(configuration))


def on_each(lab: StandingLab, argv: Sequence[str], *, routers_alone: bool = False) -> list[Completed]:
    """A command on every node of the lab, some at a time, in the order of the nodes. Raises InfraError."""
    names = [node.name for node in lab.plan.nodes if node.daemons or not routers_alone]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda name: lab.fabric.exec(name, argv), names))


def changes(before: Sight, after: Sight, calls: Sequence[ToolCall]) -> Changes:
    """What is different, and the calls that may have made it so."""
    found = [f"new: {each}" for each in after.findings if each not in before.findings]
    found += [f"gone: {each}" for each in before.findings if each not in after.findings]
    return Changes(
        findings=tuple(found),
        restarted=tuple(_restarted(before.processes, after.processes)),
        configuration=tuple(_lines(before.configuration, after.configuration)),
        commands=commands_of(calls),
    )


def is_configured_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two configurations hold the same lines, in whatever order."""
    return Counter(one) == Counter(other)


def commands_of(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    """The calls that may change devices, with their arguments."""
    return tuple(
        f"{call.tool} {' '.join(str(value) for value in call.arguments.values())}"
        for call in calls
        if call.tool in WRITES
    )


def _restarted(before: dict[str, str], after: dict[str, str]) -> list[str]:
    told = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            told.append(f"{name} stopped")
        elif name not in before:
            told.append(f"{name} started")
        elif before[name] != after[name]:
            told.append(f"{name} restarted")
    return told


def _says(line: str) -> bool:
    """Whether a line is a setting, and no frame of the printout."""
    return bool(line.strip("!{} \t")) and not line.startswith(("Building", "Current", "end"))


def _lines(before: Sequence[str], after: Sequence[str]) -> list[str]:
    gone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    told = [_marked(line, mark) for mark, found in (("-", gone), ("+", new)) for line in found.elements()]
    return told[:_MOST_LINES] + ([f"and {len(told) - _MOST_LINES} more"] if len(told) > _MOST_LINES else [])


def _marked(line: str, mark: str) -> str:
    node, _, setting = line.partition(": ")
    return f"{node}: {mark} {setting}"
