"""What is true of a device, in no vendor's words. What the real system doesn't have has no field here."""

from typing import Literal

from netopsbench.core.model import Model


class Printed(Model):
    """Lines of a program of the device itself, for vendors whose software the device really runs."""

    lines: tuple[str, ...]


class Configuration(Model):
    """The routing software's configuration, in its own language."""

    lines: tuple[str, ...]


class SavedConfiguration(Configuration):
    """What the software would read after a restart."""


class Interface(Model):
    """One interface; octets, packets, errors and drops count from its creation."""

    name: str
    is_admin_up: bool
    has_carrier: bool
    mtu_bytes: int
    mac: str
    addresses: tuple[str, ...]
    """With prefix length, `10.1.1.2/30`."""
    description: str = ""
    rx_packets: int = 0
    rx_bytes: int = 0
    rx_errors: int = 0
    rx_dropped: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    tx_errors: int = 0
    tx_dropped: int = 0

    @property
    def is_up(self) -> bool:
        return self.is_admin_up and self.has_carrier


class Interfaces(Model):
    """All interfaces, the loopback first."""

    interfaces: tuple[Interface, ...]


class LinkNeighbor(Model):
    """What a port heard by LLDP of the other end of its cable."""

    interface: str
    device: str
    port: str
    """As the kernel of that device calls it."""
    mac: str
    ttl_s: int
    """How long it holds without another word."""
    capabilities: tuple[str, ...] = ()
    """`Bridge`, `Router`, `Station`: what the device does."""


class LinkNeighbors(Model):
    """Whoever was heard by LLDP."""

    is_running: bool
    neighbors: tuple[LinkNeighbor, ...] = ()


class Hop(Model):
    """One way that a route offers."""

    gateway: str | None
    """None for a directly connected network."""
    interface: str | None
    is_active: bool = True


class Route(Model):
    """One route of the routing daemon's table."""

    prefix: str
    protocol: str
    """`bgp`, `static`, `connected`, `kernel`, `ospf`, `isis`, `rip`, `eigrp`."""
    kind: Literal["unicast", "blackhole", "reject"] = "unicast"
    is_selected: bool = True
    is_installed: bool = True
    distance: int = 0
    metric: int = 0
    age: str = ""
    """Since it changed, as the daemon writes it, `00:01:07` or `1d02h03m`."""
    hops: tuple[Hop, ...] = ()


class Routes(Model):
    """The routing daemon's table, by prefix."""

    is_running: bool
    routes: tuple[Route, ...]


class FibRoute(Model):
    """One route that the kernel forwards by."""

    prefix: str
    kind: str
    """`unicast`, `blackhole`, `unreachable`, `prohibit`."""
    protocol: str
    metric: int
    hops: tuple[Hop, ...]


class Fib(Model):
    """The kernel's table, by prefix."""

    routes: tuple[FibRoute, ...]


class Neighbor(Model):
    """An entry of the ARP table."""

    address: str
    interface: str
    mac: str | None
    """None while it is unknown."""
    state: str
    """`permanent`, `reachable`, `stale`, `failed`, `incomplete` …"""


class Neighbors(Model):
    """The ARP table."""

    neighbors: tuple[Neighbor, ...]


OF_PACKETS = frozenset({"ip", "inet"})
"""Families of tables that filter packets of IPv4."""


def chain_of(family: str, chain: str) -> str:
    """A chain of packets by its name; one of frames, which may have the same name, as `bridge forward`."""
    return chain if family in OF_PACKETS else f"{family} {chain}"


class FilterRule(Model):
    """One rule of a packet filter; an empty condition matches everything."""

    chain: str
    action: str
    """`drop`, `reject`, `accept`, `masquerade`, `snat`, `dnat` …; `count` when the rule decides nothing."""
    table: str = "filter"
    family: str = "ip"
    """What the table filters: `ip`, `inet`, or frames, `bridge`, `netdev` …"""
    in_interfaces: tuple[str, ...] = ()
    out_interfaces: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    destination_ports: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """What else must hold, as the device spells it."""
    packets: int | None = None


class PacketFilter(Model):
    """The packet filter of one device, its rules in order."""

    defaults: dict[str, str]
    """By chain, see `chain_of`: what happens to packets that no rule decides on."""
    rules: tuple[FilterRule, ...]


class PolicyEntry(Model):
    """One numbered entry of a routing policy."""

    action: str
    sequence: int
    lines: tuple[str, ...]
    """Its `match`, `set` and other lines in the software's own words."""


class Policy(Model):
    """A routing policy; what no entry matches is denied."""

    name: str
    entries: tuple[PolicyEntry, ...]


class PrefixRule(Model):
    """One line of a prefix list."""

    sequence: int
    action: str
    prefix: str
    at_least: int | None = None
    at_most: int | None = None


class PrefixList(Model):
    """A prefix list; what no line matches is denied."""

    name: str
    rules: tuple[PrefixRule, ...]


class Policies(Model):
    """Routing policies and prefix lists of one device."""

    is_running: bool
    policies: tuple[Policy, ...] = ()
    lists: tuple[PrefixList, ...] = ()


class LogLine(Model):
    """A line of the system log."""

    at_s: float
    """From the start of the time in question; negative before it."""
    severity: str
    facility: str
    program: str
    message: str


class LogLines(Model):
    """The system log, oldest line first."""

    lines: tuple[LogLine, ...]
    is_kept: bool = True
    """Whether the device keeps a log at all."""


class Process(Model):
    """A process of the routing software."""

    pid: int
    name: str
    cpu_pct: float
    """Of one core, averaged over its life."""
    resident_kib: int


class Processes(Model):
    """The routing software's processes. The machine below a device is shared, so nothing is said of it."""

    processes: tuple[Process, ...]


USUAL_COUNT, USUAL_SIZE_BYTES = 5, 56
"""Of a ping that doesn't say how many requests of what size."""


class Ping(Model):
    """Echo requests and what came back."""

    target: str
    source: str | None
    size_bytes: int
    sent: int
    rtts_ms: tuple[float, ...]
    """Of the answers, in the order in which they came."""
    error: str | None = None


class TraceHop(Model):
    """Who answered for packets that ended after so many hops."""

    ttl: int
    address: str | None
    rtts_ms: tuple[float, ...]
    sent: int
    note: str | None = None


class Trace(Model):
    """Hops on the way to an address."""

    target: str
    hops: tuple[TraceHop, ...]
    is_reached: bool
