"""The path of a 5-tuple, hop by hop."""

from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.fabric.flows import Flow, Path, tracing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import client_address, clients
from netopsbench.records.names import Port
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.live_results import FlowPath, PathHop

_PROTOCOLS = {"udp": 17, "tcp": 6, "icmp": 1}

Sender = Annotated[str, Field(description="The client that sends.", examples=["client1"])]
Receiver = Annotated[str, Field(description="The client that receives.", examples=["client2"])]
SourcePort = Annotated[int, Field(ge=0, le=65535, description="Ignored for ICMP.", examples=[35000])]


def trace_flow(
    context: ToolContext,
    src: Sender,
    dst: Receiver,
    source_port: SourcePort,
    destination_port: Annotated[int, Field(ge=0, le=65535, description="Ignored for ICMP.")] = 33434,
    protocol: Literal["udp", "tcp", "icmp"] = "udp",
) -> FlowPath:
    """The path that packets of one 5-tuple take between two clients now, by the live table of every switch on it.

    It sends no packet: each kernel is asked which of its equal-cost links it would choose. So it shows the way also
    where packets are lost on it, and finds where a route is missing. ping_test and Pingmesh use UDP.
    """
    sender, receiver = context.client(src), context.client(dst)
    if sender.name == receiver.name:
        raise ToolError(f"no path leads from {src} to itself", "bad_arguments")
    ports = (0, 0) if protocol == "icmp" else (source_port, destination_port)
    flow = Flow(
        source=client_address(sender),
        destination=client_address(receiver),
        protocol=_PROTOCOLS[protocol],
        source_port=ports[0],
        destination_port=ports[1],
    )
    with tracing(context.fabric) as tracer:
        path = tracer.paths([flow])[0]
    return flow_path(context.plan, flow, path)


def flow_path(plan: FabricPlan, flow: Flow, path: Path) -> FlowPath:
    """The path of a flow as agents read it."""
    owner = {client_address(each): each.name for each in clients(plan)}
    hops = _hops(plan, path)
    end = hops[-1].next_device if hops else owner[flow.source]
    protocol = next(name for name, number in _PROTOCOLS.items() if number == flow.protocol)
    source, destination = f"{flow.source} port {flow.source_port}", f"{flow.destination} port {flow.destination_port}"
    words = f"{source} to {destination}, {protocol.upper()}"
    complete = end == owner[flow.destination]
    message = "" if complete else f"{end} has no way on for this flow"
    return FlowPath(flow=words, hops=hops, is_complete=complete, ends_at=end, message=message)


def _hops(plan: FabricPlan, path: Path) -> tuple[PathHop, ...]:
    peers = {Port(node=node.name, interface=port.name): port.peer for node in plan.nodes for port in node.interfaces}
    hops: list[PathHop] = []
    arrived: str | None = None
    for text in path:
        sender, _, receiver = text.partition(">")
        device, _, interface = sender.partition(":")
        node, _, port = receiver.partition(":")
        own = Port(node=device, interface=interface)
        peer = Port(node=node, interface=port) if receiver else peers[own]
        hops.append(PathHop(device=device, in_interface=arrived, out_interface=interface, next_device=peer.node))
        arrived = peer.interface
    return tuple(hops)
