"""The few words of rtnetlink that a fabric needs, on the standard library alone.

Programs beside the nodes use it to build, watch and read hundreds of namespaces from one small process; it imports
nothing that would make such a program slow to start. Constants are those of the kernel's `linux/rtnetlink.h`,
`linux/if_link.h`, `linux/neighbour.h` and `linux/if_addr.h`.
"""

import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

RTM_NEWLINK, RTM_GETLINK = 16, 18
RTM_NEWADDR, RTM_GETADDR = 20, 22
RTM_NEWROUTE, RTM_GETROUTE = 24, 26
RTM_NEWNEIGH, RTM_GETNEIGH = 28, 30

NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 0x1, 0x4, 0x300
NLM_F_REPLACE, NLM_F_CREATE = 0x100, 0x400
NLMSG_ERROR, NLMSG_DONE = 2, 3

RTMGRP_LINK = 0x1
IFF_UP, IFF_LOWER_UP = 0x1, 0x10000
IFLA_IFNAME, IFLA_MTU, IFLA_QDISC, IFLA_GROUP, IFLA_GSO_MAX_SEGS = 3, 4, 6, 27, 40
IFA_ADDRESS, IFA_LOCAL = 1, 2
NDA_DST, NDA_LLADDR = 1, 2
NUD_PERMANENT = 0x80
RTA_DST, RTA_OIF, RTA_GATEWAY, RTA_METRICS, RTA_MULTIPATH, RTA_TABLE = 1, 4, 5, 8, 9, 15
RTAX_MTU, RTM_F_CLONED = 2, 0x200
RTPROT_BGP = 186
RT_TABLE_MAIN = 254
ROUTE_TYPES = {1: "unicast", 2: "local", 3: "broadcast", 6: "blackhole", 7: "unreachable", 8: "prohibit"}
CLONE_NEWNET = 0x40000000

_HEADER = struct.Struct("=IHHII")
_IFINFO = struct.Struct("=BxHiII")
_IFADDR = struct.Struct("=BBBBI")
_NDMSG = struct.Struct("=BxxxiHBB")
_RTMSG = struct.Struct("=BBBBBBBBI")
_NEXTHOP = struct.Struct("=HBBi")
_ATTR = struct.Struct("=HH")
_libc = ctypes.CDLL(None, use_errno=True)

Message = tuple[int, bytes]
"""Type and payload of one netlink message."""


def attribute(kind: int, value: bytes) -> bytes:
    """One attribute, padded to four bytes."""
    return _ATTR.pack(4 + len(value), kind) + value + b"\0" * (-len(value) % 4)


def attributes(raw: bytes) -> dict[int, bytes]:
    """The attributes of a payload by kind; the last of a kind wins."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(raw):
        length, kind = _ATTR.unpack_from(raw, at)
        if length < 4:
            break
        found[kind & 0x3FFF] = raw[at + 4 : at + length]
        at += (length + 3) & ~3
    return found


class Netlink:
    """One rtnetlink socket of the namespace it was opened in."""

    def __init__(self, groups: int = 0) -> None:
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
        self.socket.bind((0, groups))
        self._sequence = 0

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "Netlink":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self) -> Iterator[Message]:
        """The messages of one datagram; OSError ENOBUFS when events were lost."""
        yield from (message[1:] for message in _split(self.socket.recv(1 << 20)))

    def request(self, kind: int, flags: int, body: bytes) -> list[Message]:
        """Send one request and collect what answers it; OSError with the kernel's errno when refused."""
        self._sequence += 1
        header = _HEADER.pack(16 + len(body), kind, flags | NLM_F_REQUEST, self._sequence, 0)
        self.socket.send(header + body)
        collected: list[Message] = []
        while True:
            for sequence, answer, payload in _split(self.socket.recv(1 << 20)):
                if sequence != self._sequence:
                    continue
                if answer == NLMSG_DONE:
                    return collected
                if answer == NLMSG_ERROR:
                    code = struct.unpack_from("=i", payload)[0]
                    if code:
                        raise OSError(-code, os.strerror(-code))
                    return collected
                collected.append((answer, payload))
                if not flags & (NLM_F_DUMP | NLM_F_ACK):
                    return collected

    def dump(self, kind: int, body: bytes) -> list[Message]:
        return self.request(kind, NLM_F_DUMP, body)

    def change(self, kind: int, body: bytes, flags: int = NLM_F_CREATE | NLM_F_REPLACE) -> None:
        self.request(kind, flags | NLM_F_ACK, body)


