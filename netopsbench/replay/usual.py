"""What agents usually ask in a case: the calls whose answers a recording keeps, derived from the plan alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
    {"protocol": "icmp"},
    {"source_port": FIRST_PORT, "source_ports": PORTS},
    {"source_ports": 50, "count": 2},
    {"source_ports": 50, "count": 10},
)


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
    yield from _pings(plan)
    for node in plan.nodes:
        yield UsualCall("get_link_neighbors", {"device": node.name})
    yield from _traceroutes(plan)
    yield from _commands(plan)
    for src in plan.nodes:
        for dst in plan.nodes:
            if src.name != dst.name and (src.is_switch or dst.is_switch):
                yield UsualCall("ping_test", {"device": src.name, "target": dst.name})
    for node in plan.nodes:
        if node.is_switch:
            for port in node.interfaces:
                yield UsualCall("capture_summary", {"device": node.name, "interface": port.name})


def usual_flows(plan: FabricPlan) -> dict[Flow, UsualCall]:
    """The flows between clients whose path is asked for, each with the call of trace_flow that asks for it."""
    found: dict[Flow, UsualCall] = {}
    ends = clients(plan)
    ports = (*range(FIRST_PORT, FIRST_PORT + PORTS), *range(_PING_PORT, _PING_PORT + PORTS))
    for src in ends:
        for dst in ends:
            if src.name == dst.name:
                continue
            for port in ports:
                flow = _flow(src, dst, port)
                found[flow] = UsualCall("trace_flow", {"src": src.name, "dst": dst.name, "source_port": port})
    return found


def _flow(src: Node, dst: Node, source_port: int) -> Flow:
    return Flow(
        source=client_address(src),
        destination=client_address(dst),
        protocol=UDP,
        source_port=source_port,
        destination_port=ECHO_PORT,
    )


def _pings(plan: FabricPlan) -> Iterator[UsualCall]:
    large: Mapping[str, JsonValue] = {"size_bytes": plan.mtu - _IP_AND_UDP_BYTES, "dont_fragment": True}
    ends = clients(plan)
    pairs = [(src, dst) for src in ends for dst in ends if src.name != dst.name]
    for src, dst in pairs:
        for variant in (*_VARIANTS, large):
            yield UsualCall("ping_test", {"device": src.name, "target": dst.name, **variant})
    for node, far in _fabric_ends(plan):
        for variant in (*_VARIANTS, large):
            yield UsualCall("ping_test", {"device": node, "target": far, **variant})


def _traceroutes(plan: FabricPlan) -> Iterator[UsualCall]:
    ends = clients(plan)
    for src in ends:
        for dst in ends:
            if src.name != dst.name:
                for more in ({}, {"source_port": FIRST_PORT}):
                    yield UsualCall("traceroute", {"device": src.name, "target": dst.name, **more})


def _commands(plan: FabricPlan) -> Iterator[UsualCall]:
    far_of: dict[str, list[str]] = {}
    for node, far in _fabric_ends(plan):
        far_of.setdefault(node, []).append(far)
    for switch, addresses in far_of.items():
        for address in addresses:
            yield UsualCall("get_bgp_neighbor", {"device": switch, "neighbor": address})
            yield UsualCall("show", {"device": switch, "command": f"show bgp neighbors {address}"})
            yield UsualCall("show", {"device": switch, "command": f"show ip bgp neighbors {address}"})
        for prefix in (str(prefix) for node in plan.nodes for prefix in node.announces):
            yield UsualCall("show", {"device": switch, "command": f"show ip route {prefix}"})
            yield UsualCall("show", {"device": switch, "command": f"show bgp ipv4 unicast {prefix}"})
        for command in _SHOWN:
            yield UsualCall("show", {"device": switch, "command": command})


def _fabric_ends(plan: FabricPlan) -> Iterator[tuple[str, str]]:
    """Each switch with the address at the other end of each of its links to a switch."""
    address = {f"{node.name}:{port.name}": str(port.address.ip) for node in plan.nodes for port in node.interfaces}
    for link in plan.links:
        if link.kind == "fabric":
            yield link.a.node, address[str(link.b)]
            yield link.b.node, address[str(link.a)]
