"""Names of a plan: unique, and safe in commands, file names and telemetry tags."""

import re
from collections.abc import Iterable, Iterator

from netopsbench.core.errors import Problem
from netopsbench.fabric.plan import FabricPlan

NODE_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
FABRIC_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
NODE_NAME_LIMIT = 63
"""A host name's. Node names never become names of kernel interfaces, so those 15 don't bind here."""

INTERFACE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
INTERFACE_NAME_LIMIT = 15
_ALLOWED = {
    NODE_NAME: "small letters, digits and single hyphens",
    FABRIC_NAME: "small letters, digits and single hyphens or underscores",
    INTERFACE_NAME: "letters, digits, _ . -",
}

LINK_ID_LIMIT = 12
"""Ends of a link's cable are interfaces named after its id."""

IP_WORDS = {"a", "add", "address", "dev", "down", "h", "help", "link", "name", "peer", "s", "type", "up", "via"}
VTYSH_WORDS = {"any", "blackhole", "c", "e", "no", "null0", "reject", "show", "vrf"}
KERNEL_WORDS = {"all", "broadcast", "default", "host", "lo", "localhost", "none"}
RESERVED = frozenset(IP_WORDS | VTYSH_WORDS | KERNEL_WORDS)
"""Words that ip, vtysh or sysctl paths would read as something else than a name."""


def check_names(plan: FabricPlan) -> list[Problem]:
    """Mistakes in the names of the fabric, its nodes, interfaces and links."""
    return [
        *_form(plan, "name", plan.name, FABRIC_NAME, NODE_NAME_LIMIT),
        *_repeated(plan, "nodes", (node.name for node in plan.nodes)),
        *_repeated(plan, "links", (link.id for link in plan.links)),
        *(problem for problem in _nodes(plan)),
        *(
            problem
            for link in plan.links
            for problem in _form(plan, f"links.{link.id}", link.id, NODE_NAME, LINK_ID_LIMIT)
        ),
    ]


def _nodes(plan: FabricPlan) -> Iterator[Problem]:
    for node in plan.nodes:
        key = f"nodes.{node.name}"
        yield from _form(plan, key, node.name, NODE_NAME, NODE_NAME_LIMIT)
        yield from _reserved(plan, key, node.name)
        yield from _repeated(plan, f"{key}.interfaces", (port.name for port in node.interfaces))
        for port in node.interfaces:
            inner = f"{key}.interfaces.{port.name}"
            yield from _form(plan, inner, port.name, INTERFACE_NAME, INTERFACE_NAME_LIMIT)
            yield from _reserved(plan, inner, port.name)


def _form(plan: FabricPlan, key: str, name: str, form: re.Pattern[str], limit: int) -> Iterator[Problem]:
    if not form.fullmatch(name):
        allowed = _ALLOWED[form]
        yield Problem(plan.name, key, name, f"use {allowed}, beginning with a letter")
    if len(name) > limit:
        yield Problem(plan.name, key, name, f"use at most {limit} characters, not {len(name)}")


def _reserved(plan: FabricPlan, key: str, name: str) -> Iterator[Problem]:
    if name.lower() in RESERVED:
        yield Problem(plan.name, key, name, "commands would read this as a keyword; use another name")


def _repeated(plan: FabricPlan, key: str, names: Iterable[str]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    for name, times in seen.items():
        if times > 1:
            yield Problem(plan.name, key, name, f"it stands here {times} times; every name once")
