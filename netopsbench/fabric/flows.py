"""Which way packets go: the live path of a 5-tuple, and the links that a set of flows crosses."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address

from netopsbench.core.model import Model
from netopsbench.fabric.beside import Conversation, talking
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import client_address, clients, interface, stations
from netopsbench.records.names import Port

UDP = 17
_AT_ONCE = 20_000
"""Flows in one request."""
_REPLY_DEADLINE_S = 60.0


class Flow(Model):
    """A 5-tuple between two clients."""

    source: IPv4Address
    destination: IPv4Address
    protocol: int = UDP
    source_port: int
    destination_port: int


Path = tuple[str, ...]
"""Outgoing ports, `client1:eth1` first, `leaf2:eth3` (the port to the destination) last when it arrives.

A port on a LAN is followed by the one that the packet goes to there, `office1:eth0>hq:eth0`."""


class Tracing:
    """A conversation with the tracer beside the nodes."""

    def __init__(self, tracer: Conversation) -> None:
        self._tracer = tracer

    def paths(self, flows: Sequence[Flow]) -> list[Path]:
        """The path that packets of each flow take now, by the routing tables of every switch on it.

        A path ends early where a switch has no way for the flow.
        """
        found: list[Path] = []
        for start in range(0, len(flows), _AT_ONCE):
            part = flows[start : start + _AT_ONCE]
            asked = [
                (str(flow.source), str(flow.destination), flow.protocol, flow.source_port, flow.destination_port)
                for flow in part
            ]
            found += [tuple(path) for path in self._tracer.ask(asked)]
        return found


@contextmanager
def tracing(fabric: Fabric) -> Iterator[Tracing]:
    """Keep a tracer beside the fabric for the block."""
    plan = fabric.plan
    layout = {
        "pids": {node.name: fabric.pid(node.name) for node in plan.nodes if node.is_switch},
        "peers": {
            f"{node.name}:{port.name}": [port.peer.node, port.peer.interface]
            for node in plan.nodes
            for port in node.interfaces
        },
        "lans": dict(_on_lans(plan)),
        "attached": {str(client_address(node)): f"{node.name}:{node.interfaces[0].name}" for node in clients(plan)},
        "gateways": dict(_gateways(plan)),
    }
    with talking(fabric, "netopsbench.fabric.tracer", who="the tracer", reply_s=_REPLY_DEADLINE_S) as tracer:
        tracer.tell(layout)
        yield Tracing(tracer)


def _on_lans(plan: FabricPlan) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each port on a LAN, with who else is there by address."""
    for port, others in stations(plan).items():
        yield str(port), {str(interface(plan, far).address.ip): [far.node, far.interface] for far in others}


def _gateways(plan: FabricPlan) -> Iterator[tuple[str, str]]:
    """Client address to the address of its switch's port on the client's LAN."""
    on_lans = stations(plan)
    for client in clients(plan):
        own = client.interfaces[0]
        for far in on_lans.get(Port(node=client.name, interface=own.name), (own.peer,)):
            if far.node == client.attached_to:
                yield str(client_address(client)), str(interface(plan, far).address.ip)


def unprobed_ports(plan: FabricPlan, paths: Iterable[Path]) -> tuple[Port, ...]:
    """Sending ends of fabric links that no path crosses: each link counts once in each direction."""
    crossed = {port for path in paths for port in path}
    ends = (end for link in plan.links if link.kind == "fabric" for end in (link.a, link.b))
    return tuple(end for end in ends if str(end) not in crossed)
