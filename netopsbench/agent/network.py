"""What the baseline agent knows of the network: every tool answer once, typed and remembered."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from netopsbench.agent.contract import Tools
from netopsbench.core.errors import ToolError
from netopsbench.tools.results import (
    BgpNeighbors,
    DeviceInterface,
    DeviceInterfaces,
    PingmeshPath,
    PingmeshSummary,
    Route,
    RouteTable,
    Topology,
    TopologyLink,
    TopologyNode,
)

_PAGE = 500
_TIERS = {"core": 0, "spine": 1, "agg": 1, "leaf": 2, "edge": 2, "client": 3}


class CallsUsedUpError(Exception):
    """One more call would exceed the budget."""


class Network:
    """The network as the tools show it. Answers are fetched when they are first needed."""

    def __init__(self, tools: Tools, budget_calls: int) -> None:
        self._tools = tools
        self._left = budget_calls
        self._interfaces: dict[str, dict[str, DeviceInterface]] = {}
        self._bgp: dict[str, BgpNeighbors | None] = {}
        self._routes: dict[tuple[str, str], RouteTable | None] = {}
        self.failures: list[str] = []
        """What tools could not say."""

    def _ask(self, name: str, **arguments: Any) -> dict[str, Any] | None:
        """A tool's answer, None when it failed. Raises CallsUsedUpError instead of exceeding the budget."""
        if self._left <= 0:
            raise CallsUsedUpError
        self._left -= 1
        try:
            return self._tools.call(name, **arguments)
        except ToolError as failure:
            self.failures.append(f"{name}: {failure}")
            return None

    @cached_property
    def _topology(self) -> tuple[dict[str, TopologyNode], tuple[TopologyLink, ...]]:
        nodes: dict[str, TopologyNode] = {}
        links: list[TopologyLink] = []
        offset: int | None = 0
        while offset is not None:
            answer = self._ask("get_topology", offset=offset, limit=_PAGE)
            if answer is None:
                break
            part = Topology.model_validate(answer)
            nodes.update({node.name: node for node in part.nodes})
            links.extend(part.links)
            offset = part.page.next_offset
        return nodes, tuple(links)

    @property
    def nodes(self) -> dict[str, TopologyNode]:
        return self._topology[0]

    @property
    def links(self) -> tuple[TopologyLink, ...]:
        return self._topology[1]

    @cached_property
    def mesh(self) -> PingmeshSummary | None:
        """The summary, with the paths in trouble; None when the tool failed."""
        answer = self._ask("get_pingmesh_summary", only_changed=True, limit=_PAGE)
        return None if answer is None else PingmeshSummary.model_validate(answer)

    def paths(self, *states: str) -> list[PingmeshPath]:
        """Paths in one of these states, at most the 500 worst."""
        return [path for path in self.mesh.paths if path.state in states] if self.mesh else []

    def interfaces(self, device: str) -> dict[str, DeviceInterface]:
        """The interfaces of a device by name; none when it didn't answer."""
        if device not in self._interfaces:
            answer = self._ask("get_device_interfaces", device=device)
            shown = () if answer is None else DeviceInterfaces.model_validate(answer).interfaces
            self._interfaces[device] = {interface.name: interface for interface in shown}
        return self._interfaces[device]

    def bgp(self, device: str, *, again: bool = False) -> BgpNeighbors | None:
        """The sessions of a switch, asked anew with `again`; None when it didn't answer."""
        if again or device not in self._bgp:
            answer = self._ask("get_bgp_neighbors", device=device)
            self._bgp[device] = None if answer is None else BgpNeighbors.model_validate(answer)
        return self._bgp[device]

    def route(self, device: str, address: str) -> Route | None:
        """The route a device would use to an address; None when it has none or didn't answer."""
        table = self._table(device, address)
        return table.routes[0] if table and table.routes else None

    def lacks_route(self, device: str, address: str) -> bool:
        """Whether a device that answered has no route to an address."""
        table = self._table(device, address)
        return table is not None and table.is_running and not table.routes

    def _table(self, device: str, address: str) -> RouteTable | None:
        if (device, address) not in self._routes:
            answer = self._ask("get_route_table", device=device, address=address)
            self._routes[device, address] = None if answer is None else RouteTable.model_validate(answer)
        return self._routes[device, address]

    def address(self, node: str) -> str:
        """A client's address; empty for an unknown one."""
        found = self.nodes.get(node)
        return (found.address or "") if found else ""

    def access_port(self, client: str) -> tuple[str, str] | None:
        """The switch and port that a client hangs on."""
        for link in self.links:
            if link.kind == "client":
                for near, far in ((link.a, link.b), (link.b, link.a)):
                    if near.device == client:
                        return far.device, far.interface
        return None

    def owners(self) -> dict[str, str]:
        """Switch by the address of each of its fabric ports."""
        return {end.address: end.device for link in self.links for end in (link.a, link.b)}

    def tier(self, device: str) -> int:
        """Height of a device in the fabric, 0 the top."""
        found = self.nodes.get(device)
        return _TIERS.get(found.role, 0) if found else 0

    def watch_points(self) -> Iterator[str]:
        """Switches that together are an end of every fabric link, those with most links first."""
        uncovered = [link for link in self.links if link.kind == "fabric"]
        while uncovered:
            counts: dict[str, int] = {}
            for link in uncovered:
                for end in (link.a.device, link.b.device):
                    counts[end] = counts.get(end, 0) + 1
            chosen = max(counts, key=lambda device: (counts[device], device))
            yield chosen
            uncovered = [link for link in uncovered if chosen not in (link.a.device, link.b.device)]
