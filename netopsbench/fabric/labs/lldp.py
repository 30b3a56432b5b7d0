"""LLDP on a lab's routers: how lldpd is started and set up, and what it heard of whom at which port."""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from netopsbench.core.model import Model
from netopsbench.fabric.labs.scripts import service_script
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.names import Port

LLDP = "lldp"
"""Name of the service, and of its script."""
TOLD_EVERY_S = 1
_FORGOTTEN_AFTER = 5
"""Periods without a word until a neighbour's entry is gone."""
SHOW_NEIGHBORS = ("lldpcli", "-f", "json0", "show", "neighbors")
"""Each list is one there, however many entries it has."""

_LOAD_NUMBER, _LOAD_ARCH = 0, 4
_LOAD, _SAME, _END = 0x20, 0x15, 0x06
_ALLOW, _DONE = 0x7FFF_0000, 0x0005_0000
_SETGROUPS = {0xC000_003E: 116, 0xC000_00B7: 159}
"""Processor, x86-64 and arm64 as the kernel numbers them, to the number of the system call."""

_START = """\
    is_running && exit 0
    mkdir -p /run/lldpd
    # lldpd wants to leave its groups. Without root a sandbox has none to leave and the kernel refuses; the filter
    # says that it is done.
    printf '@filter@' > /run/lldpd/filter
    bwrap --dev-bind / / --cap-add ALL --seccomp 9 lldpd 9</run/lldpd/filter
"""


class Heard(Model):
    """What a port heard of the device at the other end of its cable."""

    interface: str
    device: str
    port: str
    """As that device's kernel calls it."""
    mac: str
    """By which the device is known."""
    ttl_s: int
    """How long this holds without another word."""
    capabilities: tuple[str, ...]
    """What it does, as far as it is on: `Bridge`, `Router`, `Station`."""


def lldp_files(interfaces: Iterable[str]) -> dict[str, str]:
    """Start script and settings of a router that speaks LLDP at these ports."""
    lines = (
        f"configure system interface pattern {','.join(interfaces)}",
        "configure lldp portidsubtype ifname",
        f"configure lldp tx-interval {TOLD_EVERY_S}",
        f"configure lldp tx-hold {_FORGOTTEN_AFTER}",
    )
    spelled = "".join(f"\\{byte:03o}" for byte in setgroups_filter())
    return {
        "lldpd.conf": "".join(f"{line}\n" for line in lines),
        **service_script(LLDP, process="lldpd", start=_START.replace("@filter@", spelled)),
    }


def setgroups_filter() -> bytes:
    """A filter of system calls, for the kernel, by which setgroups does nothing and succeeds; all others pass."""
    lines = [_line(_LOAD, _LOAD_ARCH)]
    for machine, number in _SETGROUPS.items():
        # Another processor: on to the next three lines. This one, but another call: it is allowed.
        lines += [_line(_SAME, machine, 0, 4), _line(_LOAD, _LOAD_NUMBER)]
        lines += [_line(_SAME, number, 0, 1), _line(_END, _DONE), _line(_END, _ALLOW)]
    return b"".join([*lines, _line(_END, _ALLOW)])


def _line(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)


def lldp_cables(plan: FabricPlan) -> Iterator[tuple[Port, Port]]:
    """Cables between two routers that speak LLDP, from each end. A segment's bridge passes none of it on."""
    speaking = set(plan.lab.lldp) if plan.lab else set()
    for link in plan.links:
        if {link.a.node, link.b.node} <= speaking:
            yield link.a, link.b
            yield link.b, link.a


def read_neighbors(shown: object) -> tuple[Heard, ...]:
    """What `lldpcli -f json0 show neighbors` tells, in the order of the ports."""
    told = shown.get("lldp", []) if isinstance(shown, dict) else []
    found = [_heard(each) for part in told for each in part.get("interface", [])]
    return tuple(sorted(found, key=lambda each: each.interface))


def _heard(shown: Mapping[str, Any]) -> Heard:
    chassis, port = shown["chassis"][0], shown["port"][0]
    return Heard(
        interface=str(shown["name"]),
        device=_value(chassis, "name"),
        port=_value(port, "id"),
        mac=_value(chassis, "id"),
        ttl_s=int(_value(port, "ttl") or 0),
        capabilities=tuple(str(each["type"]) for each in chassis.get("capability", []) if each.get("enabled")),
    )


def _value(shown: Mapping[str, Any], key: str) -> str:
    entries = shown.get(key) or [{}]
    return str(entries[0].get("value", ""))


def unheard(plan: FabricPlan, answers: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Node, port and message for every cable whose far end a router hasn't heard; `answers` by router."""
    heard = {name: _told(text) for name, text in answers.items()}
    for here, there in lldp_cables(plan):
        if (here.interface, there.node, there.interface) not in heard[here.node]:
            yield here.node, here.interface, f"{here} hears nothing of {there} by LLDP"


def _told(text: str) -> set[tuple[str, str, str]]:
    """Own port, device and its port of every neighbour; none where lldpd doesn't answer."""
    try:
        shown = json.loads(text or "{}")
    except ValueError:
        return set()
    return {(each.interface, each.device, each.port) for each in read_neighbors(shown)}
