"""Checks of a lab against its design, one per kind of trouble."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network

from netopsbench.agent.labs.facts import LabFacts, Port, Seen

_DAEMONS = {"bgpd": "BGP", "ospfd": "OSPF", "ripd": "RIP", "eigrpd": "EIGRP"}


@dataclass(frozen=True)
class Trouble:
    """Something that differs from the design, and lines for `/bin/sh` on the device that repair it."""

    device: str
    cause: str
    fix: tuple[str, ...]


def ports_switched_off(facts: LabFacts) -> Iterator[Trouble]:
    """Ports that the device itself has switched off."""
    for name, seen in facts.seen.items():
        for port, flags in re.findall(r"^\d+: (\S+?)(?:@\S+)?: <([A-Z_,]*)>", seen.text("links"), re.MULTILINE):
            if port != "lo" and "UP" not in flags.split(",") and any(p.interface == port for p in facts.ports_of(name)):
                again = (
                    []
                    if seen.is_router
                    else [f"ip route replace default via {gateway}" for gateway in _way(facts, name)[:1]]
                )
                cause = f"the interface {port} is down, switched off by the device itself"
                yield Trouble(name, cause, (" && ".join([f"ip link set {port} up", *again]),))


def daemons_stopped(facts: LabFacts) -> Iterator[Trouble]:
    """Routing daemons that have a configuration and don't run."""
    for name, seen in facts.seen.items():
        running = seen.text("processes").split()
        for daemon, protocol in _DAEMONS.items():
            if f"{daemon}.conf" in seen.text("configured").split() and daemon not in running:
                cause = f"{daemon} is not running, the {protocol} daemon has stopped"
                yield Trouble(name, cause, ("/etc/init.d/frr start",))


def forwarding_off(facts: LabFacts) -> Iterator[Trouble]:
    """Routers that don't forward."""
    for name, seen in facts.seen.items():
        if seen.is_router and seen.text("forwarding").strip() == "0":
            yield Trouble(name, "IP forwarding is off", ("sysctl -qw net.ipv4.ip_forward=1",))


def icmp_filtered(facts: LabFacts) -> Iterator[Trouble]:
    """Filters that drop ICMP."""
    for name, seen in facts.seen.items():
        table = ""
        for line in seen.text("rules").splitlines():
            if found := re.match(r"table (\S+ \S+)", line):
                table = found[1]
            if re.search(r"protocol (icmp|1) drop", line):
                yield Trouble(
                    name, f"a filter rule in the nft table {table} drops ICMP", (f"nft delete table {table}",)
                )


def blackholes(facts: LabFacts) -> Iterator[Trouble]:
    """Routes that discard."""
    for name, seen in facts.seen.items():
        for prefix in re.findall(r"^blackhole (\S+)", seen.text("routes"), re.MULTILINE):
            fix = f"vtysh -c 'configure terminal' -c 'no ip route {prefix} blackhole'"
            yield Trouble(name, f"a static blackhole route discards {prefix}", (fix,))


def host_settings(facts: LabFacts) -> Iterator[Trouble]:
    """Hosts with another address, netmask or default gateway than by design."""
    for name, seen in facts.seen.items():
        ports = [] if seen.is_router else facts.ports_of(name)
        if not ports:
            continue
        port, gateways = ports[0], _way(facts, name)
        held = re.findall(rf"\b{port.interface}\s+inet (\S+)", seen.text("addresses"))
        used = re.findall(r"^default via (\S+)", seen.text("routes"), re.MULTILINE)
        right = f"ip route replace default via {gateways[0]}" if gateways else "true"
        if held != [str(port.address)]:
            cause = f"wrong address or netmask: {' '.join(held) or 'none'} instead of {port.address}"
            lines = (f"ip addr flush dev {port.interface}", f"ip addr add {port.address} dev {port.interface}", right)
            yield Trouble(name, cause, ("; ".join(lines),))
        elif not used and gateways and _is_on(seen, port.interface):
            yield Trouble(name, "there is no default route, the default gateway is missing", (right,))
        elif used and gateways and used[0] not in gateways:
            yield Trouble(name, f"wrong default gateway {used[0]} instead of {' or '.join(gateways)}", (right,))


def resolvers(facts: LabFacts) -> Iterator[Trouble]:
    """Hosts that ask for names where nobody is."""
    known = [asked for seen in facts.seen.values() for asked in _asked(seen) if asked in facts.owners]
    for name, seen in facts.seen.items():
        for asked in _asked(seen):
            if asked not in facts.owners and known:
                fix = f"sed -i 's/{re.escape(asked)}/{known[0]}/' /etc/resolv.conf"
                yield Trouble(name, f"wrong name server {asked} in resolv.conf", (fix,))


def services_stopped(facts: LabFacts) -> Iterator[Trouble]:
    """Services that don't run."""
    for name, seen in facts.seen.items():
        for service in re.findall(r"^(dns|dhcp|http) is stopped", seen.text("services"), re.MULTILINE):
            yield Trouble(name, f"the {service} service has stopped", (f"/etc/init.d/{service} start",))