def _split(datagram: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    while at + 16 <= len(datagram):
        length, kind, _flags, sequence, _port = _HEADER.unpack_from(datagram, at)
        yield sequence, kind, datagram[at + 16 : at + length]
        at += (length + 3) & ~3


class LinkState:
    """One interface as the kernel reports it."""

    __slots__ = ("group", "has_carrier", "index", "is_up", "mtu", "name", "qdisc")

    def __init__(self, payload: bytes) -> None:
        _family, _type, self.index, flags, _change = _IFINFO.unpack_from(payload)
        found = attributes(payload[16:])
        self.name = found[IFLA_IFNAME].rstrip(b"\0").decode()
        self.mtu: int = struct.unpack("=I", found[IFLA_MTU])[0]
        self.group: int = struct.unpack("=I", found[IFLA_GROUP])[0] if IFLA_GROUP in found else 0
        self.qdisc = found.get(IFLA_QDISC, b"").rstrip(b"\0").decode()
        self.is_up = bool(flags & IFF_UP)
        self.has_carrier = bool(flags & IFF_LOWER_UP)


def links(netlink: Netlink) -> list[LinkState]:
    """Every interface of the namespace."""
    return [LinkState(payload) for _, payload in netlink.dump(RTM_GETLINK, _IFINFO.pack(0, 0, 0, 0, 0))]


def set_up(netlink: Netlink, index: int, is_up: bool = True) -> None:
    """Set an interface administratively up or down."""
    netlink.change(RTM_NEWLINK, _IFINFO.pack(0, 0, index, IFF_UP if is_up else 0, IFF_UP), 0)


def send_single_segments(netlink: Netlink, index: int) -> None:
    """Cut every packet to the MTU before it leaves; segmentation offload would hide MTU faults."""
    body = _IFINFO.pack(0, 0, index, 0, 0)
    netlink.change(RTM_NEWLINK, body + attribute(IFLA_GSO_MAX_SEGS, struct.pack("=I", 1)), 0)


def add_address(netlink: Netlink, index: int, address: str, prefix_length: int) -> None:
    """Give an interface an IPv4 address."""
    raw = socket.inet_aton(address)
    body = _IFADDR.pack(socket.AF_INET, prefix_length, 0, 0, index)
    netlink.change(RTM_NEWADDR, body + attribute(IFA_LOCAL, raw) + attribute(IFA_ADDRESS, raw))


def set_permanent_neighbor(netlink: Netlink, index: int, address: str, mac: str) -> None:
    """Make the neighbour known without learning, so that it doesn't count against `gc_thresh3`."""
    body = _NDMSG.pack(socket.AF_INET, index, NUD_PERMANENT, 0, 0)
    link_address = bytes.fromhex(mac.replace(":", ""))
    netlink.change(
        RTM_NEWNEIGH,
        body + attribute(NDA_DST, socket.inet_aton(address)) + attribute(NDA_LLADDR, link_address),
    )


def add_default_route(netlink: Netlink, gateway: str) -> None:
    """Send everything that isn't local to `gateway`."""
    body = _RTMSG.pack(socket.AF_INET, 0, 0, 0, RT_TABLE_MAIN, 3, 0, 1, 0)
    netlink.change(RTM_NEWROUTE, body + attribute(RTA_GATEWAY, socket.inet_aton(gateway)))


def addresses(netlink: Netlink) -> list[tuple[int, str]]:
    """Interface index and `address/length` of every IPv4 address."""
    found = []
    for _, payload in netlink.dump(RTM_GETADDR, _IFADDR.pack(socket.AF_INET, 0, 0, 0, 0)):
        _family, length, _flags, _scope, index = _IFADDR.unpack_from(payload)
        local = attributes(payload[8:]).get(IFA_LOCAL)
        if local is not None:
            found.append((index, f"{socket.inet_ntoa(local)}/{length}"))
    return found


def permanent_neighbors(netlink: Netlink) -> list[tuple[int, str, str]]:
    """Interface index, address and MAC of every permanent IPv4 neighbour."""
    found = []
    for _, payload in netlink.dump(RTM_GETNEIGH, _NDMSG.pack(socket.AF_INET, 0, 0, 0, 0)):
        _family, index, state, _flags, _type = _NDMSG.unpack_from(payload)
        known = attributes(payload[12:])
        if state & NUD_PERMANENT and NDA_LLADDR in known:
            found.append((index, socket.inet_ntoa(known[NDA_DST]), known[NDA_LLADDR].hex(":")))
    return found


class RouteState:
    """One IPv4 route of the main table."""

    __slots__ = ("is_cached", "mtu", "next_hops", "prefix", "protocol", "type")

    def __init__(self, payload: bytes) -> None:
        _family, length, _src, _tos, _table, self.protocol, _scope, kind, flags = _RTMSG.unpack_from(payload)
        found = attributes(payload[12:])
        destination = socket.inet_ntoa(found[RTA_DST]) if RTA_DST in found else "0.0.0.0"
        self.prefix = f"{destination}/{length}"
        self.type = ROUTE_TYPES.get(kind, str(kind))
        self.is_cached = bool(flags & RTM_F_CLONED)
        """Not a route but what the kernel learned of one destination, a smaller MTU for instance."""
        mtu = attributes(found.get(RTA_METRICS, b"")).get(RTAX_MTU)
        self.mtu: int | None = struct.unpack("=I", mtu)[0] if mtu else None
        self.next_hops: list[tuple[str | None, int]] = []
        """Gateway (None when directly connected) and interface index of each next hop."""
        if RTA_MULTIPATH in found:
            self.next_hops = list(_multipath(found[RTA_MULTIPATH]))
        elif RTA_OIF in found:
            self.next_hops = [(_gateway(found), struct.unpack("=i", found[RTA_OIF])[0])]


def _gateway(found: dict[int, bytes]) -> str | None:
    return socket.inet_ntoa(found[RTA_GATEWAY]) if RTA_GATEWAY in found else None


def _multipath(raw: bytes) -> Iterator[tuple[str | None, int]]:
    at = 0
    while at + 8 <= len(raw):
        length, _flags, _hops, index = _NEXTHOP.unpack_from(raw, at)
        yield _gateway(attributes(raw[at + 8 : at + length])), index
        at += (length + 3) & ~3


def routes(netlink: Netlink) -> list[RouteState]:
    """The IPv4 main table, connected routes included."""
    body = _RTMSG.pack(socket.AF_INET, 0, 0, 0, RT_TABLE_MAIN, 0, 0, 0, 0)
    # The kernel dumps every table whatever the request says, unless strict checking is asked for.
    return [RouteState(payload) for _, payload in netlink.dump(RTM_GETROUTE, body) if payload[4] == RT_TABLE_MAIN]


def unicast_gateways(netlink: Netlink) -> dict[bytes, frozenset[bytes]]:
    """Gateways of every unicast route of the main table that has one, all as four raw bytes.

    The key is the prefix: four bytes of address and one of length. This is the form in which tens of thousands of
    routes can be compared quickly.
    """
    found: dict[bytes, frozenset[bytes]] = {}
    for _, payload in netlink.dump(RTM_GETROUTE, _RTMSG.pack(socket.AF_INET, 0, 0, 0, RT_TABLE_MAIN, 0, 0, 0, 0)):
        if payload[4] != RT_TABLE_MAIN or payload[7] != 1:
            continue
        known = attributes(payload[12:])
        if RTA_MULTIPATH in known:
            gateways = frozenset(_raw_gateways(known[RTA_MULTIPATH]))
        elif RTA_GATEWAY in known:
            gateways = frozenset((known[RTA_GATEWAY],))
        else:
            continue
        found[known.get(RTA_DST, b"\0\0\0\0") + payload[1:2]] = gateways
    return found


def _raw_gateways(raw: bytes) -> Iterator[bytes]:
    at = 0
    while at + 8 <= len(raw):
        length = _NEXTHOP.unpack_from(raw, at)[0]
        # The gateway is the first attribute of a next hop that has one.
        if length >= 16 and raw[at + 10] == RTA_GATEWAY:
            yield raw[at + 12 : at + 16]
        at += (length + 3) & ~3


@contextmanager
def inside(pid: int) -> Iterator[None]:
    """Be in the network namespace of process `pid` for the block (this thread only)."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    there = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _setns(there)
        try:
            yield
        finally:
            _setns(home)
    finally:
        os.close(there)
        os.close(home)


def _setns(descriptor: int) -> None:
    # os.setns appeared in Python 3.12.
    if _libc.setns(descriptor, CLONE_NEWNET):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
