"""Bridges and VXLANs of a node as its kernel has them; standard library only."""

import struct
from typing import TypedDict

from netopsbench.fabric import netlink

_IFLA_IFNAME, _IFLA_MASTER, _IFLA_LINKINFO = 3, 10, 18
_IFLA_INFO_KIND, _IFLA_INFO_DATA = 1, 2
_BR_STP_STATE, _BR_PRIORITY, _BR_ROOT_ID, _BR_BRIDGE_ID = 5, 6, 10, 11
_VXLAN_ID, _VXLAN_PORT = 1, 15
_IFINFO = struct.Struct("=BxHiII")


class SeenBridge(TypedDict):
    """A bridge and its spanning tree."""

    id: str
    """Priority and hardware address, 16 hexadecimal digits: the smallest one of a LAN is its root."""
    root: str
    """The id of the bridge that it takes for the root."""
    has_tree: bool
    priority: int
    ports: list[str]


class SeenTunnel(TypedDict):
    """A node's end of a VXLAN."""

    vni: int
    port: int


class SeenDevices(TypedDict):
    """By name."""

    bridges: dict[str, SeenBridge]
    tunnels: dict[str, SeenTunnel]


def devices(pid: int) -> SeenDevices:
    """The bridges and VXLANs of the node that a process runs on."""
    with netlink.inside(pid), netlink.Netlink() as kernel:
        return read_devices([payload for _, payload in kernel.dump(netlink.RTM_GETLINK, _IFINFO.pack(0, 0, 0, 0, 0))])


def read_devices(links: list[bytes]) -> SeenDevices:
    """The bridges and VXLANs among the links that a kernel tells."""
    found: SeenDevices = {"bridges": {}, "tunnels": {}}
    names, masters = {}, {}
    by_index: dict[int, SeenBridge] = {}
    for payload in links:
        index: int = _IFINFO.unpack_from(payload)[2]
        told = netlink.attributes(payload[_IFINFO.size :])
        name = names[index] = told[_IFLA_IFNAME].rstrip(b"\0").decode()
        if _IFLA_MASTER in told:
            masters[index] = struct.unpack("=I", told[_IFLA_MASTER])[0]
        kind = netlink.attributes(told.get(_IFLA_LINKINFO, b""))
        data = netlink.attributes(kind.get(_IFLA_INFO_DATA, b""))
        match kind.get(_IFLA_INFO_KIND, b"").rstrip(b"\0"):
            case b"bridge":
                by_index[index] = found["bridges"][name] = _bridge(data)
            case b"vxlan":
                found["tunnels"][name] = _tunnel(data)
    for index, master in masters.items():
        if master in by_index:
            by_index[master]["ports"].append(names[index])
    return found


def _bridge(data: dict[int, bytes]) -> SeenBridge:
    return {
        "id": data[_BR_BRIDGE_ID].hex(),
        "root": data[_BR_ROOT_ID].hex(),
        "has_tree": struct.unpack("=I", data[_BR_STP_STATE])[0] != 0,
        "priority": struct.unpack("=H", data[_BR_PRIORITY])[0],
        "ports": [],
    }


def _tunnel(data: dict[int, bytes]) -> SeenTunnel:
    # The port alone is in network byte order.
    return {"vni": struct.unpack("=I", data[_VXLAN_ID])[0], "port": struct.unpack("!H", data[_VXLAN_PORT])[0]}
