"""The interfaces of a device as its kernel shows them."""

from typing import Any

from netopsbench.core.errors import ToolError
from netopsbench.tools.arguments import Device
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device import ask
from netopsbench.tools.results import DeviceInterface, DeviceInterfaces


def get_device_interfaces(context: ToolContext, device: Device) -> DeviceInterfaces:
    """The present state of a device's interfaces: administrative state, carrier, MTU, addresses, counters."""
    node = context.device(device)
    shown = ask(context, device, ["ip", "-j", "-s", "addr", "show"])
    if not isinstance(shown, list):
        raise ToolError(f"{device} did not show its interfaces")
    peers = {port.name: str(port.peer) for port in node.interfaces}
    interfaces = tuple(_interface(entry, peers) for entry in shown if isinstance(entry, dict) and entry)
    return DeviceInterfaces(device=device, interfaces=interfaces)


def _interface(entry: dict[str, Any], peers: dict[str, str]) -> DeviceInterface:
    flags = entry.get("flags", [])
    name = str(entry.get("ifname", ""))
    received, sent = (entry.get("stats64", {}).get(way, {}) for way in ("rx", "tx"))
    addresses = tuple(
        f"{address['local']}/{address['prefixlen']}"
        for address in entry.get("addr_info", [])
        if address.get("family") == "inet"
    )
    return DeviceInterface(
        name=name,
        is_admin_up="UP" in flags,
        # The kernel reports LOWER_UP only while the interface is switched on.
        has_carrier="LOWER_UP" in flags,
        is_up="UP" in flags and "LOWER_UP" in flags,
        mtu_bytes=int(entry.get("mtu", 0)),
        mac=str(entry.get("address", "")),
        addresses=addresses,
        peer=peers.get(name),
        rx_packets=int(received.get("packets", 0)),
        rx_bytes=int(received.get("bytes", 0)),
        rx_errors=int(received.get("errors", 0)),
        rx_dropped=int(received.get("dropped", 0)),
        tx_packets=int(sent.get("packets", 0)),
        tx_bytes=int(sent.get("bytes", 0)),
        tx_errors=int(sent.get("errors", 0)),
        tx_dropped=int(sent.get("dropped", 0)),
    )
