"""What is wrong with ports, their addresses and the hardware addresses beyond them, out of what routers print."""

from collections.abc import Iterator
from ipaddress import IPv4Address

from netopsbench.agent.sweeper.reading import read_arp, read_down_peers
from netopsbench.agent.sweeper.routes import wrong_sessions
from netopsbench.agent.sweeper.swept import Finding, Said, Swept


def wrong_ports(swept: Swept, device: str) -> Iterator[Finding]:
    """Ports with another state, MTU, address or maker than designed."""
    shown_here = swept.interfaces[device]
    usual = [each.mac[:8] for each in shown_here.values() if each.mac and int(each.mac, 16)]
    for name, shown in shown_here.items():
        if (device, name) not in swept.network.ends:
            continue
        own, _, mtu = swept.network.ends[device, name]
        if not shown.is_on:
            yield name, "shutdown"
        if shown.mtu is not None and shown.mtu < mtu:
            yield name, "MTU value misconfiguration"
        if not any(address.partition("/")[0] == own.address for address in shown.addresses):
            yield name, "interface IP error"
        if shown.mac is not None and usual.count(shown.mac[:8]) * 2 < len(usual):
            yield name, "MAC address configuration error"


def moved_ports(swept: Swept, device: str) -> Iterator[Finding]:
    """Ports in other networks than designed, where only the route table shows it."""
    for name, networks in swept.connected(device).items():
        designed = swept.network.ports[device].get(name)
        if designed is not None and name not in swept.interfaces[device] and designed not in networks:
            yield name, "interface IP error"


def double_loopback(swept: Swept, device: str) -> Iterator[Finding]:
    """Another device's loopback."""
    others = {node.loopback for node in swept.network.nodes.values() if node.name != device and node.loopback}
    lo = swept.interfaces[device].get("lo")
    held = [address.partition("/")[0] for address in lo.addresses] if lo is not None else []
    held += [str(network[0]) for network in swept.connected(device).get("lo", ())]
    if any(address in others for address in held):
        yield "lo", "loopback IP configuration conflict"


def wrong_arp(swept: Swept, device: str) -> Iterator[Finding]:
    """Entries that differ from what the neighbour shows, unless that is what looks wrong."""
    known = read_arp(swept.text(device, "arp"))
    # What a host's address is nobody shows: an entry of a kind that no device here has is wrong all the same.
    kinds = [each.mac[:4] for ports in swept.interfaces.values() for each in ports.values() if each.mac]
    for name, far in swept.far_ends(device):
        mac = known.get(IPv4Address(far.address))
        if mac is not None and kinds and kinds.count(mac[:4]) * 10 < len(kinds):
            yield name, "ARP configuration error"


def shut_beyond(swept: Swept) -> Iterator[Said]:
    """Ports at other ends of links that are down without being switched off at this end."""
    for device, ports in swept.interfaces.items():
        for name, shown in ports.items():
            if not (shown.is_on and shown.is_down) or (device, name) not in swept.network.ends:
                continue
            far = swept.network.ends[device, name][1]
            if far.device in swept.interfaces:
                yield far.device, far.interface, "shutdown"


def misconfigured_beyond(swept: Swept) -> Iterator[Said]:
    """Neighbors that tell nothing of their sessions, when one is down here and nothing else is wrong with it."""
    for device in swept.network.routers:
        down = read_down_peers(swept.text(device, "bgp_summary"))
        wrong_here = dict(wrong_sessions(swept, device)) if down else {}
        for name, far in swept.far_ends(device):
            if IPv4Address(far.address) not in down or name in wrong_here or swept.text(far.device, "bgp_summary"):
                continue
            ends = ((device, name), (far.device, far.interface))
            if swept.is_router(far.device) and all(_knows(swept, *end) and swept.is_right(*end) for end in ends):
                yield far.device, far.interface, "BGP configuration error"


def _knows(swept: Swept, device: str, name: str) -> bool:
    """Whether a device holds the hardware address that its neighbor at a port shows."""
    far = swept.network.ends[device, name][1]
    shown = swept.interfaces[far.device].get(far.interface)
    held = read_arp(swept.text(device, "arp")).get(IPv4Address(far.address))
    return shown is not None and shown.mac is not None and held in (None, shown.mac)
