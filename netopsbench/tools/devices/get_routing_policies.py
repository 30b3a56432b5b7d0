"""Route maps, and the lists they match by."""

import re

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Switch
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import COMMAND_TIMEOUT_S
from netopsbench.tools.devices.live_results import FilterList, PolicyUse, RouteMap, RouteMapEntry, RoutingPolicies

_MAP = re.compile(r"route-map (\S+) (permit|deny) (\d+)")
_MAP_USE = re.compile(r" +neighbor (\S+) route-map (\S+) (in|out)")
_LIST_USE = re.compile(r" +neighbor (\S+) (?:prefix-list|filter-list|distribute-list) (\S+) (in|out)")
_LIST = re.compile(
    r"(?:ip|bgp) (prefix-list|as-path access-list|(?:large-|ext)?community-list)(?: standard| expanded)? (\S+) (.+)"
)
_MATCH = re.compile(r"match (?:ip address prefix-list|as-path|(?:large-|ext)?community) (\S+)")


def get_routing_policies(context: ToolContext, device: Switch) -> RoutingPolicies:
    """The routing policies of a switch: route maps with their entries, prefix lists and other lists, and who uses them.

    They are read from the running configuration.
    """
    context.switch(device)
    done = context.fabric.exec(device, ["vtysh", "-c", "show running-config"], timeout_s=COMMAND_TIMEOUT_S)
    if done.returncode == 124:
        raise ToolError(f"{device} did not answer in {COMMAND_TIMEOUT_S:g} s", "timeout")
    if not done.is_ok:
        message = "the routing software did not answer"
        return RoutingPolicies(device=device, is_running=False, route_maps=(), lists=(), message=message)
    ports = {
        str(port.address.ip): f"{node.name}:{port.name}" for node in context.plan.nodes for port in node.interfaces
    }
    lines = done.stdout.splitlines()
    entries = _entries(lines)
    return RoutingPolicies(
        device=device, is_running=True, route_maps=_maps(lines, entries, ports), lists=_lists(lines, entries)
    )


def _entries(lines: list[str]) -> dict[str, list[RouteMapEntry]]:
    """Entries of each route map in the order of the configuration, which is that of their numbers."""
    found: dict[str, list[RouteMapEntry]] = {}
    for number, line in enumerate(lines):
        begun = _MAP.fullmatch(line.rstrip())
        if begun is None:
            continue
        inside = []
        for following in lines[number + 1 :]:
            if not following.startswith(" "):
                break
            inside.append(following.strip())
        name, action, sequence = begun.groups()
        entry = RouteMapEntry(
            action="permit" if action == "permit" else "deny", sequence=int(sequence), lines=tuple(inside)
        )
        found.setdefault(name, []).append(entry)
    return found


def _maps(lines: list[str], entries: dict[str, list[RouteMapEntry]], ports: dict[str, str]) -> tuple[RouteMap, ...]:
    uses: dict[str, list[PolicyUse]] = {name: [] for name in entries}
    for line in lines:
        if used := _MAP_USE.fullmatch(line.rstrip()):
            address, name, direction = used.groups()
            use = PolicyUse(neighbor=address, peer=ports.get(address), direction="in" if direction == "in" else "out")
            # A map that is applied but not defined belongs in the list too: it denies everything.
            uses.setdefault(name, []).append(use)
    return tuple(
        RouteMap(name=name, entries=tuple(entries.get(name, ())), used_by=tuple(used))
        for name, used in sorted(uses.items())
    )


def _lists(lines: list[str], entries: dict[str, list[RouteMapEntry]]) -> tuple[FilterList, ...]:
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if part := _LIST.fullmatch(line.rstrip()):
            kind, name, rule = part.groups()
            found.setdefault((kind, name), []).append(rule)
    used: dict[str, list[str]] = {}
    for name, numbered in entries.items():
        for entry in numbered:
            for match in filter(None, map(_MATCH.match, entry.lines)):
                used.setdefault(match.group(1), []).append(f"{name} {entry.sequence}")
    for line in lines:
        if use := _LIST_USE.fullmatch(line.rstrip()):
            used.setdefault(use.group(2), []).append(f"{use.group(1)} {use.group(3)}")
    return tuple(
        FilterList(kind=kind, name=name, lines=tuple(rules), used_by=tuple(used.get(name, ())))
        for (kind, name), rules in sorted(found.items())
    )
