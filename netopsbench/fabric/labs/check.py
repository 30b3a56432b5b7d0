"""What can be wrong in a lab file before there is a plan: all mistakes at once.

Addresses that are taken twice, prefixes that overlap and names that commands would misread are found in the plan.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

from netopsbench.core.errors import Problem
from netopsbench.fabric.labs.baseline import DAEMON_OF
from netopsbench.fabric.labs.check_layer2 import Finding, layer2_findings
from netopsbench.fabric.labs.lldp import lldp_files
from netopsbench.fabric.labs.spec import DhcpService, DnsService, Lab, LabHost, LabNode, LabRouter
from netopsbench.records.names import Port

RESERVED_FILES = ("passwd", "group", "hostname", "pam.d/frr", "pam.d/other")


def lab_problems(source: str, lab: Lab) -> list[Problem]:
    """Every mistake in how a lab's parts refer to each other."""
    return [
        Problem(source, f"topology.{key}", value, wanted)
        for key, value, wanted in (
            *_cabling(lab),
            *_prefixes(lab),
            *_hosts(lab),
            *_routers(lab),
            *layer2_findings(lab),
            *_services(lab),
            *_expectations(lab),
        )
    ]


def _plugs(lab: Lab) -> list[tuple[str, Port]]:
    cables = [(f"links[{n}]", port) for n, pair in enumerate(lab.links, start=1) for port in pair]
    cables += [(f"cabled.{name}", port) for name, pairs in lab.cabled.items() for pair in pairs for port in pair]
    return cables + [(f"segments.{name}", port) for name, ports in lab.segments.items() for port in ports]


def _cabling(lab: Lab) -> Iterator[Finding]:
    """Every port exists and is plugged in once."""
    plugged: dict[Port, str] = {}
    for key, port in _plugs(lab):
        node = lab.nodes.get(port.node)
        if node is None:
            yield key, str(port), f"there is no node {port.node}; nodes: {', '.join(lab.nodes)}"
        elif port.interface not in node.interfaces:
            yield key, str(port), f"interfaces of {port.node}: {', '.join(node.interfaces)}"
        if port in plugged:
            yield key, str(port), f"{plugged[port]} has this port already"
        plugged.setdefault(port, key)
    for name, node in lab.nodes.items():
        for interface in node.interfaces:
            if Port(node=name, interface=interface) not in plugged:
                yield (
                    f"nodes.{name}.interfaces",
                    interface,
                    "no link or segment has this port; add one, or drop it",
                )
    for number, (a, b) in enumerate(lab.links, start=1):
        if a.node == b.node:
            yield f"links[{number}]", f"{a} {b}", "a link joins two different nodes"
    for name, ports in lab.segments.items():
        if len(ports) < 2:
            yield f"segments.{name}", str(len(ports)), "a segment has two ports or more"
        if name in lab.nodes:
            yield f"segments.{name}", name, "a node is called so too; use another name"


def _prefixes(lab: Lab) -> Iterator[Finding]:
    """All ports of a cable or segment are in one network."""
    groups: list[tuple[str, Sequence[Port]]] = [(f"links[{n}]", pair) for n, pair in enumerate(lab.links, start=1)]
    groups += [(f"segments.{name}", ports) for name, ports in lab.segments.items()]
    groups += [(f"cabled.{name}", [port for pair in pairs for port in pair]) for name, pairs in lab.cabled.items()]
    for key, ports in groups:
        held = [(port, lab.nodes[port.node].interfaces.get(port.interface)) for port in ports if port.node in lab.nodes]
        addressed = [(port, address) for port, address in held if address is not None]
        for port, address in addressed[1:]:
            first_port, first = addressed[0]
            if address.network != first.network:
                yield key, f"{port} {address}", f"use an address of {first.network}, as {first_port} does"


