"""What an agent changed in a lab: seen by inspections before and after, and by the processes of its services."""

from collections.abc import Sequence
from typing import NamedTuple

from netopsbench.records.trial import ToolCall
from netopsbench.tickets.record import Changes
from netopsbench.tickets.standing_lab import StandingLab
from netopsbench.tools.catalog import WRITING
from netopsbench.tools.published import PUBLISHED

WRITES = frozenset(tool.name for tool in (*WRITING, *PUBLISHED) if tool.effect == "write")
"""Names of tools that may change devices, whatever profile they belong to."""
_PROCESSES = """
for file in /run/frr/*.pid /run/*.pid; do
    [ -e "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null && echo "$file $(cat "$file")"
done
true
"""


class Sight(NamedTuple):
    """A lab at one moment."""

    findings: tuple[str, ...]
    processes: dict[str, str]
    """`r1: frr/bgpd` to its process id."""


def look_at(lab: StandingLab) -> Sight:
    """Inspect the lab and its services. Raises InfraError when that can't be done."""
    processes = {}
    for node in lab.plan.nodes:
        printed = lab.fabric.exec(node.name, ["sh", "-c", _PROCESSES]).stdout
        for line in printed.splitlines():
            file, _, pid = line.rpartition(" ")
            processes[f"{node.name}: {file.removeprefix('/run/').removesuffix('.pid')}"] = pid
    return Sight(tuple(lab.findings()), processes)


def changes(before: Sight, after: Sight, calls: Sequence[ToolCall]) -> Changes:
    """What is different, and the calls that may have made it so."""
    found = [f"new: {each}" for each in after.findings if each not in before.findings]
    found += [f"gone: {each}" for each in before.findings if each not in after.findings]
    return Changes(
        findings=tuple(found),
        restarted=tuple(_restarted(before.processes, after.processes)),
        commands=commands_of(calls),
    )


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
