"""The hardware addresses of a device's neighbours."""

from typing import Any

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan, Interface
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask
from netopsbench.tools.devices.live_results import ArpEntry, ArpTable
from netopsbench.tools.paging import Limit, Offset, page_of


def get_arp_table(context: ToolContext, device: Device, offset: Offset = 0, limit: Limit = 100) -> ArpTable:
    """The ARP table of a device: which hardware address it uses for each neighbour, and whether that is the right one.

    Entries on links between known ports are usually permanent: written by configuration, not learned.
    """
    context.device(device)
    shown = ask(context, device, ["ip", "-j", "-4", "neigh", "show"])
    if not isinstance(shown, list):
        raise ToolError(f"{device} did not show its neighbours")
    designed = _ports(context.plan)
    entries = [_entry(each, designed) for each in shown if isinstance(each, dict) and "dst" in each]
    chosen, page = page_of(sorted(entries, key=lambda entry: (entry.interface, entry.address)), offset, limit)
    return ArpTable(device=device, entries=chosen, page=page)


def _ports(plan: FabricPlan) -> dict[str, tuple[str, Interface]]:
    return {str(port.address.ip): (f"{node.name}:{port.name}", port) for node in plan.nodes for port in node.interfaces}


def _entry(shown: dict[str, Any], designed: dict[str, tuple[str, Interface]]) -> ArpEntry:
    address, mac = str(shown["dst"]), shown.get("lladdr")
    peer, port = designed.get(address, (None, None))
    return ArpEntry(
        address=address,
        interface=str(shown.get("dev", "")),
        mac=mac,
        state=" ".join(shown.get("state", [])).lower(),
        peer=peer,
        is_as_designed=None if mac is None or port is None else mac.lower() == port.mac.lower(),
    )
