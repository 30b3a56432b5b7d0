"""Cables and ports: run by the keeper inside the sandbox."""

import ctypes
import fcntl
import socket
import struct
import subprocess
import zlib
from pathlib import Path

from netopsbench.fabric import netlink
from netopsbench.fabric.hashing import FIELDS_POLICY
from netopsbench.fabric.native.order import BRIDGE, LinkOrder, NodeOrder, Order, bridge_name, wire_names

WIRE_MTU = 9216
"""The wire passes whatever a port may send; a smaller one would drop jumbo frames in silence."""
_SIOCETHTOOL, _ETHTOOL_STXCSUM = 0x8946, 0x17
FIRST_WIRE_INDEX = 10_000
"""Interface index of the first wire end.

The kernel reports a carrier change at once only for a device whose peer has another index than its own; equal
indexes (the namespaces count alike) make the report wait for up to a second.
"""
_BATCH = 400
"""Commands given to one `ip` or `tc`: keeps the progress moving."""


def prepare_wire_namespace() -> None:
    """Settle the namespace in which the cables lie: it never speaks itself."""
    for scope in ("all", "default"):
        _write_sysctl(f"net/ipv6/conf/{scope}/disable_ipv6", "1")


def prepare_node(node: NodeOrder, hash_seed: int) -> None:
    """Set a node's kernel switches before any port exists; the caller is inside its namespace."""
    for scope in ("all", "default"):
        _write_sysctl(f"net/ipv6/conf/{scope}/disable_ipv6", "1")
        # Strict reverse-path filtering drops packets whose two directions take different members; the kernel takes
        # the larger of `all` and the interface's own value.
        _write_sysctl(f"net/ipv4/conf/{scope}/rp_filter", "0")
    _write_sysctl("net/ipv4/ip_forward", "1" if node["is_switch"] else "0")
    _write_sysctl("net/ipv4/icmp_ratelimit", "0")
    _write_sysctl("net/ipv4/icmp_ratemask", "0")
    if node["is_switch"]:
        _choose_by_fields(node["hash_fields"])
        # Without a seed of its own every switch of a tier would take the same turn for a flow.
        seed = zlib.crc32(f"{hash_seed}/{node['name']}".encode()) & 0x7FFFFFFF or 1
        _write_sysctl("net/ipv4/fib_multipath_hash_seed", str(seed), is_optional=True)


def lay_bridges(count: int) -> None:
    """Create the LANs; their cables come with all others."""
    _batch(
        "ip",
        [f"link add name {bridge_name(n)} mtu {WIRE_MTU} up type bridge mcast_snooping 0" for n in range(count)],
    )


def lay_cables(order: Order, pids: list[int], first: int, last: int) -> None:
    """Create cables `first` to `last` (exclusive), each two veth pairs joined both ways in the wire namespace."""
    chosen = list(enumerate(order["links"]))[first:last]
    _batch("ip", [line for number, link in chosen for line in _pair_lines(number, link, order["nodes"], pids)])
    _batch("tc", [line for number, _ in chosen for line in _join_lines(number)])


def _pair_lines(number: int, link: LinkOrder, nodes: list[NodeOrder], pids: list[int]) -> list[str]:
    lines = []
    for end, (wire, (index, port_name)) in enumerate(zip(wire_names(number), link["ends"], strict=True)):
        wire_end = f"link add name {wire} index {FIRST_WIRE_INDEX + 2 * number + end} mtu {WIRE_MTU} up type veth"
        if index <= BRIDGE:
            socket_name = f"{wire}p"
            lines.append(f"{wire_end} peer name {socket_name} mtu {WIRE_MTU}")
            lines.append(f"link set dev {socket_name} up master {bridge_name(BRIDGE - index)}")
            continue
        port = next(port for port in nodes[index]["ports"] if port["name"] == port_name)
        lines.append(f"{wire_end} peer name {port_name} address {port['mac']} mtu {port['mtu']} netns {pids[index]}")
    return lines


def _join_lines(number: int) -> list[str]:
    lines = []
    ends = wire_names(number)
    for near, far in (ends, ends[::-1]):
        lines.append(f"qdisc add dev {near} clsact")
        lines.append(
            f"filter add dev {near} ingress protocol all prio 1 u32 match u32 0 0 "
            f"action mirred egress redirect dev {far}"
        )
    return lines


def _batch(program: str, lines: list[str]) -> None:
    for start in range(0, len(lines), _BATCH):
        text = "\n".join(lines[start : start + _BATCH]) + "\n"
        done = subprocess.run([program, "-batch", "-"], input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{program} -batch failed: {done.stderr.strip()[:500]}")


def configure_node(node: NodeOrder) -> None:
    """Give a node its addresses, neighbours and default route; the caller is inside its namespace."""
    with netlink.Netlink() as kernel:
        index = {link.name: link.index for link in netlink.links(kernel)}
        netlink.set_up(kernel, index["lo"])
        if node["loopback"]:
            netlink.add_address(kernel, index["lo"], node["loopback"], 32)
        for port in node["ports"]:
            _write_sysctl(f"net/ipv4/conf/{port['name']}/rp_filter", "0")
            _tame_offload(port["name"])
            netlink.send_single_segments(kernel, index[port["name"]])
            if not port.get("is_leased"):
                netlink.add_address(kernel, index[port["name"]], port["address"], port["prefix_length"])
            netlink.set_up(kernel, index[port["name"]])
            if not port.get("is_learning"):
                netlink.set_permanent_neighbor(kernel, index[port["name"]], port["peer_address"], port["peer_mac"])
        if node["gateway"]:
            netlink.add_default_route(kernel, node["gateway"])


def restore_neighbor(port_name: str, address: str, mac: str) -> None:
    """Put a permanent neighbour back after its port was down; the caller is inside the node's namespace."""
    with netlink.Netlink() as kernel:
        for link in netlink.links(kernel):
            if link.name == port_name and link.is_up:
                netlink.set_permanent_neighbor(kernel, link.index, address, mac)


def _tame_offload(port_name: str) -> None:
    # With transmit checksum offload a damaged payload is trusted by the receiver and delivered.
    value = ctypes.create_string_buffer(struct.pack("=II", _ETHTOOL_STXCSUM, 0))
    request = struct.pack("16sP", port_name.encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as control:
        fcntl.ioctl(control, _SIOCETHTOOL, request)


def _choose_by_fields(fields: int) -> None:
    """Let the kernel hash the named fields of every packet; before Linux 5.13 what its own policy 1 takes."""
    try:
        _write_sysctl("net/ipv4/fib_multipath_hash_fields", str(fields))
        policy = FIELDS_POLICY
    except FileNotFoundError:
        policy = 1
    _write_sysctl("net/ipv4/fib_multipath_hash_policy", str(policy))


def _write_sysctl(path: str, value: str, *, is_optional: bool = False) -> None:
    try:
        Path("/proc/sys", path).write_text(value)
    except FileNotFoundError:
        # IPv6 may be compiled out; the hash seed came with Linux 6.11.
        if not is_optional and "ipv6" not in path:
            raise
