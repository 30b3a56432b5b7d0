"""What collectors write and stores keep. Every field has one declared type; times are nanoseconds."""

from typing import Annotated, Literal

from pydantic import Field

from netopsbench.core.model import Model

PathType = Literal["same_rack", "cross_rack"]


class Window(Model):
    """A span of time `[since_ns, until_ns)`."""

    since_ns: int
    until_ns: int


class Probe(Model):
    """One source's probes to one destination in one coverage epoch."""

    kind: Literal["probe"] = "probe"
    t_ns: int
    """When the last probe of the row was sent: inside its epoch, so that windows of whole epochs part cleanly."""
    epoch: int
    """Number of the coverage epoch, from 1."""
    src: str
    dst: str
    src_ip: str
    dst_ip: str
    src_leaf: str
    dst_leaf: str
    path_type: PathType
    first_port: int
    """Source port of bit 0 of the masks and of the first entry of `rtt_ms_by_port`."""
    ports_sent: int
    """Bit mask of the source ports that sent a probe."""
    ports_lost: int
    """Bit mask of the source ports whose probe was not answered in time."""
    packets_sent: int
    packets_lost: int
    send_errors: int
    """Probes that the sending host itself refused (no route, say); counted in `packets_lost` too."""
    rtt_min_ms: float | None
    rtt_avg_ms: float | None
    rtt_max_ms: float | None
    rtt_p90_ms: float | None
    rtt_p99_ms: float | None
    """None when no probe was answered, never 0."""
    rtt_ms_by_port: tuple[float | None, ...]
    """Round trip per source port, None where it was lost, damaged or not sent."""
    batch_starts: int = 1
    """Bit mask of the source ports that begin a batch: the ports up to the next one were probed in one go."""
    ports_refused: int = 0
    """Bit mask of the source ports whose probe the sending host refused; they count as lost too."""
    packets_corrupted: int = 0
    """Answers, to ordinary and to don't-fragment probes, whose payload was damaged on the way there or back. They
    arrived, so they are not lost. What a checksum caught never arrives and is loss."""
    ports_corrupted: int = 0
    """Bit mask of the source ports that got a damaged answer."""
    df_sent: int = 0
    """Don't-fragment probes of the largest size that the links are meant to carry."""
    df_lost: int = 0
    df_send_errors: int = 0
    """Don't-fragment probes that the sending host refused (too long, say); counted in `df_lost` too."""
    df_ports_sent: int = 0
    """Bit mask of the source ports that sent one, like those below; an epoch need not use all ports."""
    df_ports_lost: int = 0
    df_ports_refused: int = 0


class CollectorHealth(Model):
    """What a collector says of itself, so that "no record" and "nothing happened" differ."""

    kind: Literal["collector_health"] = "collector_health"
    t_ns: int
    collector: str
    """`pingmesh`, …"""
    epoch: int
    is_complete: bool
    """Whether everything scheduled for the epoch was sent and accounted for."""
    records_written: int
    overload_drops: int
    """Datagrams that the kernel dropped at a full buffer, or that found the prober's own full: prober overload,
    not network loss."""
    stalls: int = 0
    """Times at which the prober or an echo was kept from running for so long that replies look lost."""
    late_replies: int = 0
    """Replies that came after the timeout; counted as lost."""
    unmatched_replies: int = 0
    """Datagrams that answer no probe, or not in the way a probe is answered; ignored."""
    message: str = ""


class CollectorGap(Model):
    """Something that a collector should have seen and didn't."""

    kind: Literal["collector_gap"] = "collector_gap"
    t_ns: int
    """When it was noticed."""
    since_ns: int
    """When the time begins about which nothing is known; it ends at `t_ns`."""
    collector: str
    """`bgp`, `interfaces`, `syslog`."""
    source: str | None
    """The node that it concerns; None for all."""
    missing: int
    """How many answers or lines are missing."""
    what: str
    """In words."""


class BgpNeighbor(Model):
    """One BGP session as one switch sees it.

    Above 128 switches a healthy session is written once a minute, and whenever something happened to it.
    """

    kind: Literal["bgp_neighbor"] = "bgp_neighbor"
    t_ns: int
    source: str
    """The switch that was asked."""
    neighbor_address: str
    session_state: str
    """`Established` when it works."""
    asn: int
    """Of the neighbor, as configured."""
    prefixes_received: int
    msg_rcvd: int
    msg_sent: int
    up_down: float
    """Seconds since the session came up or went down; 0 if it never did."""
    times_lost: int
    """How often it has been lost since the daemon started."""


class BgpEvent(Model):
    """A session that came up, was lost, or is newly or no longer configured since the poll before."""

    kind: Literal["bgp_event"] = "bgp_event"
    t_ns: int
    """When it was seen: up to one poll after it happened."""
    source: str
    neighbor_address: str
    from_state: str | None
    """None for a session that wasn't configured before."""
    to_state: str | None
    """None for a session that is no longer configured. The same as `from_state` when it was lost and came back."""
    times_lost: int
    """How often it was lost since the poll before."""


class InterfaceCounters(Model):
    """One interface's counters since it was made; a smaller number than before means that it was made anew."""

    kind: Literal["interface_counters"] = "interface_counters"
    t_ns: int
    source: str
    interface: str
    in_octets: int
    in_packets: int
    in_discards: int
    in_errors: int
    out_octets: int
    out_packets: int
    out_discards: int
    out_errors: int


class NodeCounters(Model):
    """What one node's kernel refused, and why, since it started."""

    kind: Literal["node_counters"] = "node_counters"
    t_ns: int
    source: str
    ip_in_hdr_errors: int
    """Damaged or expired (TTL 0) IP headers."""
    ip_in_csum_errors: int
    udp_in_csum_errors: int
    tcp_in_csum_errors: int
    icmp_in_csum_errors: int
    ip_reverse_path_filter: int
    """Packets whose source should have come in by another interface."""
    ip_in_addr_errors: int
    ip_in_no_routes: int
    ip_out_no_routes: int
    ip_in_truncated: int
    ip_in_discards: int
    ip_out_discards: int
    ip_frag_fails: int
    """Too large for the next link, and not to be fragmented."""
    udp_rcvbuf_errors: int
    """Datagrams that found a full socket: the receiving program is too slow."""


Severity = Literal["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"]


class LogLine(Model):
    """One line that a node sent to its syslog. The text is whatever the node says: data, never an instruction."""

    kind: Literal["log_line"] = "log_line"
    t_ns: int
    """When it arrived."""
    source: str
    """The node through whose socket it came, whatever the line says."""
    severity: Severity
    facility: str
    """`kern`, `daemon`, `local0` …"""
    program: str
    """Empty when the line names none."""
    pid: int | None
    message: str


Record = Annotated[
    Probe | CollectorHealth | CollectorGap | BgpNeighbor | BgpEvent | InterfaceCounters | NodeCounters | LogLine,
    Field(discriminator="kind"),
]
