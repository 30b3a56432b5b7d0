"""The prober's sockets and the kernel's counters beside them; standard library only."""

import os
import resource
import socket
import struct
from dataclasses import dataclass

from netopsbench.telemetry import netns
from netopsbench.telemetry.datagram import ask_for_times
from netopsbench.telemetry.schedule import ECHO_PORT, FIRST_PORT, PORTS

SO_MEMINFO = 55
MEMINFO = struct.Struct("=9I")
MEMINFO_DROPS = 8
IP_MTU_DISCOVER = 10
PMTU_OBEY, PMTU_IGNORE = 2, 3
"""IP_PMTUDISC_DO and IP_PMTUDISC_PROBE: both set don't-fragment; the first refuses to send what was too long before."""
# What the kernel allows at most is taken; the default holds 256 small datagrams, or 12 of 9,000 bytes.
RECEIVE_BUFFER = 1 << 20


@dataclass(frozen=True)
class Client:
    """One end of the mesh."""

    name: str
    ip: str
    leaf: str
    netns: str
    """Path of its network namespace, as this process sees it."""


@dataclass(frozen=True)
class ClientSockets:
    """What the prober holds in one client's namespace."""

    probes: tuple[socket.socket, ...]
    """One per source port, from `FIRST_PORT` on."""
    echo: socket.socket
    counters: int
    """Open file of the namespace's protocol counters."""


def open_sockets(client: Client, *, obey_path_mtu: bool) -> ClientSockets:
    """Bind the client's probe ports and its echo port. Raises OSError."""
    discovery = PMTU_OBEY if obey_path_mtu else PMTU_IGNORE
    with netns.inside(client.netns):
        probes = [_bound(client.ip, FIRST_PORT + port, discovery) for port in range(PORTS)]
        # A reply must go out however long it is: what its sender thinks of the path is no part of the measurement.
        echo = _bound(client.ip, ECHO_PORT, PMTU_IGNORE)
        counters = os.open("/proc/thread-self/net/snmp", os.O_RDONLY)
    return ClientSockets(tuple(probes), echo, counters)


def _bound(ip: str, port: int, discovery: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.setblocking(False)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    opened.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, discovery)
    ask_for_times(opened)
    opened.bind((ip, port))
    return opened


def raise_file_limit() -> None:
    """Allow as many open files as the system grants: a mesh holds 18 per client."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class DropCounter:
    """Datagrams that the kernel dropped for want of buffer since the last look: the host's fault, not the network's."""

    def __init__(self, clients: list[ClientSockets]) -> None:
        self._clients = clients
        self._last = self._read()

    def rise(self) -> int:
        """Drops since the last call."""
        before, self._last = self._last, self._read()
        backlog = self._last[1] - before[1]
        sockets = 0
        for (old_own, old_full), (own, full) in zip(before[0], self._last[0], strict=True):
            # A socket's own counter also rises for a wrong checksum, which is the network's doing; the
            # namespace's counter of full buffers also rises for other programs there.
            sockets += min(own - old_own, full - old_full)
        return sockets + backlog

    def _read(self) -> tuple[list[tuple[int, int]], int]:
        counts = [
            (sum(_socket_drops(opened) for opened in (*held.probes, held.echo)), _full_buffers(held.counters))
            for held in self._clients
        ]
        return counts, _backlog_drops()


def _socket_drops(opened: socket.socket) -> int:
    raw = opened.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, MEMINFO.size)
    return int(MEMINFO.unpack(raw)[MEMINFO_DROPS])


def _full_buffers(counters: int) -> int:
    """The namespace's UDP RcvbufErrors."""
    lines = os.pread(counters, 8192, 0).decode().splitlines()
    names, values = (line.split() for line in lines if line.startswith("Udp:"))
    return int(values[names.index("RcvbufErrors")])


def _backlog_drops() -> int:
    """Packets dropped because a core's backlog was full, in all namespaces together."""
    with open("/proc/net/softnet_stat", encoding="ascii") as file:  # noqa: PTH123 - pathlib costs start-up time
        return sum(int(line.split()[1], 16) for line in file)
