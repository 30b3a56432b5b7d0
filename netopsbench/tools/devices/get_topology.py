"""The network as designed, with the names of both ports of every link."""

from typing import Annotated

from pydantic import Field

from netopsbench.fabric.plan import FabricPlan, Link, Node
from netopsbench.records.names import Port
from netopsbench.tools.context import ToolContext
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.results import LinkEnd, Topology, TopologyLink, TopologyNode


def get_topology(
    context: ToolContext,
    device: Annotated[str | None, Field(description="Only the links of this device.")] = None,
    offset: Offset = 0,
    limit: Limit = 200,
) -> Topology:
    """The network as it was designed: switches, clients, and links with both interface names and addresses.

    It shows the design, not the present state. Links come in pages.
    """
    plan = context.plan
    if device is not None:
        context.device(device)
    ends = _ends(plan)
    links = [_link(link, ends) for link in plan.links if device is None or device in (link.a.node, link.b.node)]
    chosen, page = page_of(links, offset, limit)
    nodes = tuple(_node(node) for node in plan.nodes) if offset == 0 else ()
    return Topology(nodes=nodes, links=chosen, page=page)


def _ends(plan: FabricPlan) -> dict[Port, LinkEnd]:
    return {
        Port(node=node.name, interface=port.name): LinkEnd(
            device=node.name, interface=port.name, address=str(port.address.ip)
        )
        for node in plan.nodes
        for port in node.interfaces
    }


def _link(link: Link, ends: dict[Port, LinkEnd]) -> TopologyLink:
    there = ends.get(link.b) or LinkEnd(device=link.b.node, interface=link.b.interface, address="")
    return TopologyLink(a=ends[link.a], b=there, prefix=str(link.prefix), mtu_bytes=link.mtu, kind=link.kind)


def _node(node: Node) -> TopologyNode:
    address = None if node.is_switch or not node.interfaces else str(node.interfaces[0].address.ip)
    return TopologyNode(
        name=node.name,
        role=node.role,
        asn=node.asn,
        loopback=None if node.loopback is None else str(node.loopback),
        address=address,
        attached_to=node.attached_to,
    )
