"""`tracer`: restores paths hop by hop, out of what devices' own command lines print. No model, no chance."""

import re
from collections import defaultdict
from ipaddress import IPv4Address, IPv4Network

from netopsbench.agent.contract import Tools
from netopsbench.agent.design import DesignedNetwork, designed
from netopsbench.agent.tracer.gateways import Gateways
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Question
from netopsbench.vendors.names import NAMES, Need, Vendor
from netopsbench.vendors.table import golden

_ENDS = re.compile(r"packets from (\S+) \((\S+)\) to (\S+) \((\S+)\)")
_ADDRESS = re.compile(r"(?<![\d./])(\d{1,3}(?:\.\d{1,3}){3})(?![\d/]|\.\d)")
_MOST_HOPS = 16
_ROUTES: tuple[Need, ...] = ("route_lookup", "fib", "route_table")


class PathTracer:
    """Asks every device on the way for its route to the target, and follows every next hop."""

    def answer(self, question: Question, tools: Tools) -> Answer:
        found = _ENDS.search(question.text)
        if question.task != "path" or found is None:
            return Answer(verdict="inconclusive", reasoning="This agent restores paths, and nothing else.")
        source, _, target, address = found.groups()
        walk = _Walk(tools, designed(tools), target, IPv4Address(address))
        lines = sorted("->".join(path) for path in walk.paths(source))
        return Answer(verdict="fault_detected", reasoning="<result>\n" + "\n".join(lines) + "\n</result>")


class _Walk:
    """One target, and what devices said about it so far."""

    def __init__(self, tools: Tools, network: DesignedNetwork, target: str, address: IPv4Address) -> None:
        self._tools, self._network = tools, network
        self._target, self._address = target, address
        self._gateways = Gateways(tools, network)
        self._known: dict[str, list[tuple[str, str]]] = {}

    def paths(self, source: str) -> list[list[str]]:
        """Every path, as the pieces of its line."""
        found: list[list[str]] = []
        under_way: list[tuple[list[str], str]] = [([], source)]
        while under_way:
            pieces, here = under_way.pop()
            if here == self._target:
                found.append([*pieces, here])
            elif len(pieces) < _MOST_HOPS:
                under_way += [([*pieces, f"{here}_{port}"], following) for port, following in self._ways_on(here)]
        return found

    def _ways_on(self, device: str) -> list[tuple[str, str]]:
        if device not in self._known:
            self._known[device] = self._asked(device)
        return self._known[device]

    def _asked(self, device: str) -> list[tuple[str, str]]:
        """Outgoing interface, by its name on the device, and next device of every way."""
        own = self._network.ports[device]
        if len(beside := self._plugged_into_one(device)) == 1 and self._network.nodes[device].address is not None:
            # A host at a cable has one way out, which needs no asking.
            return [(NAMES["linux"].of(port), following) for port, following in beside]
        vendor: Vendor = self._tools.call("execute", device=device, command="?")["vendor"]
        direct = [port for port, network in own.items() if self._address in network]
        hops = self._next_hops(device, vendor, is_direct=bool(direct))
        ways = [
            (port, following)
            for hop in hops
            if (following := self._holder(device, hop)) is not None
            for port, network in own.items()
            if hop in network
        ]
        ways = ways or [(port, self._target) for port in direct]
        return [(NAMES[vendor].of(port), following) for port, following in ways]

    def _plugged_into_one(self, device: str) -> list[tuple[str, str]]:
        """Own port and the only other device in its network, of every port that has just one there."""
        found = []
        for port, network in self._network.ports[device].items():
            others = {
                name for name, ports in self._network.ports.items() if name != device and network in ports.values()
            }
            if len(others) != 1:
                return []
            found.append((port, others.pop()))
        return found

    def _next_hops(self, device: str, vendor: Vendor, *, is_direct: bool) -> list[IPv4Address]:
        """Addresses on the device's own links, of other devices, that its route names; none where it is connected."""
        for need in _ROUTES:
            try:
                text = str(self._tools.call("execute", device=device, command=self._line(vendor, need))["result"])
            except (ToolError, LookupError):
                # Denied, or no such command with this vendor: the next one shows the same.
                continue
            # The device repeats the line first, the target's address in it.
            said = text.partition("\n")[2]
            found = self._neighbors_in(device, said if need == "route_lookup" else _best(said, self._address))
            if found or is_direct:
                return found
        return []

    def _line(self, vendor: Vendor, need: Need) -> str:
        if need == "route_table":
            return golden(vendor, need)
        try:
            return golden(vendor, need, {"address": str(self._address)})
        except LookupError:
            return golden(vendor, need)

    def _neighbors_in(self, device: str, text: str) -> list[IPv4Address]:
        """Addresses in a text that another device on the device's own links holds, for itself or by VRRP."""
        near = self._network.ports[device].values()
        said = dict.fromkeys(IPv4Address(each) for each in _ADDRESS.findall(text) if _is_address(each))
        hosts = [hop for hop in said if any(is_host(hop, net) for net in near)]
        return [hop for hop in hosts if hop != self._address and self._holder(device, hop) not in (None, device)]

    def _holder(self, device: str, hop: IPv4Address) -> str | None:
        """Whose an address is; of one that routers share, the router that is master now."""
        return self._network.owner.get(hop) or self._gateways.master(device, hop)


def is_host(address: IPv4Address, network: IPv4Network) -> bool:
    """Whether a device can have an address in a network; in one of two addresses both are devices'."""
    return address in network and (network.prefixlen >= 31 or address not in (network[0], network[-1]))


_PREFIX = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})/(\d{1,2})(?!\d)")


def _best(text: str, address: IPv4Address) -> str:
    """The lines of a table that belong to the longest prefix with an address."""
    belonging: dict[IPv4Network, list[str]] = defaultdict(list)
    current: IPv4Network | None = None
    for line in text.splitlines():
        begins = _PREFIX.search(line)
        if begins is not None and int(begins[2]) <= 32 and _is_address(begins[1]):
            current = IPv4Network(f"{begins[1]}/{begins[2]}", strict=False)
        elif line.lstrip().startswith("default"):
            current = IPv4Network("0.0.0.0/0")
        if current is not None and address in current:
            belonging[current].append(line)
    if not belonging:
        return ""
    return "\n".join(belonging[max(belonging, key=lambda network: network.prefixlen)])


def _is_address(text: str) -> bool:
    return all(int(part) < 256 for part in text.split("."))
