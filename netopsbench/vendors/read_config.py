"""What stands in the routing software's configuration, as facts."""

import re
from collections.abc import Sequence

from netopsbench.vendors import facts as f

_NOISE = re.compile(r"Building configuration|Current configuration|frr version|frr defaults|end$|line vty|$")
_LIST = re.compile(r"ip prefix-list (\S+)(?: seq (\d+))? (permit|deny) (\S+)(?: ge (\d+))?(?: le (\d+))?$")
_MAP = re.compile(r"route-map (\S+) (permit|deny) (\d+)")


def running(text: str) -> tuple[str, ...]:
    """The lines of a running configuration without what is no configuration."""
    return tuple(line.rstrip() for line in text.splitlines() if not _NOISE.match(line))


def saved(text: str) -> tuple[str, ...]:
    """The lines of every daemon's file; what stands in several is kept once."""
    lines: list[str] = []
    for line in running(text):
        is_common = not line.startswith((" ", "!", "exit")) and not line.startswith(("interface ", "router "))
        if not is_common or line not in lines:
            lines.append(line)
    return tuple(_without_empty(lines))


def _without_empty(lines: Sequence[str]) -> list[str]:
    """Runs of `!` become one; an `exit` that ends nothing, left over from what was no configuration, goes."""
    kept: list[str] = []
    for line in lines:
        is_repeated = line == "!" and kept[-1:] == ["!"]
        ends_nothing = line == "exit" and (not kept or kept[-1] == "!")
        if not is_repeated and not ends_nothing:
            kept.append(line)
    return kept


def policies(lines: Sequence[str]) -> f.Policies:
    """Route maps and prefix lists, in the order in which they stand."""
    maps: dict[str, list[f.PolicyEntry]] = {}
    lists: dict[str, list[f.PrefixRule]] = {}
    open_: tuple[str, str, int] | None = None
    inside: list[str] = []
    for line in (*lines, "!"):
        if open_ is not None and line.startswith(" "):
            inside.append(line.strip())
            continue
        if open_ is not None:
            name, action, sequence = open_
            entry = f.PolicyEntry(action=action, sequence=sequence, lines=tuple(inside))
            maps.setdefault(name, []).append(entry)
            open_, inside = None, []
        if found := _MAP.match(line):
            open_ = (found[1], found[2], int(found[3]))
        elif found := _LIST.match(line):
            lists.setdefault(found[1], []).append(_rule(found, len(lists.get(found[1], []))))
    return f.Policies(
        is_running=bool(lines),
        policies=tuple(f.Policy(name=name, entries=tuple(entries)) for name, entries in maps.items()),
        lists=tuple(f.PrefixList(name=name, rules=tuple(rules)) for name, rules in lists.items()),
    )


def _rule(found: "re.Match[str]", before: int) -> f.PrefixRule:
    return f.PrefixRule(
        sequence=int(found[2]) if found[2] else 5 * (before + 1),
        action=found[3],
        prefix="0.0.0.0/0" if found[4] == "any" else found[4],
        at_least=int(found[5]) if found[5] else None,
        at_most=32 if found[4] == "any" else int(found[6]) if found[6] else None,
    )