def bgp_neighbors(facts: LabFacts) -> Iterator[Trouble]:
    """BGP neighbors with the wrong AS or shut down, and networks that aren't announced."""
    for name, seen in facts.seen.items():
        asn, lines = seen.node.asn, seen.block("router bgp")
        if not lines:
            continue
        head = f"vtysh -c 'configure terminal' -c 'router bgp {asn}'"
        for address, given in re.findall(r"^neighbor (\S+) remote-as (\d+)$", "\n".join(lines), re.MULTILINE):
            owner = facts.nodes.get(facts.owners.get(address, ""))
            if owner is not None and owner.asn is not None and owner.asn != int(given):
                cause = f"wrong remote-as {given} for the neighbor {address}, which is in AS {owner.asn}"
                yield Trouble(name, cause, (f"{head} -c 'neighbor {address} remote-as {owner.asn}'",))
        for address in re.findall(r"^neighbor (\S+) shutdown", "\n".join(lines), re.MULTILINE):
            yield Trouble(
                name,
                f"the neighbor {address} is shut down (shutdown)",
                (f"{head} -c 'no neighbor {address} shutdown'",),
            )
        for port in facts.ports_of(name):
            network = f"network {port.address.network}"
            if not facts.faces_router(port) and not facts.is_bridged(port) and network not in lines:
                fix = f"{head} -c 'address-family ipv4 unicast' -c '{network}'"
                yield Trouble(
                    name, f"{port.address.network} is not announced: the network statement is missing", (fix,)
                )


def ospf_areas(facts: LabFacts) -> Iterator[Trouble]:
    """Ports outside of OSPF, and links whose ends are in different areas."""
    areas = {(port.device, port.interface): _area(facts.seen[port.device], port) for port in facts.ports}
    for port in facts.ports:
        seen, own = facts.seen[port.device], areas[port.device, port.interface]
        if not seen.block("router ospf"):
            continue
        head = "vtysh -c 'configure terminal' -c 'router ospf'"
        if own is None and not facts.faces_router(port):
            area = _usual_area(seen)
            cause = f"{port.address.network} is not announced: the network statement is missing in OSPF"
            yield Trouble(port.device, cause, (f"{head} -c 'network {port.address.network} area {area}'",))
        for peer in facts.ports:
            there = areas[peer.device, peer.interface]
            if (peer.device, str(peer.address.ip)) not in port.facing or None in (own, there) or own == there:
                continue
            # Routers of one kind hold the same statements: what most of them say about the link is right.
            said = [_area(each, port) for each in facts.seen.values()]
            if said.count(own) >= said.count(there):
                continue
            wrong, right = _statement(seen, port), f"network {_statement(seen, port).split()[1]} area {there}"
            cause = f"area mismatch on {port.interface}: area {own} here, area {there} at {peer.device}"
            yield Trouble(port.device, cause, (f"{head} -c 'no {wrong}' -c '{right}'",))


def rip_settings(facts: LabFacts) -> Iterator[Trouble]:
    """RIP of an older version, and passive ports towards other routers."""
    for name, seen in facts.seen.items():
        lines = seen.block("router rip")
        head = "vtysh -c 'configure terminal' -c 'router rip'"
        if "version 1" in lines:
            yield Trouble(name, "RIP version mismatch: version 1 here, 2 elsewhere", (f"{head} -c 'version 2'",))
        for port in facts.ports_of(name):
            if lines and facts.faces_router(port) and f"passive-interface {port.interface}" in lines:
                cause = f"{port.interface} is passive in RIP, so that routes are not announced there"
                yield Trouble(name, cause, (f"{head} -c 'no passive-interface {port.interface}'",))


CHECKS: tuple[Callable[[LabFacts], Iterator[Trouble]], ...] = (
    ports_switched_off,
    daemons_stopped,
    forwarding_off,
    icmp_filtered,
    blackholes,
    host_settings,
    resolvers,
    services_stopped,
    bgp_neighbors,
    ospf_areas,
    rip_settings,
)


def _way(facts: LabFacts, host: str) -> list[str]:
    return [address for port in facts.ports_of(host)[:1] for address in facts.gateways_at(port)]


def _is_on(seen: Seen, interface: str) -> bool:
    return re.search(rf"^\d+: {interface}(@\S+)?: <[A-Z_,]*\bUP\b", seen.text("links"), re.MULTILINE) is not None


def _asked(seen: Seen) -> list[str]:
    return re.findall(r"^nameserver (\S+)", seen.text("resolver"), re.MULTILINE)


def _statement(seen: Seen, port: Port) -> str:
    """The `network` line of OSPF that holds a port; the longest prefix wins. Empty when none does."""
    found = [line for line in seen.block("router ospf") if line.startswith("network ")]
    fitting = [line for line in found if port.address.ip in IPv4Network(line.split()[1])]
    return max(fitting, key=lambda line: IPv4Network(line.split()[1]).prefixlen, default="")


def _area(seen: Seen, port: Port) -> str | None:
    words = _statement(seen, port).split()
    return words[3] if words else None


def _usual_area(seen: Seen) -> str:
    areas = [line.split()[3] for line in seen.block("router ospf") if line.startswith("network ")]
    return max(areas, key=areas.count, default="0")
