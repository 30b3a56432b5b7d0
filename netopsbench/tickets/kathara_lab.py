"""A Kathará lab as one of this package's: collision domains become cables and LANs, startup lines become facts."""

import re
from ipaddress import IPv4Address, IPv4Interface
from typing import NamedTuple

from netopsbench.core.errors import Problem
from netopsbench.fabric.labs.spec import Daemon, Lab, LabHost, LabNode, LabRouter
from netopsbench.records.names import Port
from netopsbench.tickets.kathara import KatharaLab, Machine
from netopsbench.tickets.kathara_frr import addresses, split

_ADDRESS = re.compile(r"(?:/sbin/)?ip\s+(?:a|addr|address)\s+add\s+(?P<address>\S+)\s+(?:.*\s)?dev\s+(?P<port>\S+).*")
_OLD_ADDRESS = re.compile(
    r"(?:/sbin/)?ifconfig\s+(?P<port>\S+)\s+(?P<address>[\d./]+)(?:\s+netmask\s+(?P<mask>[\d.]+))?.*"
)
_GATEWAY = re.compile(r"ip\s+(?:r|route)\s+(?:add|replace)\s+default\s+via\s+(?P<gateway>[\d.]+).*")
_OLD_GATEWAY = re.compile(r"route\s+add\s+(?:-net\s+)?default\s+gw\s+(?P<gateway>[\d.]+).*")
_NAME_SERVER = re.compile(r"^nameserver\s+(?P<server>[\d.]+)", re.MULTILINE)
_SILENT = re.compile(
    r"ip\s+link\s+set\s+(?:dev\s+)?\S+\s+up|sleep\s.*|(?:systemctl|service)\s.*frr.*|/etc/init\.d/frr\s.*"
    r"|(?:sysctl\s.*|echo\s.*)ip_forward.*|chown\s.*frr.*|chmod\s.*frr.*"
)
_LACKING = (
    ("VLANs", re.compile(r"\bvlan\b|\bbridge\s+vlan\b|\bvconfig\b|\bdev\s+\w+\.\d+\b|type\s+vlan", re.IGNORECASE)),
    ("bonds", re.compile(r"type\s+bond\b|\bifenslave\b")),
    ("address translation", re.compile(r"\biptables\b|\bnft\b")),
    ("a virtual router address", re.compile(r"\bkeepalived\b|\bvrrpd\b")),
)
"""What a lab may ask for and a lab here has no words for."""


DHCP_CLIENTS = ("dhclient", "dhcpcd", "udhcpc")
NO_DHCP = "labs read from Kathará folders have no DHCP"
_LEASED = re.compile(r"^\s*iface\s+\S+\s+inet\s+dhcp\b", re.MULTILINE)


class Converted(NamedTuple):
    """A lab, and what of the original it lacks."""

    lab: Lab
    notes: tuple[Problem, ...]


def as_lab(kathara: KatharaLab) -> Converted:
    """The lab, for as far as its files tell addresses, routes and FRR's configuration; the rest stands in the notes."""
    notes: list[Problem] = []
    nodes: dict[str, LabNode] = {}
    names = {machine.name: safe_name(machine.name) for machine in kathara.machines}
    for machine in kathara.machines:
        if names[machine.name] != machine.name:
            notes.append(Problem(machine.name, "name", machine.name, f"it is called {names[machine.name]} here"))
        node = _node(machine, notes)
        if node is not None:
            nodes[names[machine.name]] = node
    links: list[tuple[Port, Port]] = []
    segments: dict[str, tuple[Port, ...]] = {}
    taken = {name.lower() for name in nodes}
    for domain, members in kathara.domains.items():
        ports = _ports(members, names, nodes)
        if len(ports) == 2:
            links.append((ports[0], ports[1]))
        elif len(ports) > 2:
            name = safe_name(domain.lower())
            segments[name if name not in taken else f"lan-{name}"] = tuple(ports)
        else:
            notes.append(Problem("lab.conf", domain, "", "nothing is at the other end; the port is left out"))
            for port in ports:
                nodes[port.node] = _without(nodes[port.node], port.interface)
    return Converted(Lab(nodes=nodes, links=tuple(links), segments=segments), tuple(notes))


