"""What agents usually ask in a case: the calls whose answers a recording keeps, derived from the plan alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from pydantic import JsonValue

from netopsbench.fabric.flows import UDP, Flow
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.fabric.queries import client_address, clients
from netopsbench.telemetry.schedule import ECHO_PORT, FIRST_PORT, PORTS

LOOKS = 13
LOOK_EVERY_S = 0.6
"""Together longer than a flapping link needs to go down and come up again once."""

_PING_PORT = 35000
"""Where ping_test and traceroute begin when they aren't told."""
_IP_AND_UDP_BYTES = 28
_MOST_FLOWS = 4096
"""Of large fabrics only some pairs of clients have their paths recorded."""

_OF_DEVICES = ("get_device_interfaces", "get_route_table", "get_device_acl", "get_fib", "get_arp_table")
_OF_SWITCHES = ("get_bgp_neighbors", "get_bgp_rib", "get_device_config", "get_routing_policies")
_LOOKED_AT = ("get_device_interfaces", "get_bgp_neighbors")
_SHOWN = (
    "show bgp ipv4 unicast summary",
    "show bgp summary",
    "show ip bgp summary",
    "show bgp ipv4 unicast",
    "show ip bgp",
    "show bgp neighbors",
    "show ip bgp neighbors",
    "show ip route",
    "show ip route bgp",
    "show ip route static",
    "show ip route summary",
    "show ip prefix-list",
    "show ip nht",
    "show interface",
    "show interface brief",
    "show route-map",
    "show running-config",
    "show version",
    "show bgp summary json",
    "show bgp ipv4 unicast summary json",
    "show interface json",
)
_VARIANTS: tuple[Mapping[str, JsonValue], ...] = (
    {},
    {"source_ports": 50, "count": 2},
    {"source_ports": 50, "count": 10},
    {"protocol": "icmp"},
    {"source_port": FIRST_PORT, "source_ports": PORTS},
)
"""How ping_test is asked; the baseline agent's ways among them."""


@dataclass(frozen=True)
class UsualCall:
    """A tool and what it is asked."""

    tool: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


def looked_at(plan: FabricPlan) -> list[UsualCall]:
    """State that may change while one looks: asked for `LOOKS` times."""
    return [
        UsualCall(tool, {"device": node.name})
        for node in plan.nodes
        for tool in _LOOKED_AT
        if node.is_switch or tool == _LOOKED_AT[0]
    ]


def asked_once(plan: FabricPlan) -> Iterator[UsualCall]:
    """Everything else, what agents need most first."""
    for node in plan.nodes:
        for tool in _OF_DEVICES:
            yield UsualCall(tool, {"device": node.name})
        if node.is_switch:
            for tool in _OF_SWITCHES:
                yield UsualCall(tool, {"device": node.name})
    yield from _between_clients(plan)
    yield from _sessions(plan)
    for node in plan.nodes:
        yield UsualCall("get_link_neighbors", {"device": node.name})
    yield from _over_links(plan)
    yield from _commands(plan)
    yield from _between_devices(plan)
    yield from _captures(plan)


def usual_flows(plan: FabricPlan) -> dict[Flow, UsualCall]:
    """The flows between clients whose path is asked for, each with the call of trace_flow that asks for it."""
    found: dict[Flow, UsualCall] = {}
    ports = (*range(FIRST_PORT, FIRST_PORT + PORTS), *range(_PING_PORT, _PING_PORT + PORTS))
    for src, dst in islice(_pairs(plan), _MOST_FLOWS // len(ports)):
        for port in ports:
            asked = UsualCall("trace_flow", {"src": src.name, "dst": dst.name, "source_port": port})
            found[_flow(src, dst, port)] = asked
    return found


def _pairs(plan: FabricPlan) -> Iterator[tuple[Node, Node]]:
    """Every ordered pair of clients; the first ones are spread over all clients."""
    ends = clients(plan)
    for step in range(1, len(ends)):
        for place, src in enumerate(ends):
            yield src, ends[(place + step) % len(ends)]


def _flow(src: Node, dst: Node, source_port: int) -> Flow:
    return Flow(
        source=client_address(src),
        destination=client_address(dst),
        protocol=UDP,
        source_port=source_port,
        destination_port=ECHO_PORT,
    )


def _between_clients(plan: FabricPlan) -> Iterator[UsualCall]:
    large: Mapping[str, JsonValue] = {"size_bytes": plan.mtu - _IP_AND_UDP_BYTES, "dont_fragment": True}
    for src, dst in _pairs(plan):
        ends: Mapping[str, JsonValue] = {"device": src.name, "target": dst.name}
        yield UsualCall("traceroute", ends)
        yield UsualCall("traceroute", {**ends, "source_port": FIRST_PORT})
        for variant in (*_VARIANTS, large):
            yield UsualCall("ping_test", {**ends, **variant})


def _over_links(plan: FabricPlan) -> Iterator[UsualCall]:
    for variant in _VARIANTS:
        for node, far in _fabric_ends(plan):
            yield UsualCall("ping_test", {"device": node, "target": far, **variant})


def _between_devices(plan: FabricPlan) -> Iterator[UsualCall]:
    for src in plan.nodes:
        for dst in plan.nodes:
            if src.name != dst.name and (src.is_switch or dst.is_switch):
                yield UsualCall("ping_test", {"device": src.name, "target": dst.name})


def _captures(plan: FabricPlan) -> Iterator[UsualCall]:
    for node in plan.nodes:
        if node.is_switch:
            for port in node.interfaces:
                yield UsualCall("capture_summary", {"device": node.name, "interface": port.name})


def _sessions(plan: FabricPlan) -> Iterator[UsualCall]:
    for switch, address in _fabric_ends(plan):
        yield UsualCall("get_bgp_neighbor", {"device": switch, "neighbor": address})


def _commands(plan: FabricPlan) -> Iterator[UsualCall]:
    prefixes = [str(prefix) for node in plan.nodes for prefix in node.announces]
    about_prefixes = [f"show {what} {prefix}" for what in ("ip route", "bgp ipv4 unicast") for prefix in prefixes]
    for node in plan.nodes:
        if node.is_switch:
            for command in (*_SHOWN, *about_prefixes):
                yield UsualCall("show", {"device": node.name, "command": command})
    for switch, address in _fabric_ends(plan):
        yield UsualCall("show", {"device": switch, "command": f"show bgp neighbors {address}"})


def _fabric_ends(plan: FabricPlan) -> Iterator[tuple[str, str]]:
    """Each switch with the address at the other end of each of its links to a switch."""
    address = {f"{node.name}:{port.name}": str(port.address.ip) for node in plan.nodes for port in node.interfaces}
    for link in plan.links:
        if link.kind == "fabric":
            yield link.a.node, address[str(link.b)]
            yield link.b.node, address[str(link.a)]
