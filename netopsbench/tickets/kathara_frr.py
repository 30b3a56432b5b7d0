"""FRR's single configuration file, cut into what each daemon reads."""

import re
from collections.abc import Iterator
from types import MappingProxyType

from netopsbench.fabric.labs.spec import Daemon

ROUTER_DAEMON: MappingProxyType[str, Daemon] = MappingProxyType(
    {"ospf": "ospfd", "rip": "ripd", "eigrp": "eigrpd", "bgp": "bgpd"}
)
_SHARED = ("access-list", "ip prefix-list", "ip community-list", "route-map", "bgp ")
"""What several daemons read: each that runs gets it."""
_SILENT = ("hostname", "log ", "line vty", "service ", "frr ", "password", "enable password", "ip forwarding", "debug ")
_END = re.compile(r"exit(-address-family|-vrf)?|end")


def blocks(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each statement at the margin with the lines below it that are indented."""
    head, body = "", list[str]()
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith(("!", "#")):
            continue
        if line[0].isspace() or (_END.fullmatch(stripped) and head):
            body.append(stripped)
            continue
        if head:
            yield head, tuple(body)
        head, body = stripped, []
    if head:
        yield head, tuple(body)


def split(text: str) -> tuple[dict[Daemon, str], list[str]]:
    """The text per daemon, and the lines at the margin that belong to none of those that labs run."""
    parts: dict[Daemon, list[str]] = {}
    shared: list[str] = []
    unknown: list[str] = []
    for head, body in blocks(text):
        words = head.split()
        daemon = ROUTER_DAEMON.get(words[1]) if words[0] == "router" and len(words) > 1 else None
        if daemon is not None:
            parts.setdefault(daemon, []).extend(
                [head, *(f" {line}" for line in body if not _END.fullmatch(line)), "exit"]
            )
        elif words[0] == "interface":
            _interface(head, body, parts)
        elif head.startswith("ip route "):
            parts.setdefault("staticd", []).append(head)
        elif head.startswith(_SHARED):
            shared += [head, *(f" {line}" for line in body if not _END.fullmatch(line))]
        elif not head.startswith(_SILENT):
            unknown.append(head)
    texts = {
        daemon: "\n".join([*(shared if daemon != "staticd" else []), *lines]) + "\n" for daemon, lines in parts.items()
    }
    return texts, unknown


def addresses(text: str) -> Iterator[tuple[str, str]]:
    """(interface, address) out of the `interface` blocks."""
    for head, body in blocks(text):
        if head.startswith("interface "):
            for line in body:
                if line.startswith("ip address "):
                    yield head.split()[1], line.split()[2]


def _interface(head: str, body: tuple[str, ...], parts: dict[Daemon, list[str]]) -> None:
    for line in body:
        words = line.split()
        daemon = ROUTER_DAEMON.get(words[1]) if words[0] == "ip" and len(words) > 1 else None
        if daemon is not None:
            parts.setdefault(daemon, []).extend([head, f" {line}", "exit"])
