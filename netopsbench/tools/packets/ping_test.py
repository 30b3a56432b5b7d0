"""Probes sent from a device, swept over source ports."""

from ipaddress import AddressValueError, IPv4Address
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import Field

from netopsbench.tools.context import ToolContext
from netopsbench.tools.packets.beside import ask_beside
from netopsbench.tools.results import PingResult, PortReply

_WAIT_S = 1.0
_DEADLINE_S = 12.0


def ping_test(
    context: ToolContext,
    device: Annotated[str, Field(description="The switch or client that sends.", examples=["client1"])],
    target: Annotated[str, Field(description="A device, or an IPv4 address.", examples=["client2"])],
    protocol: Literal["udp", "icmp"] = "udp",
    source_port: Annotated[int, Field(ge=1024, le=65535, description="First UDP source port.")] = 35000,
    source_ports: Annotated[int, Field(ge=1, le=64, description="How many source ports to sweep.")] = 16,
    destination_port: Annotated[int, Field(ge=1, le=65535)] = 33434,
    count: Annotated[int, Field(ge=1, le=20, description="Probes per source port.")] = 2,
    size_bytes: Annotated[int, Field(ge=12, le=9500, description="Payload of a probe.")] = 64,
    dont_fragment: bool = False,
) -> PingResult:
    """Send probes from a device and see which come back.

    UDP sweeps source ports, because equal-cost links are chosen by addresses and ports; a closed port that says
    so counts as an answer. ICMP has no ports, so all its probes of one pair take the same links.
    """
    sender, address = context.device(device).name, address_of(context, target)
    pid = context.fabric.pid(sender)
    last_port = min(source_port + source_ports, 65536)
    request = {
        "pid": pid,
        "address": address,
        "protocol": protocol,
        "source_ports": list(range(source_port, last_port)),
        "destination_port": destination_port,
        "count": count,
        "size_bytes": size_bytes,
        "dont_fragment": dont_fragment,
        "wait_s": _WAIT_S,
    }
    ports = f"UDP from ports {source_port} to {last_port - 1} to port {destination_port}, {count} probes each"
    method = ports if protocol == "udp" else f"{count} ICMP echo requests"
    fragments = ", don't-fragment set" if dont_fragment else ""
    sweeps = ask_beside(context, "netopsbench.tools.packets.ping_probe", request, _DEADLINE_S)
    return _result(device, target, address, f"{method}, {size_bytes} bytes{fragments}", sweeps)


def address_of(context: ToolContext, target: str) -> str:
    """A target's address: a switch's loopback, a client's own, or what was given. Raises ToolError `unknown_device`."""
    try:
        return str(IPv4Address(target))
    except AddressValueError:
        node = context.device(target)
    if node.loopback is not None:
        return str(node.loopback)
    return str(node.interfaces[0].address.ip)


def _result(device: str, target: str, address: str, method: str, sweeps: list[dict[str, Any]]) -> PingResult:
    rtts = [rtt for sweep in sweeps for rtt in sweep["rtt_ms"]]
    sent = sum(sweep["packets_sent"] for sweep in sweeps)
    return PingResult(
        device=device,
        target=target,
        address=address,
        method=method,
        packets_sent=sent,
        packets_answered=len(rtts),
        loss_pct=round(100 * (sent - len(rtts)) / sent, 2) if sent else 0.0,
        rtt_min_ms=round(min(rtts), 3) if rtts else None,
        rtt_avg_ms=round(fmean(rtts), 3) if rtts else None,
        rtt_max_ms=round(max(rtts), 3) if rtts else None,
        replies=tuple(_reply(sweep) for sweep in sweeps),
    )


def _reply(sweep: dict[str, Any]) -> PortReply:
    rtts = sweep["rtt_ms"]
    return PortReply(
        source_port=sweep["source_port"],
        packets_sent=sweep["packets_sent"],
        packets_answered=len(rtts),
        answered_by=sweep["answered_by"],
        rtt_min_ms=round(min(rtts), 3) if rtts else None,
        error=sweep["error"],
    )
