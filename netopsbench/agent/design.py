"""A network as it was designed, out of `get_topology`."""

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

from netopsbench.agent.contract import Tools
from netopsbench.tools.results import LinkEnd, Topology, TopologyLink, TopologyNode


@dataclass
class DesignedNetwork:
    """Devices, addresses and cables."""

    nodes: dict[str, TopologyNode] = field(default_factory=dict)
    owner: dict[IPv4Address, str] = field(default_factory=dict)
    """Interface address to device."""
    ports: dict[str, dict[str, IPv4Network]] = field(default_factory=dict)
    """Device to own port to its network."""
    ends: dict[tuple[str, str], tuple[LinkEnd, LinkEnd, int]] = field(default_factory=dict)
    """Device and port to its own end, the far end, and the MTU of the link."""

    @property
    def routers(self) -> list[str]:
        """Devices that forward."""
        return [name for name, node in self.nodes.items() if node.address is None]

    def only_way(self, source: str, target: str) -> str | None:
        """The next device of all shortest paths, when it is the same for all; hosts don't forward."""
        distance = self._distances(target)
        nexts = {each for each in self._beside(source) if distance.get(each, len(distance)) == distance[source] - 1}
        return next(iter(nexts)) if len(nexts) == 1 else None

    def _distances(self, target: str) -> dict[str, int]:
        found, frontier = {target: 0}, [target]
        while frontier:
            beyond = [
                (each, found[name] + 1)
                for name in frontier
                if name == target or self.nodes[name].address is None
                for each in self._beside(name)
            ]
            frontier = [name for name, _ in dict(beyond).items() if name not in found]
            found |= {name: steps for name, steps in beyond if name not in found}
        return found

    def _beside(self, name: str) -> list[str]:
        """Devices on the same links and LANs."""
        networks = set(self.ports[name].values())
        return [other for other, ports in self.ports.items() if other != name and networks & set(ports.values())]


def designed(tools: Tools) -> DesignedNetwork:
    """Ask for the whole design."""
    network = DesignedNetwork()
    offset: int | None = 0
    while offset is not None:
        part = Topology.model_validate(tools.call("get_topology", offset=offset, limit=500))
        network.nodes |= {node.name: node for node in part.nodes}
        for link in part.links:
            _add(network, link)
        offset = part.page.next_offset
    return network


def _add(network: DesignedNetwork, link: TopologyLink) -> None:
    for own, far in ((link.a, link.b), (link.b, link.a)):
        if not own.address:
            continue
        network.owner[IPv4Address(own.address)] = own.device
        network.ports.setdefault(own.device, {})[own.interface] = IPv4Network(link.prefix)
        network.ends[own.device, own.interface] = (own, far, link.mtu_bytes)
