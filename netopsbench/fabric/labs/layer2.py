"""Bridges, tunnels and shared gateway addresses of a lab's routers: the devices that their kernels need at boot."""

from collections.abc import Iterator, Sequence

from netopsbench.fabric.labs.spec import Bridge, LabRouter, Standby

BRIDGE = "br0"
VXLAN_PORT = 4789
_HELLO, _FORWARD_DELAY, _MAX_AGE = 100, 200, 600
"""Hundredths of a second, the least that the kernel takes."""
_ADVERTISED_EVERY_MS = 500
_AT_BOOT = '#!/bin/sh\n[ "$1" = start ] || exit 0\n'


def vxlan_device(vni: int) -> str:
    """Name of a node's end of a VXLAN."""
    return f"vxlan{vni}"


def standby_device(standby: Standby) -> str:
    """Name of the device that holds a shared address; the kernel takes 15 characters."""
    return f"vrrp{standby.group}-{standby.interface}"


def vxlan_command(device: str, vni: int, local: object) -> str:
    """The command that makes a node's end of a VXLAN. Remote ends are the routing software's business."""
    return f"ip link add name {device} type vxlan id {vni} local {local} dstport {VXLAN_PORT} nolearning"


def layer2_files(router: LabRouter) -> dict[str, str]:
    """Scripts that make the devices, run before the routing software starts."""
    files = {}
    if router.bridge is not None:
        files["init.d/bridge"] = _AT_BOOT + "".join(f"{line}\n" for line in _bridge_lines(router.bridge, router))
    if router.standby:
        files["init.d/addresses"] = _AT_BOOT + "".join(f"{line}\n" for line in _standby_lines(router.standby))
    return files


def _bridge_lines(bridge: Bridge, router: LabRouter) -> Iterator[str]:
    tree = "stp_state 0"
    if bridge.priority is not None:
        timers = f"hello_time {_HELLO} forward_delay {_FORWARD_DELAY} max_age {_MAX_AGE}"
        tree = f"stp_state 1 priority {bridge.priority} {timers}"
    yield f"ip link add name {BRIDGE} type bridge mcast_snooping 0 {tree}"
    ports = list(bridge.ports)
    if bridge.vni is not None:
        device = vxlan_device(bridge.vni)
        yield vxlan_command(device, bridge.vni, router.loopback)
        ports.append(device)
    for port in ports:
        yield f"ip link set dev {port} master {BRIDGE} up"
    yield f"ip link set dev {BRIDGE} up"


def _standby_lines(shared: Sequence[Standby]) -> Iterator[str]:
    # Else every port answers for every address of its router, and hosts learn the port of whoever was first.
    yield "sysctl -qw net.ipv4.conf.all.arp_ignore=1"
    for each in shared:
        device = standby_device(each)
        yield f"ip link add name {device} link {each.interface} type macvlan mode bridge"
        yield f"ip link set dev {device} address 00:00:5e:00:01:{each.group:02x}"
        yield f"ip address add {each.address}/32 dev {device}"
        yield f"ip link set dev {device} up"


def vrrp_lines(shared: Sequence[Standby]) -> Iterator[str]:
    """What vrrpd is told of the shared addresses."""
    for each in shared:
        yield f"interface {each.interface}"
        yield from (f" {line}" for line in group_lines(each))
        yield "exit"
        yield "!"


def group_lines(standby: Standby) -> tuple[str, ...]:
    """The lines of one group, typed at its interface."""
    head = f"vrrp {standby.group}"
    return (
        head,
        f"{head} priority {standby.priority}",
        f"{head} advertisement-interval {_ADVERTISED_EVERY_MS}",
        f"{head} ip {standby.address}",
    )