def _hosts(lab: Lab) -> Iterator[Finding]:
    """Gateways and name servers exist, and leases are given by somebody."""
    owners = {address.ip: name for name, node in lab.nodes.items() for address in node.interfaces.values()}
    resolvers = [name for name, node in lab.nodes.items() if any(each.kind == "dns" for each in node.services)]
    for name, node in lab.nodes.items():
        if not isinstance(node, LabHost):
            continue
        key = f"nodes.{name}"
        if node.gateway is not None:
            yield from _gateway(f"{key}.gateway", node.gateway, node, lab)
        if node.resolver is not None and owners.get(node.resolver) not in resolvers:
            wanted = f"the address of a node with a dns service: {', '.join(resolvers) or 'there is none'}"
            yield f"{key}.resolver", str(node.resolver), wanted
        if node.dhcp and not _server_of(lab, name, node):
            yield f"{key}.dhcp", "true", "a node on the same segment needs a dhcp service on that interface"


def _gateway(key: str, gateway: IPv4Address, node: LabNode, lab: Lab) -> Iterator[Finding]:
    networks = [address.network for address in node.interfaces.values()]
    if not any(gateway in network for network in networks):
        yield key, str(gateway), f"an address of {', '.join(map(str, networks))}"
        return
    routers = [each for each in lab.nodes.values() if isinstance(each, LabRouter)]
    shared = {each.address for router in routers for each in router.standby}
    if gateway not in shared and not any(own.ip == gateway for each in routers for own in each.interfaces.values()):
        yield key, str(gateway), "the address of a router"


def _server_of(lab: Lab, name: str, host: LabHost) -> str | None:
    """The node whose DHCP service hears a host."""
    port = Port(node=name, interface=next(iter(host.interfaces)))
    for ports in lab.segments.values():
        if port in ports:
            for other in ports:
                node = lab.nodes.get(other.node)
                services = node.services if node else ()
                if any(isinstance(each, DhcpService) and each.interface == other.interface for each in services):
                    return other.node
    return None


def _routers(lab: Lab) -> Iterator[Finding]:
    for name, node in lab.nodes.items():
        if isinstance(node, LabRouter) and node.asn is not None and "bgpd" not in node.frr:
            yield f"nodes.{name}.asn", str(node.asn), "add frr.bgpd, or leave the AS number out"
        for path in node.files:
            is_written = path in RESERVED_FILES or (node.kind == "router" and node.lldp and path in lldp_files(()))
            if is_written or path.startswith(("/", "frr/")) or ".." in path:
                yield f"nodes.{name}.files", path, "a path below /etc that no part of the lab writes"


def _services(lab: Lab) -> Iterator[Finding]:
    for name, node in lab.nodes.items():
        key = f"nodes.{name}.services"
        for kind, times in Counter(service.kind for service in node.services).items():
            if times > 1:
                yield key, kind, f"it stands here {times} times; one {kind} service a node"
        for service in node.services:
            if isinstance(service, DhcpService):
                yield from _dhcp(key, service, node)
            if isinstance(service, DnsService):
                known = {own.ip for each in lab.nodes.values() for own in each.interfaces.values()}
                for record, address in service.records.items():
                    if address not in known:
                        yield f"{key}.records.{record}", str(address), "the address of a node"


def _dhcp(key: str, service: DhcpService, node: LabNode) -> Iterator[Finding]:
    own = node.interfaces.get(service.interface)
    if own is None:
        yield f"{key}.interface", service.interface, f"one of {', '.join(node.interfaces)}"
    elif service.gateway not in own.network:
        yield f"{key}.gateway", str(service.gateway), f"an address of {own.network}"


def _expectations(lab: Lab) -> Iterator[Finding]:
    for key, listed in (("adjacencies", lab.expect.adjacencies), ("silent", lab.expect.silent)):
        for each in listed:
            for name in each.between:
                node = lab.nodes.get(name)
                if not isinstance(node, LabRouter):
                    yield f"expect.{key}", name, "a router of this lab"
                elif DAEMON_OF[each.protocol] not in node.frr:
                    yield f"expect.{key}", name, f"a router that runs {DAEMON_OF[each.protocol]}"
    for pair in lab.expect.unreachable:
        for name in pair:
            if name not in lab.nodes or lab.nodes[name].kind != "host":
                yield "expect.unreachable", name, "a host of this lab"
