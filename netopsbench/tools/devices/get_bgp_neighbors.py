"""The BGP sessions of a switch."""

from typing import Any

from netopsbench.fabric.plan import Node
from netopsbench.fabric.queries import facing, lans
from netopsbench.tools.arguments import Switch
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask_router
from netopsbench.tools.results import BgpNeighbor, BgpNeighbors


def get_bgp_neighbors(context: ToolContext, device: Switch) -> BgpNeighbors:
    """The BGP sessions of a switch: state, AS, uptime, prefixes; and links of the design without a session."""
    node = context.switch(device)
    ports = _far_ports(context, node)
    answer = ask_router(context, device, "show bgp summary json")
    if answer is None:
        return BgpNeighbors(
            device=device,
            is_running=False,
            asn=None,
            router_id=None,
            neighbors=(),
            missing=tuple(ports.values()),
            message="the BGP daemon did not answer" if node.asn is not None else "by design it speaks no BGP",
        )
    summary = answer.get("ipv4Unicast", {})
    peers: dict[str, dict[str, Any]] = summary.get("peers", {})
    return BgpNeighbors(
        device=device,
        is_running=True,
        asn=summary.get("as"),
        router_id=summary.get("routerId"),
        neighbors=tuple(_neighbor(address, peer, ports) for address, peer in peers.items()),
        missing=tuple(port for address, port in ports.items() if address not in peers),
    )


def _far_ports(context: ToolContext, node: Node) -> dict[str, str]:
    """Address to port of everybody at the far ends of the node's links with whom it speaks BGP by design."""
    bridges = lans(context.plan)
    far = {str(each) for port in node.interfaces for each in facing(node, port, bridges)}
    return {
        str(port.address.ip): f"{other.name}:{port.name}"
        for other in context.plan.nodes
        if node.asn is not None and other.asn is not None
        for port in other.interfaces
        if f"{other.name}:{port.name}" in far
    }


def _neighbor(address: str, peer: dict[str, Any], ports: dict[str, str]) -> BgpNeighbor:
    return BgpNeighbor(
        address=address,
        state=str(peer.get("state", "unknown")),
        remote_asn=int(peer.get("remoteAs", 0)),
        uptime_s=float(peer.get("peerUptimeMsec", 0)) / 1000,
        prefixes_received=int(peer.get("pfxRcd", 0)),
        prefixes_sent=int(peer.get("pfxSnt", 0)),
        messages_received=int(peer.get("msgRcvd", 0)),
        messages_sent=int(peer.get("msgSent", 0)),
        description=str(peer.get("desc", "")),
        peer=ports.get(address),
    )
