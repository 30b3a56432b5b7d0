"""Who tells nothing of itself by LLDP, out of what routers print of their neighbours."""

import re
from collections.abc import Iterator

from netopsbench.agent.sweeper.swept import Said, Swept
from netopsbench.vendors.names import InterfaceNames

_MISSING = "host information collection function missing"
_OFF = re.compile(r"LLDP is not enabled|Container lldp is not running|unable to connect to socket")
_BLOCK = re.compile(r"^Interface:\s+(\S+), via: LLDP.*\n(?:[ \t].*\n)*?[ \t]+SysName:[ \t]+(\S+)", re.MULTILINE)
_FIRST_WORDS = 2
"""A row begins with the own port and the neighbour's name, or the other way round."""

Heard = tuple[str, str]
"""Own port by the kernel's name, and the device that is heard there."""


def silent(swept: Swept) -> Iterator[Said]:
    """Devices that don't run LLDP where others do, and ports out of which it isn't sent."""
    routers = swept.network.routers
    running = {name for name in routers if _is_running(swept, name)}
    heard = {name: read_heard(swept.text(name, "link_neighbors"), swept.names(name)) for name in running}
    for device in routers if running else ():
        is_told = swept.told(device, "link_neighbors")
        if is_told and device not in running:
            yield device, "lldp", _MISSING
            continue
        ends = [(name, far.device, far.interface) for name, far in swept.far_ends(device) if far.device in routers]
        hearing = [far for _, far, port in ends if (port, device) in heard.get(far, ())]
        unheard = [
            name
            for name, far, port in ends
            if far in running and _is_up(swept, far, port) and (port, device) not in heard[far]
        ]
        if is_told or hearing:
            yield from ((device, name, _MISSING) for name in unheard)
        elif len(unheard) == len(ends) > 1:
            yield device, "lldp", _MISSING


def read_heard(text: str, names: InterfaceNames) -> set[Heard]:
    """Neighbours by LLDP."""
    found = set(_BLOCK.findall(text + "\n"))
    for line in text.splitlines():
        first, *others = line.split()[:_FIRST_WORDS] or [""]
        for own, device in ((first, other) for other in others):
            port, swapped = names.native(own), names.native(device)
            if port or swapped:
                found.add((port, device) if port else (swapped, own))
    return found


def _is_running(swept: Swept, device: str) -> bool:
    return swept.told(device, "link_neighbors") and _OFF.search(swept.text(device, "link_neighbors")) is None


def _is_up(swept: Swept, device: str, port: str) -> bool:
    shown = swept.interfaces[device].get(port)
    return shown is not None and not shown.is_down
