"""`sweeper`: asks every router the same questions and compares the answers with the design. No model, no chance."""

import re
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from netopsbench.agent.contract import Tools
from netopsbench.agent.design import DesignedNetwork, designed
from netopsbench.agent.sweep_policies import learns_nothing, missing_statics, short_lists, translates, unbound_ports
from netopsbench.agent.sweep_read import (
    ReadInterface,
    read_arp,
    read_connected,
    read_down_peers,
    read_fib,
    read_interfaces,
    read_peers,
    read_statics,
)
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Question
from netopsbench.tools.results import LinkEnd
from netopsbench.vendors.names import NAMES, Need, Vendor
from netopsbench.vendors.table import golden

_NEEDS: tuple[Need, ...] = (
    "interface_detail",
    "arp",
    "route_table",
    "bgp_summary",
    "running_config",
    "acl",
    "prefix_list",
)
_INSTEAD: dict[Need, Need] = {"route_table": "fib", "running_config": "cpu"}
"""What is asked where something is denied: it shows a part of the same."""
_LINUX_BELOW: dict[Vendor, str] = {"frr": "ip addr", "sonic": "ip addr"}
"""Vendors whose own listing of interfaces is that of the system below."""
_QUIET = re.compile(r"(?:passive-interface|silent-interface)\s+(\S+)")
_PASSIVE = re.compile(r"^interface (\S+)\n(?:[ \t]+.*\n)*?[ \t]+ip ospf passive", re.MULTILINE)
_HELLO = re.compile(r"^interface (\S+)\n(?:[ \t]+.*\n)*?[ \t]+(?:ip )?ospf (?:hello-interval|timer hello) (\d+)", re.M)
_REFUSES = re.compile(r"\b(?:deny|drop|reject)\b", re.IGNORECASE)
_SERVICE = re.compile(r"\b(?:tcp|udp)\b", re.IGNORECASE)
_POLICY = "security policy rule does not permit the corresponding user"

Said = tuple[str, str, str]
"""Device, object by the kernel's name, cause."""


