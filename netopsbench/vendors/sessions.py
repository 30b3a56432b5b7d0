"""What is true of a device's sessions with its neighbours in routing protocols, in no vendor's words."""

from typing import Literal

from netopsbench.core.model import Model


class BgpPeer(Model):
    """One BGP session in one line."""

    address: str
    remote_asn: int
    state: str
    age: str
    """Since it came up or went down, as the daemon writes it; `never`."""
    received: int
    """Messages."""
    sent: int
    prefixes_received: int
    prefixes_sent: int
    queued_out: int
    description: str = ""


class BgpSummary(Model):
    """The BGP sessions of one device."""

    is_running: bool
    asn: int = 0
    router_id: str = ""
    table_version: int = 0
    peers: tuple[BgpPeer, ...] = ()


class BgpSession(Model):
    """One BGP session in detail; None where the daemon says nothing."""

    address: str
    remote_asn: int
    local_asn: int
    state: str
    age: str | None
    remote_router_id: str | None
    local_router_id: str | None
    hold_s: int | None
    keepalive_s: int | None
    local_address: str | None
    local_port: int | None
    remote_port: int | None
    times_established: int
    times_dropped: int
    last_reset: str | None
    last_error: str | None = None
    """What the last notification complained of, `OPEN Message Error/Bad Peer AS`."""
    messages: dict[str, int]
    """`opensSent`, `opensRecv`, `updatesSent` … by the daemon's names."""
    prefixes_accepted: int | None
    prefixes_sent: int | None
    policy_in: str | None
    policy_out: str | None
    description: str


class BgpSessions(Model):
    """The BGP sessions of one device in detail."""

    is_running: bool
    sessions: tuple[BgpSession, ...] = ()


class BgpPath(Model):
    """One path to a prefix that the BGP daemon knows."""

    next_hop: str
    as_path: str
    origin: Literal["IGP", "EGP", "incomplete"]
    peer: str
    """Address of the neighbor that told it; `(unspec)` for the device itself."""
    metric: int | None
    local_preference: int | None
    weight: int
    is_valid: bool
    is_best: bool
    is_multipath: bool
    is_internal: bool


class BgpPrefix(Model):
    """One prefix with its paths."""

    prefix: str
    paths: tuple[BgpPath, ...]


class BgpTable(Model):
    """Everything that the BGP daemon knows."""

    is_running: bool
    router_id: str = ""
    asn: int = 0
    table_version: int = 0
    prefixes: tuple[BgpPrefix, ...] = ()


class OspfNeighbor(Model):
    """An OSPF neighbour."""

    router_id: str
    address: str
    interface: str
    state: str
    """`Full`, `2-Way`, `Init` …"""
    role: str
    """`DR`, `Backup`, `DROther`, or `-` on a link without these."""
    priority: int
    dead_s: int


class OspfNeighbors(Model):
    """The OSPF neighbours of one device."""

    is_running: bool
    neighbors: tuple[OspfNeighbor, ...] = ()


class IsisNeighbor(Model):
    """An IS-IS adjacency."""

    system: str
    interface: str
    level: str
    state: str
    hold_s: int
    snpa: str


class IsisNeighbors(Model):
    """The IS-IS adjacencies of one device."""

    is_running: bool
    neighbors: tuple[IsisNeighbor, ...] = ()


class BfdSession(Model):
    """A BFD session."""

    peer: str
    local: str
    interface: str
    status: str
    """`up`, `down`, `init`, `shutdown`."""
    local_discriminator: int
    remote_discriminator: int


class BfdSessions(Model):
    """The BFD sessions of one device."""

    is_running: bool
    sessions: tuple[BfdSession, ...] = ()
