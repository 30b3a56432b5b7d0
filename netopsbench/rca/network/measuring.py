"""The way of packets on a running network: every branch by the kernels' tables, and a packet that really goes."""

import json
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from netopsbench.core.errors import InfraError
from netopsbench.fabric.beside import talking
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan, Interface, Node
from netopsbench.rca.answer import PathHop, RestoredPath

_MOST_HOPS = 16
_TRACE_DEADLINE_S = 20.0
_UDP = "17"
"""Its number: devices know no names of protocols."""


class Owners:
    """Whose an address is while a network runs."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric, self._plan = fabric, fabric.plan
        self._owner = {port.address.ip: (node, port) for node in self._plan.nodes for port in node.interfaces}

    def at(self, address: IPv4Address) -> tuple[Node, Interface]:
        """Node and port with an address; of a shared one, the router that is master now.

        Raises InfraError when nobody has it.
        """
        if address not in self._owner:
            return self._master(address)
        return self._owner[address]

    def _master(self, address: IPv4Address) -> tuple[Node, Interface]:
        lab = self._plan.lab
        for name, groups in lab.standby.items() if lab is not None else ():
            for each in groups:
                if each.address == address and self._is_answering(name, address):
                    return self._port(name, each.interface)
        raise InfraError("internal_error", f"a route leads to {address}, which nobody has")

    def _is_answering(self, node: str, address: IPv4Address) -> bool:
        """Whether a router's device for a shared address is up: a standby's is kept down."""
        shown = _asked(self._fabric, node, ["ip", "-j", "-4", "addr", "show", "to", f"{address}/32"])
        return any("LOWER_UP" in each.get("flags", ()) for each in shown)

    def _port(self, node: str, interface: str) -> tuple[Node, Interface]:
        found = next(each for each in self._plan.nodes if each.name == node)
        return found, next(port for port in found.interfaces if port.name == interface)


def measured_paths(fabric: Fabric, source: str, target: str) -> frozenset[RestoredPath]:
    """Every path that the kernels on the way may choose for packets between two hosts.

    Raises InfraError where a kernel has no way on, or leads in a circle.
    """
    plan, owners = fabric.plan, Owners(fabric)
    address = _address(plan, target)
    found = []
    under_way: list[tuple[tuple[PathHop, ...], str]] = [((), source)]
    while under_way:
        hops, here = under_way.pop()
        if len(hops) > _MOST_HOPS:
            raise InfraError("internal_error", f"packets from {source} to {target} go in a circle")
        for egress, following in _ways_on(fabric, owners, here, address):
            grown = (*hops, PathHop(node=here, egress=egress))
            if following == target:
                found.append(RestoredPath(hops=grown, end=target))
            else:
                under_way.append((grown, following))
    return frozenset(found)


def flow_path(fabric: Fabric, source: str, target: str, ports: tuple[int, int]) -> RestoredPath:
    """The one path that UDP packets of these source and destination ports take, by the kernels on the way.

    Raises InfraError where a kernel has no way on.
    """
    plan, owners = fabric.plan, Owners(fabric)
    flow = (_address(plan, source), _address(plan, target), *ports)
    hops: list[PathHop] = []
    here, arrived = source, ""
    while here != target and len(hops) <= _MOST_HOPS:
        route = _route_of_flow(fabric, here, arrived, flow)
        node, port = owners.at(IPv4Address(route.get("gateway", flow[1])))
        hops.append(PathHop(node=here, egress=str(route["dev"])))
        here, arrived = node.name, port.name
    return RestoredPath(hops=tuple(hops), end=here)


def packet_nodes(fabric: Fabric, source: str, target: str, ports: tuple[int, int]) -> tuple[str, ...]:
    """The devices that answer to UDP packets with rising TTL and these ports, the source first.

    Raises InfraError when a hop doesn't answer.
    """
    plan, owners = fabric.plan, Owners(fabric)
    request = {
        "pid": fabric.pid(source),
        "address": str(_address(plan, target)),
        "source_port": ports[0],
        "destination_port": ports[1],
        "count": 3,
        "max_hops": _MOST_HOPS,
        "wait_s": 1.0,
    }
    with talking(fabric, "netopsbench.tools.packets.hop_probe", who="the trace", reply_s=_TRACE_DEADLINE_S) as tracer:
        reply = tracer.ask(request)
    loopbacks = {node.loopback: node.name for node in plan.nodes if node.loopback}
    found = [source]
    for hop in reply.get("hops", ()):
        if hop["address"] is None:
            raise InfraError("internal_error", f"nobody answered at hop {hop['ttl']} from {source} to {target}")
        address = IPv4Address(hop["address"])
        # Switches of generated fabrics answer from their loopback.
        found.append(loopbacks.get(address) or owners.at(address)[0].name)
    return tuple(found)


def _ways_on(fabric: Fabric, owners: Owners, node: str, address: IPv4Address) -> Iterator[tuple[str, str]]:
    """Outgoing interface and next node of every way that a kernel has."""
    routes = _asked(fabric, node, ["ip", "-j", "-4", "route", "show", "table", "main"])
    matching = [route for route in routes if address in _prefix(route)]
    if not matching:
        raise InfraError("internal_error", f"{node} has no route to {address}")
    best = max(matching, key=lambda route: (_prefix(route).prefixlen, -int(route.get("metric", 0))))
    if best.get("type", "unicast") != "unicast":
        raise InfraError("internal_error", f"{node} discards packets to {address}")
    for hop in best.get("nexthops", [best]):
        yield str(hop["dev"]), owners.at(IPv4Address(hop.get("gateway", address)))[0].name


def _route_of_flow(
    fabric: Fabric, node: str, arrived: str, flow: tuple[IPv4Address, IPv4Address, int, int]
) -> dict[str, Any]:
    source, target, source_port, target_port = map(str, flow)
    # Forwarded packets need source and incoming interface; without them the kernel answers for its own ones.
    forwarded = ["from", source, "iif", arrived] if arrived else []
    argv = ["ip", "-j", "-4", "route", "get", target, *forwarded]
    found = _asked(fabric, node, [*argv, "ipproto", _UDP, "sport", source_port, "dport", target_port])
    return found[0]


def _asked(fabric: Fabric, node: str, argv: list[str]) -> list[dict[str, Any]]:
    done = fabric.exec(node, argv)
    if not done.is_ok:
        raise InfraError("internal_error", f"{node}: {' '.join(argv)}: {done.stderr.strip()}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def _prefix(route: dict[str, Any]) -> IPv4Network:
    return IPv4Network("0.0.0.0/0" if route["dst"] == "default" else route["dst"])


def _address(plan: FabricPlan, host: str) -> IPv4Address:
    return next(node for node in plan.nodes if node.name == host).interfaces[0].address.ip