class Sweeper:
    """Looks at everything, whatever the complaint."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        if question.task != "rca":
            return Answer(verdict="inconclusive", reasoning="This agent looks for root causes, and nothing else.")
        sweep = _Sweep(tools, designed(tools))
        lines = sorted({";".join(said) for said in sweep.causes()})
        return Answer(verdict="fault_detected", reasoning="<result>\n" + "\n".join(lines) + "\n</result>")


class _Sweep:
    """All answers of all routers."""

    def __init__(self, tools: Tools, network: DesignedNetwork) -> None:
        self._network = network
        self._vendors: dict[str, Vendor] = {}
        self._texts: dict[tuple[str, Need], str] = {}
        for device in network.routers:
            self._vendors[device] = tools.call("execute", device=device, command="?")["vendor"]
            for need in _NEEDS:
                if not self._ask(tools, device, need) and need in _INSTEAD:
                    self._ask(tools, device, _INSTEAD[need])
        self._interfaces = {name: self._read_interfaces(name) for name in network.routers}

    def _ask(self, tools: Tools, device: str, need: Need) -> bool:
        """Keep what a device prints; False where it is denied, or nothing that this vendor can tell."""
        vendor = self._vendors[device]
        line = _LINUX_BELOW.get(vendor) if need == "interface_detail" else None
        try:
            done = tools.call("execute", device=device, command=line or golden(vendor, need))
        except (ToolError, LookupError):
            return False
        # The device repeats the line first.
        self._texts[device, need] = str(done["result"]).partition("\n")[2]
        return True

    def causes(self) -> Iterator[Said]:
        """Everything that is not as designed, interfaces by their names on the device."""
        for device in self._network.routers:
            names = NAMES[self._vendors[device]]
            for thing, cause in self._of(device):
                yield device, names.of(thing), cause
            yield from self._shut_beyond(device)
            yield from self._misconfigured_beyond(device)

    def _shut_beyond(self, device: str) -> Iterator[Said]:
        """Ports at other ends of links that are down here without being switched off here."""
        for name, shown in self._interfaces[device].items():
            if not (shown.is_on and shown.is_down) or (device, name) not in self._network.ends:
                continue
            far = self._network.ends[device, name][1]
            if far.device in self._network.routers:
                yield far.device, NAMES[self._vendors[far.device]].of(far.interface), "shutdown"

    def _misconfigured_beyond(self, device: str) -> Iterator[Said]:
        """Neighbors that tell nothing of their sessions, when one is down here and nothing else is wrong with it."""
        down, wrong_here = read_down_peers(self._text(device, "bgp_summary")), dict(self._sessions(device))
        for name, far in self._far_ends(device):
            there = (far.device, far.interface)
            if IPv4Address(far.address) not in down or name in wrong_here or self._text(far.device, "bgp_summary"):
                continue
            is_known = self._knows(device, name) and self._knows(*there)
            if (
                far.device in self._network.routers
                and is_known
                and self._is_right(device, name)
                and self._is_right(*there)
            ):
                yield far.device, NAMES[self._vendors[far.device]].of(far.interface), "BGP configuration error"

    def _knows(self, device: str, name: str) -> bool:
        """Whether a device holds the hardware address that its neighbor at a port shows."""
        far = self._network.ends[device, name][1]
        shown = self._interfaces[far.device].get(far.interface)
        held = read_arp(self._text(device, "arp")).get(IPv4Address(far.address))
        return shown is not None and shown.mac is not None and held in (None, shown.mac)

    def _of(self, device: str) -> Iterator[tuple[str, str]]:
        yield from self._ports(device)
        yield from self._moved(device)
        yield from self._loopback(device)
        yield from self._arp(device)
        yield from self._routes(device)
        yield from self._sessions(device)
        yield from self._ospf(device)
        yield from self._policies(device)
        yield from self._others(device)

    def _others(self, device: str) -> Iterator[tuple[str, str]]:
        network = self._network
        inner = {name: far.device not in network.routers for name, far in self._far_ends(device)}
        known = {net for host, ports in network.ports.items() if host not in network.routers for net in ports.values()}
        # Nobody beyond a router that translates needs a way to what is behind it.
        hidden = {net for name in network.routers if translates(self._text(name, "acl")) for net in self._users(name)}
        yield from short_lists(self._text(device, "prefix_list"), network.nodes[device].loopback, self._users(device))
        yield from unbound_ports(self._text(device, "acl"), inner)
        is_router = network.nodes[device].asn is None and not self._is_bridging(device)
        if is_router and self._are_ports_right(device):
            yield from self._missing(device, sorted(known - hidden))

    def _missing(self, device: str, networks: list[IPv4Network]) -> Iterator[tuple[str, str]]:
        """Static routes that are not there, at a router that learns from nobody."""
        if learns_nothing(self._text(device, "running_config"), self._text(device, "cpu")):
            routers = {far.device for _, far in self._far_ends(device) if far.device in self._network.routers}
            table = self._text(device, "route_table") or self._text(device, "fib")
            yield from missing_statics(table, networks, has_one_way=len(routers) == 1)

    def _is_bridging(self, device: str) -> bool:
        """Whether a device joins the cables of one network, and so has nothing to route."""
        ports = self._network.ports[device]
        return len(ports) > 1 and len(set(ports.values())) == 1

    def _are_ports_right(self, device: str) -> bool:
        return all(self._is_right(device, name) for name, _ in self._far_ends(device))

    def _is_right(self, device: str, name: str) -> bool:
        """Whether a port is seen to carry something and to have its own address."""
        shown, own = self._interfaces[device].get(name), self._network.ends[device, name][0]
        has_own = shown is not None and any(each.partition("/")[0] == own.address for each in shown.addresses)
        return shown is not None and not shown.is_down and has_own

    def _users(self, device: str) -> list[IPv4Network]:
        """Networks of the hosts at a device's ports."""
        beyond = self._far_ends(device)
        return [self._network.ports[device][name] for name, far in beyond if far.device not in self._network.routers]

    def _far_ends(self, device: str) -> Iterator[tuple[str, LinkEnd]]:
        """A device's ports at cables, with the far end of each."""
        for (owner, name), (_, far, _) in self._network.ends.items():
            if owner == device and far.address:
                yield name, far

    def _text(self, device: str, need: Need) -> str:
        return self._texts.get((device, need), "")

    def _read_interfaces(self, device: str) -> dict[str, ReadInterface]:
        read = read_interfaces(self._text(device, "interface_detail"), NAMES[self._vendors[device]])
        return {each.name: each for each in read}

    def _ports(self, device: str) -> Iterator[tuple[str, str]]:
        usual = [each.mac[:8] for each in self._interfaces[device].values() if each.mac and int(each.mac, 16)]
        for name, shown in self._interfaces[device].items():
            if (device, name) not in self._network.ends:
                continue
            own, _, mtu = self._network.ends[device, name]
            if not shown.is_on:
                yield name, "shutdown"
            if shown.mtu is not None and shown.mtu < mtu:
                yield name, "MTU value misconfiguration"
            if not any(address.partition("/")[0] == own.address for address in shown.addresses):
                yield name, "interface IP error"
            if shown.mac is not None and usual.count(shown.mac[:8]) * 2 < len(usual):
                yield name, "MAC address configuration error"

    def _loopback(self, device: str) -> Iterator[tuple[str, str]]:
        others = {node.loopback for node in self._network.nodes.values() if node.name != device and node.loopback}
        lo = self._interfaces[device].get("lo")
        held = [address.partition("/")[0] for address in lo.addresses] if lo is not None else []
        held += [str(network[0]) for network in self._connected(device).get("lo", ())]
        if any(address in others for address in held):
            yield "lo", "loopback IP configuration conflict"

    def _connected(self, device: str) -> dict[str, list[IPv4Network]]:
        """Networks at each port by the route table."""
        found: dict[str, list[IPv4Network]] = {}
        for name, network in read_connected(self._text(device, "route_table"), NAMES[self._vendors[device]]):
            found.setdefault(name, []).append(network)
        return found

    def _moved(self, device: str) -> Iterator[tuple[str, str]]:
        """Ports in other networks than designed, where only the route table shows it."""
        for name, networks in self._connected(device).items():
            designed = self._network.ports[device].get(name)
            if designed is not None and name not in self._interfaces[device] and designed not in networks:
                yield name, "interface IP error"

    def _arp(self, device: str) -> Iterator[tuple[str, str]]:
        """Entries that differ from what the neighbour shows, unless that is what looks wrong."""
        known = read_arp(self._text(device, "arp"))
        # What a host's address is nobody shows: an entry of a kind that no device here has is wrong all the same.
        kinds = [each.mac[:4] for ports in self._interfaces.values() for each in ports.values() if each.mac]
        for name, far in self._far_ends(device):
            mac = known.get(IPv4Address(far.address))
            if mac is not None and kinds and kinds.count(mac[:4]) * 10 < len(kinds):
                yield name, "ARP configuration error"

    def _routes(self, device: str) -> Iterator[tuple[str, str]]:
        for route in read_statics(self._text(device, "route_table")) or read_fib(self._text(device, "fib")):
            target = self._host_in(route.prefix)
            # Old routes to what is gone harm nobody.
            if route.gateway is None and target is not None:
                yield str(route.prefix), "blackhole route"
            elif route.gateway is not None and route.prefix.prefixlen == 32 and target is not None:
                via = self._network.owner.get(route.gateway, "")
                is_back = via in self._network.routers and self._network.only_way(via, target) == device
                yield str(route.prefix), "Layer 3 loop" if is_back else "incorrect static route"

    def _host_in(self, prefix: IPv4Network) -> str | None:
        named = ((name, node.address) for name, node in self._network.nodes.items())
        return next((name for name, address in named if address and IPv4Address(address) in prefix), None)

    def _sessions(self, device: str) -> Iterator[tuple[str, str]]:
        told = read_peers(self._text(device, "bgp_summary"))
        for name, far in self._far_ends(device):
            asn, numbers = self._network.nodes[far.device].asn, told.get(IPv4Address(far.address))
            if asn is not None and numbers is not None and asn not in numbers:
                yield name, "BGP configuration error"

    def _ospf(self, device: str) -> Iterator[tuple[str, str]]:
        need: Need = "running_config"
        text, names = self._text(device, need), NAMES[self._vendors[device]]
        paces = Counter(hello for each in self._network.routers for _, hello in _HELLO.findall(self._text(each, need)))
        usual = max(paces, key=lambda hello: paces[hello], default="")
        slow = [name for name, hello in _HELLO.findall(text) if hello != usual]
        for spelled in dict.fromkeys([*_QUIET.findall(text), *_PASSIVE.findall(text), *slow]):
            native = names.native(spelled)
            end = self._network.ends.get((device, native)) if native else None
            if end is None or self._is_bridging(end[1].device):
                continue
            if native and end[1].device in self._network.routers:
                yield native, "OSPF configuration error"

    def _policies(self, device: str) -> Iterator[tuple[str, str]]:
        names = NAMES[self._vendors[device]]
        for name, far in self._far_ends(device):
            if far.device in self._network.routers:
                continue
            network = self._network.ports[device][name]
            for line in self._text(device, "acl").splitlines():
                is_arriving = (
                    re.search(rf'\b(?:in {re.escape(names.of(name))}|iifname "{name}")(?!\d)', line) is not None
                )
                # What refuses one service alone refuses nobody.
                if is_arriving and _REFUSES.search(line) and not _SERVICE.search(line) and str(network[0]) in line:
                    yield name, _POLICY