def _node(machine: Machine, notes: list[Problem]) -> LabNode | None:
    conf = machine.files.get("etc/frr/frr.conf")
    held: dict[str, IPv4Interface] = {}
    gateway: IPv4Address | None = None
    if conf is not None:
        held = {port: IPv4Interface(address) for port, address in addresses(conf)}
    for line in machine.startup:
        if found := _ADDRESS.fullmatch(line) or _OLD_ADDRESS.fullmatch(line):
            mask = found.groupdict().get("mask")
            held[found["port"]] = IPv4Interface(f"{found['address']}/{mask}" if mask else found["address"])
        elif found := _GATEWAY.fullmatch(line) or _OLD_GATEWAY.fullmatch(line):
            gateway = IPv4Address(found["gateway"])
        elif not _SILENT.fullmatch(line):
            notes.append(Problem(f"{machine.name}.startup", "", line, _why(line)))
    loopback = held.pop("lo", None)
    plugged = {plug.interface for plug in machine.plugs}
    interfaces = {port: address for port, address in held.items() if port in plugged}
    notes += [
        Problem(machine.name, port, "", "it has no address that the files tell; the port is left out")
        for port in sorted(plugged - interfaces.keys())
    ]
    if not interfaces:
        why = f"; {NO_DHCP}, so write its address into {machine.name}.startup" if _asks_for_lease(machine) else ""
        notes.append(Problem(machine.name, "", "", f"none of its ports has an address; the machine is left out{why}"))
        return None
    if conf is None:
        found = _NAME_SERVER.search(machine.files.get("etc/resolv.conf", ""))
        resolver = IPv4Address(found["server"]) if found else None
        return LabHost(interfaces=interfaces, gateway=gateway, resolver=resolver)
    return _router(machine.name, conf, interfaces, loopback, notes)


def _asks_for_lease(machine: Machine) -> bool:
    asks = any(client in line for line in machine.startup for client in DHCP_CLIENTS)
    return asks or _LEASED.search(machine.files.get("etc/network/interfaces", "")) is not None


def _router(
    name: str,
    conf: str,
    interfaces: dict[str, IPv4Interface],
    loopback: IPv4Interface | None,
    notes: list[Problem],
) -> LabRouter:
    frr: dict[Daemon, str]
    frr, unknown = split(conf)
    notes += [Problem(f"{name}/etc/frr/frr.conf", "", line, "no daemon of a lab reads this") for line in unknown]
    number = re.search(r"^router bgp (?P<asn>\d+)", conf, re.MULTILINE)
    asn = int(number["asn"]) if number else None
    return LabRouter(interfaces=interfaces, loopback=loopback.ip if loopback else None, asn=asn, frr=frr)


def _why(line: str) -> str:
    for what, pattern in _LACKING:
        if pattern.search(line):
            return f"labs have no {what}"
    return "this line has no meaning in a lab file; it is left out"


def safe_name(name: str) -> str:
    """A name as nodes are called here: small letters, digits and single hyphens."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return plain if plain[:1].isalpha() else f"n-{plain}"


def _ports(members: tuple[str, ...], names: dict[str, str], nodes: dict[str, LabNode]) -> list[Port]:
    split_up = (member.rsplit(":", 1) for member in members)
    ports = [Port(node=names[machine], interface=interface) for machine, interface in split_up]
    return [port for port in ports if port.node in nodes and port.interface in nodes[port.node].interfaces]


def _without(node: LabNode, interface: str) -> LabNode:
    left = {name: address for name, address in node.interfaces.items() if name != interface}
    return node.model_copy(update={"interfaces": left}) if left else node
