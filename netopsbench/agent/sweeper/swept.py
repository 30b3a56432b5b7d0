"""What every router printed when it was asked the same questions, beside the design of the network."""

import re
from collections.abc import Iterator
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network

from netopsbench.agent.contract import Tools
from netopsbench.agent.design import DesignedNetwork
from netopsbench.agent.sweeper.reading import ReadInterface, plain_configuration, read_connected, read_interfaces
from netopsbench.core.errors import ToolError
from netopsbench.tools.results import LinkEnd
from netopsbench.vendors.names import NAMES, InterfaceNames, Need, Vendor
from netopsbench.vendors.table import golden

Finding = tuple[str, str]
"""Object, an interface by the kernel's name, and cause."""
Said = tuple[str, str, str]
"""Device, and a finding there."""

_NEEDS: tuple[Need, ...] = (
    "interface_detail",
    "arp",
    "route_table",
    "bgp_summary",
    "running_config",
    "acl",
    "prefix_list",
    "queues",
    "link_neighbors",
)
_ON_LANS: tuple[Need, ...] = ("spanning_tree", "vrrp", "vxlan")
"""What only devices have that share a network with more than one other."""
_INSTEAD: dict[Need, Need] = {"route_table": "fib", "running_config": "cpu"}
"""What is asked where something is denied: it shows a part of the same."""
_LINUX_BELOW: dict[Vendor, str] = {"frr": "ip addr", "sonic": "ip addr"}
"""Vendors whose own listing of interfaces is that of the system below."""


class Swept:
    """All answers of all routers."""

    def __init__(self, tools: Tools, network: DesignedNetwork) -> None:
        self.network = network
        self._vendors: dict[str, Vendor] = {}
        self._texts: dict[tuple[str, Need], str] = {}
        for device in network.routers:
            self._vendors[device] = tools.call("execute", device=device, command="?")["vendor"]
            for need in (*_NEEDS, *(_ON_LANS if self._is_on_lan(device) else ())):
                if not self._ask(tools, device, need) and need in _INSTEAD:
                    self._ask(tools, device, _INSTEAD[need])

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

    def _is_on_lan(self, device: str) -> bool:
        own = set(self.network.ports.get(device, {}).values())
        return any(sum(net in ports.values() for ports in self.network.ports.values()) > 2 for net in own)

    @cached_property
    def interfaces(self) -> dict[str, dict[str, ReadInterface]]:
        """Device to its interfaces by name."""
        return {
            device: {each.name: each for each in read_interfaces(self.text(device, "interface_detail"), names)}
            for device in self.network.routers
            for names in (self.names(device),)
        }

    def names(self, device: str) -> InterfaceNames:
        """How a device calls its interfaces."""
        return NAMES[self._vendors[device]]

    def text(self, device: str, need: Need) -> str:
        """What a device printed; empty where it was denied, or wasn't asked."""
        return self._texts.get((device, need), "")

    def told(self, device: str, need: Need) -> bool:
        """Whether a device answered."""
        return (device, need) in self._texts

    def configured(self, device: str) -> str:
        """A device's configuration in use, without the marks of vendors that have no words for some of it."""
        return plain_configuration(self.text(device, "running_config"))

    def blocks(self, device: str) -> dict[str, str]:
        """Interface to its lines in the configuration."""
        named = re.findall(r"^interface (\S+)\n((?:[ \t].*\n)*)", self.configured(device) + "\n", re.MULTILINE)
        return {native: lines for name, lines in named if (native := self.names(device).native(name))}

    def connected(self, device: str) -> dict[str, list[IPv4Network]]:
        """Networks at each port by the route table."""
        found: dict[str, list[IPv4Network]] = {}
        for name, network in read_connected(self.text(device, "route_table"), self.names(device)):
            found.setdefault(name, []).append(network)
        return found

    def is_router(self, device: str) -> bool:
        """Whether a device forwards."""
        return self.network.nodes[device].address is None

    def is_bridging(self, device: str) -> bool:
        """Whether a device joins the cables of one network, and so has nothing to route."""
        ports = self.network.ports[device]
        return len(ports) > 1 and len(set(ports.values())) == 1

    def far_ends(self, device: str) -> Iterator[tuple[str, LinkEnd]]:
        """A device's ports at cables, with the far end of each."""
        for (owner, name), (_, far, _) in self.network.ends.items():
            if owner == device and far.address:
                yield name, far

    def users(self, device: str) -> list[IPv4Network]:
        """Networks of the hosts at a device's ports."""
        return [
            self.network.ports[device][name] for name, far in self.far_ends(device) if not self.is_router(far.device)
        ]

    def is_right(self, device: str, name: str) -> bool:
        """Whether a port is seen to carry something and to have its own address."""
        shown, own = self.interfaces[device].get(name), self.network.ends[device, name][0]
        has_own = shown is not None and any(each.partition("/")[0] == own.address for each in shown.addresses)
        return shown is not None and not shown.is_down and has_own

    def host_in(self, prefix: IPv4Network) -> str | None:
        """The first host with an address there."""
        named = ((name, node.address) for name, node in self.network.nodes.items())
        return next((name for name, address in named if address and IPv4Address(address) in prefix), None)
