"""Who answers at the other end of each port."""

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import facing, is_bridged, lans
from netopsbench.records.names import Port
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask
from netopsbench.tools.devices.live_results import LinkNeighbor, LinkNeighbors
from netopsbench.tools.packets.beside import ask_beside

_DEADLINE_S = 10.0
_WAIT_S = 0.4


def get_link_neighbors(context: ToolContext, device: Device) -> LinkNeighbors:
    """Who answers at the other end of each port of a device, asked now with ARP.

    Shows whether a link works at its lowest layer in both directions, and whether the right port is at its other end.
    It doesn't depend on routing, and a packet filter for IP doesn't stop it. On a LAN every other port is asked.
    """
    node = context.device(device)
    shown = ask(context, device, ["ip", "-j", "link", "show"])
    if not isinstance(shown, list):
        raise ToolError(f"{device} did not show its interfaces")
    flags = {str(each.get("ifname")): each.get("flags", []) for each in shown}
    addresses = {
        f"{each.name}:{port.name}": str(port.address.ip) for each in context.plan.nodes for port in each.interfaces
    }
    by_mac = {port.mac.lower(): f"{each.name}:{port.name}" for each in context.plan.nodes for port in each.interfaces}
    bridges = lans(context.plan)
    looked_for = [(port, str(far)) for port in node.interfaces for far in facing(node, port, bridges)]
    asked = [[far, port.name, str(port.address.ip), addresses[far]] for port, far in looked_for]
    request = {"pid": context.fabric.pid(node.name), "ports": asked, "wait_s": _WAIT_S}
    answers: dict[str, str] = ask_beside(context, "netopsbench.tools.packets.arp_probe", request, _DEADLINE_S)
    return LinkNeighbors(
        device=device,
        method=f"an ARP request out of each port to each designed peer's address, repeated once, {_WAIT_S:g} s each",
        neighbors=tuple(
            LinkNeighbor(
                interface=port.name,
                is_admin_up="UP" in flags.get(port.name, []),
                has_carrier="LOWER_UP" in flags.get(port.name, []),
                designed_peer=far,
                answered_mac=answers.get(far),
                actual_peer=_answering(context.plan, far, by_mac.get(answers.get(far, ""))),
            )
            for port, far in looked_for
        ),
    )


def _answering(plan: FabricPlan, designed: str, answered: str | None) -> str | None:
    """The port that an answer came from; a bridge answers on all its ports with the hardware address of one."""
    if answered is None or answered == designed:
        return answered
    node, _, name = designed.partition(":")
    is_same_bridge = answered.startswith(f"{node}:") and is_bridged(plan, Port(node=node, interface=name))
    return designed if is_same_bridge else answered
