"""What one look at a device shows, for an agent that checks before it believes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from netopsbench.agent.contract import Tools
from netopsbench.tools.results import Topology, TopologyLink, TopologyNode

_LOOK = """
echo == links; ip -o link show
echo == addresses; ip -o -4 addr show
echo == routes; ip route show
echo == forwarding; cat /proc/sys/net/ipv4/ip_forward
echo == rules; nft list ruleset 2>/dev/null
echo == resolver; cat /etc/resolv.conf 2>/dev/null
echo == configured; ls /etc/frr 2>/dev/null
echo == processes; ps axo comm=
echo == services; for s in /etc/init.d/*; do [ -e "$s" ] && "$s" status; done
echo == running; command -v vtysh >/dev/null && [ -d /run/frr ] && vtysh -c 'show running-config' 2>/dev/null
true
"""
_HEADING = re.compile(r"^== (\w+)$", re.MULTILINE)
_ROUTERS = ("router", "leaf", "spine", "core", "agg", "edge")


@dataclass(frozen=True)
class Seen:
    """One device as it is now."""

    node: TopologyNode
    parts: dict[str, str]

    @property
    def is_router(self) -> bool:
        return self.node.role in _ROUTERS

    def text(self, part: str) -> str:
        """What a part of the look printed."""
        return self.parts.get(part, "")

    @property
    def shared_addresses(self) -> list[str]:
        """What the device answers for by VRRP, or would, were it master."""
        return re.findall(r"^\d+: vrrp\S*\s+inet (\S+)/32\b", self.text("addresses"), re.MULTILINE)

    def is_bridged(self, interface: str) -> bool:
        """Whether an interface is a port of a bridge."""
        line = rf"^\d+: {re.escape(interface)}(@\S+)?: .*\bmaster br"
        return re.search(line, self.text("links"), re.MULTILINE) is not None

    @cached_property
    def running(self) -> str:
        """The routing software's configuration; empty where none runs."""
        return self.text("running")

    def block(self, head: str) -> list[str]:
        """Lines inside the configuration's block that begins with `head`, stripped."""
        lines: list[str] = []
        is_inside = False
        for line in self.running.splitlines():
            if not line.startswith(" "):
                is_inside = line.startswith(head)
            elif is_inside:
                lines.append(line.strip())
        return lines


@dataclass(frozen=True)
class Port:
    """One port by design."""

    device: str
    interface: str
    address: IPv4Interface
    facing: frozenset[tuple[str, str]]
    """(device, address) of everything on the same cable or LAN."""


class LabFacts:
    """The design, and what a look at every device shows."""

    def __init__(self, tools: Tools) -> None:
        topology = _topology(tools)
        self.nodes = {node.name: node for node in topology.nodes}
        self.ports = list(_ports(topology.links, frozenset(self.nodes)))
        self.seen = {name: _look(tools, node) for name, node in self.nodes.items()}
        self.owners = {str(port.address.ip): port.device for port in self.ports}

    def ports_of(self, device: str) -> list[Port]:
        """A device's ports by design."""
        return [port for port in self.ports if port.device == device]

    def faces_router(self, port: Port) -> bool:
        """Whether a router shares the port's cable or LAN."""
        return any(self.nodes[name].role in _ROUTERS for name, _ in port.facing)

    def gateways_at(self, port: Port) -> list[str]:
        """Addresses by which packets leave a port's network: those that routers share by VRRP first, then their own."""
        network = port.address.network
        routers = {name: seen for name, seen in self.seen.items() if seen.is_router and name != port.device}
        shared = {held for seen in routers.values() for held in seen.shared_addresses if IPv4Address(held) in network}
        own = {
            str(each.address.ip)
            for each in self.ports
            if each.device in routers and each.address.network == network and not self.is_bridged(each)
        }
        return [*sorted(shared), *sorted(own)]

    def is_bridged(self, port: Port) -> bool:
        """Whether a port only passes packets on, in its device's bridge."""
        return self.seen[port.device].is_bridged(port.interface)


def _topology(tools: Tools) -> Topology:
    first = Topology.model_validate(tools.call("get_topology", limit=500))
    links, page = list(first.links), first.page
    while page.next_offset is not None:
        more = Topology.model_validate(tools.call("get_topology", limit=500, offset=page.next_offset))
        links.extend(more.links)
        page = more.page
    return first.model_copy(update={"links": tuple(links)})


def _ports(links: tuple[TopologyLink, ...], devices: frozenset[str]) -> Iterator[Port]:
    shared: dict[str, list[tuple[str, str, str]]] = {}
    for number, link in enumerate(links):
        # A LAN that is made of cables has a device at both ends of each.
        is_lan = link.kind == "lan" and link.b.device not in devices
        place = f"lan {link.b.device}" if is_lan else f"cable {number}"
        length = IPv4Network(link.prefix).prefixlen
        for end in (link.a, link.b):
            if end.address:
                shared.setdefault(place, []).append((end.device, end.interface, f"{end.address}/{length}"))
    for ends in shared.values():
        for device, interface, address in ends:
            others = frozenset((name, held.split("/")[0]) for name, _, held in ends if name != device)
            yield Port(device, interface, IPv4Interface(address), others)


def _look(tools: Tools, node: TopologyNode) -> Seen:
    lines: list[str] = []
    offset: int | None = 0
    while offset is not None:
        shown = tools.call("exec_shell", device=node.name, command=_LOOK, offset=offset, limit=500)
        lines.extend(shown["lines"])
        offset = shown["page"]["next_offset"]
    pieces = _HEADING.split("\n".join(lines))
    return Seen(node, dict(zip(pieces[1::2], pieces[2::2], strict=True)))
