"""What the baseline agent knows of the network: every tool answer once, typed and remembered."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeVar

from netopsbench.agent.contract import Tools
from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.tools.devices.config_results import AclRule, DeviceAcl, DeviceConfig
from netopsbench.tools.results import (
    BgpNeighbors,
    DeviceInterface,
    DeviceInterfaces,
    LinkEnd,
    PingResult,
    Route,
    RouteTable,
    Topology,
    TopologyLink,
    TopologyNode,
)
from netopsbench.tools.telemetry.collector_results import BgpEvents, BgpEventView, DeviceMetrics
from netopsbench.tools.telemetry.mesh_results import Hotspot, PingmeshHotspots, PingmeshPath, PingmeshSummary

_LINKS_PAGE, _PATHS_PAGE, _EVENTS_PAGE = 250, 80, 300
"""So many fit into one result."""
_TIERS = {"core": 0, "spine": 1, "agg": 1, "leaf": 2, "edge": 2, "client": 3}

Answer = TypeVar("Answer", bound=Model)


class CallsUsedUpError(Exception):
    """One more call would exceed the budget."""


class Network:
    """The network as the tools show it. Answers are fetched when they are first needed."""

    def __init__(self, tools: Tools, budget_calls: int, wait: Callable[[float], None]) -> None:
        self.wait = wait
        """Let so many seconds pass."""
        self._tools = tools
        self._left = budget_calls
        self._known: dict[tuple[str, ...], Model | None] = {}
        self.failures: list[str] = []
        """What tools could not say."""

    def _ask(self, kind: type[Answer], name: str, **arguments: Any) -> Answer | None:
        """A tool's answer, None when it failed. Raises CallsUsedUpError instead of exceeding the budget."""
        if self._left <= 0:
            raise CallsUsedUpError
        self._left -= 1
        try:
            answer = self._tools.call(name, **arguments)
        except ToolError as failure:
            self.failures.append(f"{name}: {failure}")
            return None
        if answer.get("is_cut"):
            self.failures.append(f"{name}: the answer was too long")
            return None
        return kind.model_validate(answer)

    def _once(self, kind: type[Answer], name: str, *, again: bool = False, **arguments: str) -> Answer | None:
        """A tool's answer, asked for only once, or anew with `again`."""
        key = (name, *arguments.values())
        if again or key not in self._known:
            self._known[key] = self._ask(kind, name, **arguments)
        found = self._known[key]
        return found if isinstance(found, kind) else None

    @cached_property
    def _topology(self) -> tuple[dict[str, TopologyNode], tuple[TopologyLink, ...]]:
        nodes: dict[str, TopologyNode] = {}
        links: list[TopologyLink] = []
        offset: int | None = 0
        while offset is not None:
            part = self._ask(Topology, "get_topology", offset=offset, limit=_LINKS_PAGE)
            if part is None:
                break
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

    @property
    def fabric_links(self) -> tuple[TopologyLink, ...]:
        """Links between switches."""
        return tuple(link for link in self.links if link.kind == "fabric")

    @cached_property
    def mesh(self) -> PingmeshSummary | None:
        """The summary, with the worst paths; None when the tool failed."""
        return self._ask(PingmeshSummary, "get_pingmesh_summary", only_changed=True, limit=_PATHS_PAGE)

    def paths(self, *states: str) -> list[PingmeshPath]:
        """Paths in one of these states, of the worst ones."""
        return [path for path in self.mesh.paths if path.state in states] if self.mesh else []

    @cached_property
    def hotspots(self) -> tuple[Hotspot, ...]:
        """Bad samples by the switch at one end, the worst first."""
        found = self._ask(PingmeshHotspots, "get_pingmesh_hotspots", group_by="switch", limit=_PATHS_PAGE)
        return found.hotspots if found else ()

    def interfaces(self, device: str, *, again: bool = False) -> dict[str, DeviceInterface]:
        """The interfaces of a device by name; none when it didn't answer."""
        found = self._once(DeviceInterfaces, "get_device_interfaces", again=again, device=device)
        return {interface.name: interface for interface in found.interfaces} if found else {}

    def bgp(self, device: str, *, again: bool = False) -> BgpNeighbors | None:
        """The sessions of a switch; None when it didn't answer."""
        return self._once(BgpNeighbors, "get_bgp_neighbors", again=again, device=device)

    def acl(self, device: str) -> tuple[AclRule, ...]:
        """The packet filter of a switch; none when it didn't answer."""
        found = self._once(DeviceAcl, "get_device_acl", device=device)
        return found.rules if found else ()

    def config(self, device: str, section: str) -> tuple[str, ...]:
        """Lines of a part of a switch's configuration; none when it didn't answer."""
        found = self._once(DeviceConfig, "get_device_config", device=device, section=section)
        return tuple(line.strip() for part in found.sections for line in part.lines) if found else ()

    def metrics(self, device: str) -> DeviceMetrics | None:
        """What the device and its kernel counted; None when it didn't answer."""
        return self._once(DeviceMetrics, "get_interface_metrics", device=device)

    @cached_property
    def events(self) -> tuple[BgpEventView, ...]:
        """Sessions that changed, oldest first."""
        found = self._ask(BgpEvents, "query_bgp_events", limit=_EVENTS_PAGE)
        return found.events if found else ()

    def ping(self, device: str, address: str, count: int) -> PingResult | None:
        """So many probes for each of 50 source ports; None when they could not be sent."""
        return self._ask(PingResult, "ping_test", device=device, target=address, source_ports=50, count=count)

    def route(self, device: str, address: str) -> Route | None:
        """The route a device would use to an address; None when it has none or didn't answer."""
        table = self._table(device, address)
        return table.routes[0] if table and table.routes else None

    def lacks_route(self, device: str, address: str) -> bool:
        """Whether a device that answered has no route to an address."""
        table = self._table(device, address)
        return table is not None and table.is_running and not table.routes

    def _table(self, device: str, address: str) -> RouteTable | None:
        return self._once(RouteTable, "get_route_table", device=device, address=address)

    def address(self, node: str) -> str:
        """A client's address; empty for an unknown one."""
        found = self.nodes.get(node)
        return (found.address or "") if found else ""

    @cached_property
    def access_ports(self) -> dict[str, LinkEnd]:
        """The switch port that each client hangs on."""
        ends = ((link.a, link.b) for link in self.links if link.kind == "client")
        return {near.device: far for pair in ends for near, far in (pair, pair[::-1]) if self.tier(near.device) == 3}

    def tier(self, device: str) -> int:
        """Height of a device in the fabric, 0 the top."""
        found = self.nodes.get(device)
        return _TIERS.get(found.role, 0) if found else 0

    def uplinks(self, device: str) -> Iterator[tuple[LinkEnd, LinkEnd]]:
        """Own and far end of each link that leads up from a switch."""
        for link in self.fabric_links:
            for near, far in ((link.a, link.b), (link.b, link.a)):
                if near.device == device and self.tier(far.device) < self.tier(device):
                    yield near, far

    def watch_points(self) -> Iterator[str]:
        """Switches that together are an end of every fabric link, those with most links first."""
        uncovered = list(self.fabric_links)
        while uncovered:
            counts: dict[str, int] = {}
            for link in uncovered:
                for end in (link.a.device, link.b.device):
                    counts[end] = counts.get(end, 0) + 1
            chosen = max(counts, key=lambda device: (counts[device], device))
            yield chosen
            uncovered = [link for link in uncovered if chosen not in (link.a.device, link.b.device)]
