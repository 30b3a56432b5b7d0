"""Queues, bridges, tunnels and shared gateways out of what devices print, whatever their vendor."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address

from netopsbench.vendors.names import InterfaceNames

_QUEUE = re.compile(r"^(\S+)\s+(?:\d+)(?:\s+\d+){2}\s+([1-9]\d*)\s+\d+$", re.MULTILINE)
"""Interface, a shaper's rate, what passed; something dropped; what waits."""
_SHAPER = re.compile(r"^qdisc tbf \S+ dev (\S+) .*\n.*\(dropped ([1-9]\d*),", re.MULTILINE)
_TREE_BY_NAME = re.compile(r"^(\S+)\n\s+Spanning tree (?:is )?(enabled|disabled)", re.MULTILINE)
_NO_TREE_AT_ALL = re.compile(r"Protocol Status\s*:Disabled\s+\((\S+)\)")
_TREE_AT_ALL = "CIST Bridge"
_TREE_OF_KERNEL = re.compile(r"^(\S+)\n bridge id\t.*\n(?: .*\n)*? stp enabled\t+(yes|no)", re.MULTILINE)
_FILTERED = (
    re.compile(r"^(\S+)[ ].*[ ]BPDU filter enabled$", re.MULTILINE),
    re.compile(r"^\s+0\s+(\S+)\s.*DISABLED \(BPDU filter\)", re.MULTILINE),
    re.compile(r'oifname "(\S+)" ether daddr 01:80:c2:00:00:00 drop'),
)
_GROUP_BY_PORT = re.compile(r"^\S+\s+(\d+)\s+\d+\s+\d+\s+(Master|Backup|Initialize)\s+\S+\s+(\d[\d.,]+)$")
_GROUP_BY_NUMBER = re.compile(r"^(\d+)\s+(Master|Backup|Initialize)\s+\S+\s+\d+\s+\d+\s+(\d[\d.,]+)$")
_GROUP_BLOCK = re.compile(r"^\s*Virtual Router ID\s+(\d+)", re.MULTILINE)
_STATUS = re.compile(r"^\s*Status \(v4\)\s+(\w+)", re.MULTILINE)
_LISTED = re.compile(r"^\s*\.{3,}\s+(\d+\.\d+\.\d+\.\d+)\s*$", re.MULTILINE)
_TUNNEL = re.compile(r"^(\d+)\s+(\S+)\s+\d+\.\d+\.\d+\.\d+\s+(\d+)\s", re.MULTILINE)
_TUNNEL_OF_KERNEL = re.compile(r"^\d+: (\S+?): .*\n(?:\s.*\n)*?\s+vxlan id (\d+) .*?dstport (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class ReadGroup:
    """One address of a VRRP group, as one router sees it."""

    number: int
    is_master: bool
    address: IPv4Address


@dataclass(frozen=True)
class ReadTunnel:
    """A device's end of a VXLAN."""

    name: str
    vni: int
    port: int


def read_worn_queues(text: str, names: InterfaceNames) -> list[str]:
    """Ports, by the kernel's name, whose shaper threw packets away."""
    found = [*(name for name, _ in _QUEUE.findall(text)), *(name for name, _ in _SHAPER.findall(text))]
    return [native for name in found if (native := names.native(name))]


def read_trees(text: str) -> dict[str, bool]:
    """Bridge to whether it runs spanning tree; the bridge of vendors that don't name it is called by none."""
    found = {name: state == "enabled" for name, state in _TREE_BY_NAME.findall(text)}
    found |= {name: state == "yes" for name, state in _TREE_OF_KERNEL.findall(text)}
    found |= dict.fromkeys(_NO_TREE_AT_ALL.findall(text), False)
    return found | ({"": True} if _TREE_AT_ALL in text else {})


def read_filtered(text: str, names: InterfaceNames) -> list[str]:
    """Ports, by the kernel's name, that are kept out of spanning tree."""
    found = dict.fromkeys(name for pattern in _FILTERED for name in pattern.findall(text))
    return [native for name in found if (native := names.native(name))]


def read_groups(text: str) -> list[ReadGroup]:
    """VRRP groups, one for each of their addresses."""
    found: list[tuple[str, str, str]] = []
    for line in text.splitlines():
        row = _GROUP_BY_PORT.match(line.strip()) or _GROUP_BY_NUMBER.match(line.strip())
        found += [(row[1], row[2], address) for address in row[3].split(",")] if row else []
    pieces = _GROUP_BLOCK.split(text)
    for number, block in zip(pieces[1::2], pieces[2::2], strict=True):
        status = _STATUS.search(block)
        found += [(number, status[1] if status else "", address) for address in _LISTED.findall(block)]
    return [ReadGroup(int(number), state == "Master", IPv4Address(address)) for number, state, address in found]


def read_tunnels(text: str) -> list[ReadTunnel]:
    """Ends of VXLANs."""
    found = [(name, vni, port) for vni, name, port in _TUNNEL.findall(text)]
    found += _TUNNEL_OF_KERNEL.findall(text)
    return [ReadTunnel(name, int(vni), int(port)) for name, vni, port in found]
