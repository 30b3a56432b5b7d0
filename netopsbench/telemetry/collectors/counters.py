"""Counters of interfaces and of what kernels refused, read from beside the nodes; standard library only."""

import os
import struct
from collections.abc import Mapping, Sequence

from netopsbench.fabric import netlink
from netopsbench.telemetry.collectors.rows import Gap, Gathered, Row

COLLECTOR = "interfaces"
LARGEST = (1 << 63) - 1
"""The kernel counts to 2**64, stores to 2**63: a counter beyond that starts again at 0."""

# linux/rtnetlink.h, linux/if_link.h
_RTM_GETSTATS = 94
_STATS_LINK_64 = 1
_REQUEST = struct.pack("=BxHII", 0, 0, 0, 1 << (_STATS_LINK_64 - 1))
_HEAD = struct.Struct("=BxHII")
_STATS = struct.Struct("=8Q")
_FIELDS_OF_NODE = (
    ("Ip", "InHdrErrors"), ("IpExt", "InCsumErrors"), ("Udp", "InCsumErrors"), ("Tcp", "InCsumErrors"),
    ("Icmp", "InCsumErrors"), ("TcpExt", "IPReversePathFilter"), ("Ip", "InAddrErrors"), ("IpExt", "InNoRoutes"),
    ("Ip", "OutNoRoutes"), ("IpExt", "InTruncatedPkts"), ("Ip", "InDiscards"), ("Ip", "OutDiscards"),
    ("Ip", "FragFails"), ("Udp", "RcvbufErrors"),
)  # fmt: skip
"""In the order of `NODE_FIELDS`."""
_LONGEST_TABLE = 1 << 15


class NodeReader:
    """Stays connected to one node's kernel."""

    def __init__(self, pid: int) -> None:
        """Raises OSError."""
        self._pid = pid
        with netlink.inside(pid):
            self._kernel = netlink.Netlink()
        self._tables = [os.open(f"/proc/{pid}/net/{name}", os.O_RDONLY) for name in ("snmp", "netstat")]
        self._names: dict[int, str] = {}

    def is_gone(self) -> bool:
        """Whether the node ended; its kernel side lives on for as long as this reader holds it."""
        return not os.path.exists(f"/proc/{self._pid}/ns/net")  # noqa: PTH110 - standard library at its lightest

    def interfaces(self) -> list[tuple[str, Sequence[int]]]:
        """Name and counters (in the order of `INTERFACE_FIELDS`) of every interface but the loopback."""
        raw = [(_HEAD.unpack_from(payload)[2], payload) for _, payload in self._kernel.dump(_RTM_GETSTATS, _REQUEST)]
        if any(index not in self._names for index, _ in raw):
            self._names = {link.index: link.name for link in netlink.links(self._kernel)}
        return [
            (self._names[index], interface_counters(payload))
            for index, payload in raw
            if self._names.get(index, "lo") != "lo"
        ]

    def refused(self) -> list[int]:
        """Counters in the order of `NODE_FIELDS`; 0 for one that this kernel doesn't have."""
        return node_counters([os.pread(table, _LONGEST_TABLE, 0) for table in self._tables])


def interface_counters(payload: bytes) -> Sequence[int]:
    """The counters in one answer of the kernel."""
    found = netlink.attributes(payload[_HEAD.size :])[_STATS_LINK_64]
    in_packets, out_packets, in_octets, out_octets, in_errors, out_errors, in_dropped, out_dropped = (
        value & LARGEST for value in _STATS.unpack_from(found)
    )
    return in_octets, in_packets, in_dropped, in_errors, out_octets, out_packets, out_dropped, out_errors


def node_counters(tables: Sequence[bytes]) -> list[int]:
    """The counters in /proc/net/snmp and netstat: lines in pairs, names above values."""
    found: dict[tuple[str, str], int] = {}
    for table in tables:
        lines = table.decode(errors="replace").splitlines()
        for names, values in zip(lines[::2], lines[1::2], strict=False):
            if names.startswith(("Ip:", "IpExt:", "Udp:", "Tcp:", "TcpExt:", "Icmp:")):
                group, *columns = names.split()
                found.update(
                    ((group[:-1], name), int(value)) for name, value in zip(columns, values.split()[1:], strict=False)
                )
    return [found.get(field, 0) & LARGEST for field in _FIELDS_OF_NODE]


class CounterCollector:
    """Reads the counters of all nodes."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        """Raises OSError when a node can't be reached."""
        self._readers = {name: NodeReader(pid) for name, pid in pids.items()}
        self._read_ns: dict[str, int] = {}

    def poll(self, now_ns: int) -> Gathered:
        """One look at every node; one that can't be read is a gap."""
        interfaces: list[Row] = []
        refused: list[Row] = []
        gaps: list[Gap] = []
        for source, reader in self._readers.items():
            try:
                if reader.is_gone():
                    raise ProcessLookupError("it is gone")
                found = reader.interfaces()
                refused.append((now_ns, source, *reader.refused()))
            except OSError as error:
                why = f"the node's counters can't be read: {error.strerror or error}"
                gaps.append(Gap(now_ns, self._read_ns.get(source, now_ns), COLLECTOR, source, 1, why))
                continue
            interfaces += [(now_ns, source, name, *counters) for name, counters in found]
            self._read_ns[source] = now_ns
        return Gathered({"interface_counters": interfaces, "node_counters": refused}, gaps)
