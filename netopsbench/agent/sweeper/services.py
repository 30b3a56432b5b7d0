"""What is wrong with queues, spanning tree, VRRP, VXLANs and EVPN, out of what routers print."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from netopsbench.agent.sweeper.layer2 import read_filtered, read_groups, read_trees, read_tunnels, read_worn_queues
from netopsbench.agent.sweeper.swept import Finding, Said, Swept

_NEIGHBOR = re.compile(r"^ (?:neighbor|peer) (\S+) (?:remote-as|as-number) ", re.MULTILINE)
_EVPN = re.compile(r"^ address-family l2vpn evpn\n((?:  .*\n)*)", re.MULTILINE)
_ACTIVE = re.compile(r"^  (?:neighbor|peer) (\S+) (?:activate|enable)$", re.MULTILINE)
_GROUP = re.compile(r"^ vrrp \d+", re.MULTILINE)
_NO_VRRP = "global VRRP hot standby redundancy protocol not enabled"
_BRIDGE = "br0"
"""The one that designs have; bridges of other names are somebody's own."""


def full_ports(swept: Swept, device: str) -> Iterator[Finding]:
    """Ports with a shaper before which packets were thrown away."""
    for name in read_worn_queues(swept.text(device, "queues"), swept.names(device)):
        yield name, "traffic congestion occupying port bandwidth"


def treeless(swept: Swept) -> Iterator[Said]:
    """Bridges without spanning tree where others run it, and ports that are kept out of it."""
    trees = {name: read_trees(swept.text(name, "spanning_tree")) for name in swept.network.routers}
    if not any(has_tree for bridges in trees.values() for has_tree in bridges.values()):
        return
    for device, bridges in trees.items():
        if bridges.get(_BRIDGE) is False:
            yield device, _BRIDGE, "global STP not enabled"
        told = "\n".join((swept.text(device, "spanning_tree"), swept.text(device, "acl")))
        for name in read_filtered(told, swept.names(device)):
            yield device, name, "port STP not enabled"


def without_groups(swept: Swept, device: str) -> Iterator[Finding]:
    """VRRP that a router lacks on a network for whose gateway another router answers."""
    own = set(swept.network.ports[device].values())
    shared = [
        group.address
        for other in swept.network.routers
        if other != device
        for group in read_groups(swept.text(other, "vrrp"))
    ]
    is_beside = any(IPv4Address(address) in network for address in shared for network in own)
    if not is_beside or swept.is_bridging(device):
        return
    configured = swept.configured(device)
    shows_none = swept.told(device, "vrrp") and not read_groups(swept.text(device, "vrrp"))
    if shows_none or (configured and not _GROUP.search(configured)):
        yield "vrrp", _NO_VRRP


def wrong_evpn(swept: Swept, device: str) -> Iterator[Finding]:
    """Neighbors to which EVPN isn't told, or VPNs that aren't told of at all."""
    configured = swept.configured(device)
    block = _EVPN.search(configured)
    if block is None:
        return
    if set(_NEIGHBOR.findall(configured)) - set(_ACTIVE.findall(block[1])):
        yield "evpn", "L2VPN configuration error"
    if "  advertise-all-vni\n" not in block[1]:
        yield "evpn", "VPN configuration missing"


def odd_tunnels(swept: Swept) -> Iterator[Said]:
    """Ends of a VXLAN whose number or UDP port isn't that of most ends."""
    ends = [(name, each) for name in swept.network.routers for each in read_tunnels(swept.text(name, "vxlan"))]
    vni, port = _of_most([each.vni for _, each in ends]), _of_most([each.port for _, each in ends])
    for device, each in ends:
        if vni not in (None, each.vni) or port not in (None, each.port):
            yield device, each.name, "VXLAN configuration error"


def _of_most(numbers: Sequence[int]) -> int | None:
    """The number that more than half have; None when there is none."""
    return next((each for each, count in Counter(numbers).items() if 2 * count > len(numbers)), None)
