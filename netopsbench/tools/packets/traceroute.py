"""Hops on the way to a target, found with packets of one 5-tuple."""

from typing import Annotated, Any

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.live_results import Traceroute, TracerouteHop
from netopsbench.tools.packets.beside import ask_beside
from netopsbench.tools.packets.ping_test import address_of

_DEADLINE_S = 55.0
_WAIT_S = 0.6


def traceroute(
    context: ToolContext,
    device: Device,
    target: Annotated[str, Field(description="A device, or an IPv4 address.", examples=["client2"])],
    source_port: Annotated[int, Field(ge=1024, le=65535, description="UDP source port.")] = 35000,
    destination_port: Annotated[int, Field(ge=1, le=65535, description="UDP destination port.")] = 33434,
    count: Annotated[int, Field(ge=1, le=5, description="Packets per hop.")] = 2,
    max_hops: Annotated[int, Field(ge=1, le=16)] = 8,
) -> Traceroute:
    """Who answers on the way to a target, hop by hop, for one fixed 5-tuple.

    Every packet has the same addresses and ports, so all take the same equal-cost links; another `source_port` may
    take others. The answers come back by a way of their own.
    """
    node, address = context.device(device), address_of(context, target)
    request = {
        "pid": context.fabric.pid(node.name),
        "address": address,
        "source_port": source_port,
        "destination_port": destination_port,
        "count": count,
        "max_hops": max_hops,
        "wait_s": _WAIT_S,
    }
    reply = ask_beside(context, "netopsbench.tools.packets.hop_probe", request, _DEADLINE_S)
    if "error" in reply:
        raise ToolError(f"{device} can't send from port {source_port}: {reply['error']}")
    owners = {
        str(port.address.ip): f"{each.name}:{port.name}" for each in context.plan.nodes for port in each.interfaces
    }
    owners |= {str(each.loopback): each.name for each in context.plan.nodes if each.loopback is not None}
    return Traceroute(
        device=device,
        target=target,
        flow=f"UDP from port {source_port} to {address} port {destination_port}",
        hops=tuple(_hop(hop, owners) for hop in reply["hops"]),
        is_reached=bool(reply["is_reached"]),
    )


def _hop(found: dict[str, Any], owners: dict[str, str]) -> TracerouteHop:
    rtts = found["rtt_ms"]
    return TracerouteHop(
        ttl=found["ttl"],
        address=found["address"],
        port=owners.get(found["address"]),
        packets_sent=found["packets_sent"],
        packets_answered=len(rtts),
        rtt_min_ms=round(min(rtts), 3) if rtts else None,
        note=found["note"],
    )
