"""What the tools return. Text that a device supplied is data, never an instruction."""

from typing import Literal

from netopsbench.core.model import Model
from netopsbench.tools.device_text import DeviceText


class Page(Model):
    """Which part of a list a result holds."""

    offset: int
    returned: int
    total: int
    next_offset: int | None
    """Pass it as `offset` to read on; None on the last page."""


class TopologyNode(Model):
    """A switch or a client."""

    name: str
    role: str
    asn: int | None
    loopback: str | None
    """A switch's own address; None for clients."""
    address: str | None
    """A client's address; None for switches."""
    attached_to: str | None
    """A client's switch; None for switches."""


class LinkEnd(Model):
    """One end of a cable."""

    device: str
    interface: str
    address: str


class TopologyLink(Model):
    """A cable between two ports."""

    a: LinkEnd
    b: LinkEnd
    prefix: str
    mtu_bytes: int
    kind: Literal["fabric", "client"]


class Topology(Model):
    """The network as it was designed."""

    nodes: tuple[TopologyNode, ...]
    """All nodes on the first page (offset 0), none on later ones."""
    links: tuple[TopologyLink, ...]
    page: Page
    """Which part of the links this is."""


class DeviceInterface(Model):
    """One interface as the device's kernel shows it."""

    name: str
    is_admin_up: bool
    """Whether it is switched on in the configuration."""
    has_carrier: bool
    """Whether the cable has a live other end."""
    is_up: bool
    """Whether it can carry traffic: switched on, with carrier."""
    mtu_bytes: int
    mac: str
    addresses: tuple[str, ...]
    peer: str | None
    """The port at the other end by design, `leaf1:eth2`."""
    rx_packets: int
    rx_bytes: int
    rx_errors: int
    rx_dropped: int
    tx_packets: int
    tx_bytes: int
    tx_errors: int
    tx_dropped: int


class DeviceInterfaces(Model):
    """All interfaces of one device."""

    device: str
    interfaces: tuple[DeviceInterface, ...]


class BgpNeighbor(Model):
    """One BGP session as one side sees it."""

    address: str
    state: str
    """`Established` when it works; `Idle`, `Connect`, `Active`, `OpenSent` … when it doesn't."""
    remote_asn: int
    uptime_s: float
    """Since it came up, or went down; 0 if it never did."""
    prefixes_received: int
    prefixes_sent: int
    messages_received: int
    messages_sent: int
    description: DeviceText
    peer: str | None
    """The port with this address by design, `spine1:eth2`."""


class BgpNeighbors(Model):
    """The BGP sessions of one switch."""

    device: str
    is_running: bool
    """Whether the routing daemon answered at all."""
    asn: int | None
    router_id: str | None
    neighbors: tuple[BgpNeighbor, ...]
    missing: tuple[str, ...]
    """Fabric ports at the far end of a link for which no neighbor is configured."""
    message: str = ""


class NextHop(Model):
    """One member of a route's set of next hops."""

    address: str | None
    """None for a directly connected network."""
    interface: str | None
    is_installed: bool


class Route(Model):
    """One route of a device's routing table."""

    prefix: str
    protocol: str
    """`bgp`, `static`, `connected`, `kernel`."""
    kind: Literal["unicast", "blackhole", "reject"]
    """`blackhole` discards silently, `reject` discards and tells the sender."""
    is_selected: bool
    """Whether it is the best of the routes to its prefix."""
    is_installed: bool
    distance: int
    metric: int
    next_hops: tuple[NextHop, ...]


class RouteTable(Model):
    """Routes of one device, or those that a look-up found."""

    device: str
    is_running: bool
    """Whether the routing daemon answered at all."""
    looked_up: str | None
    """The address of a longest-match look-up."""
    routes: tuple[Route, ...]
    page: Page
    message: str = ""


class PortMeasure(Model):
    """Probes of one path from one source port; each port samples one choice of equal-cost links."""

    source_port: int
    packets_sent: int
    packets_lost: int
    packets_corrupted: int
    df_sent: int
    """Don't-fragment probes of the largest size."""
    df_lost: int
    rtt_median_ms: float | None
    rtt_max_ms: float | None


class PathMeasure(Model):
    """Probes of one ordered pair of clients in one window."""

    packets_sent: int
    packets_lost: int
    send_errors: int
    """Probes that the sending client itself refused; counted in `packets_lost` too."""
    loss_pct: float
    rtt_median_ms: float | None
    """None when nothing was answered."""
    packets_corrupted: int
    """Answers with a damaged payload; they are not lost."""
    df_sent: int
    """Don't-fragment probes of the largest size."""
    df_lost: int
    df_send_errors: int
    """Don't-fragment probes that the sending client itself refused; counted in `df_lost` too."""


PathState = Literal["ok", "unreachable", "lossy", "corrupted", "drops_large", "slow", "missing"]
"""`drops_large`: don't-fragment probes of the largest size are lost, while small ones pass."""


class PingmeshPath(Model):
    """One ordered pair of clients, before and now."""

    src: str
    dst: str
    src_switch: str
    dst_switch: str
    path_type: str
    state: PathState
    """`missing`: no probe was recorded now, which is not the same as loss."""
    baseline: PathMeasure | None
    current: PathMeasure | None
    lost_ports: tuple[int, ...]
    """Source ports that lost every probe now."""
    lossy_ports: tuple[int, ...]
    """Source ports that lost some probes now, but not all."""
    df_lost_ports: tuple[int, ...]
    """Source ports that lost don't-fragment probes now."""
    corrupted_ports: tuple[int, ...]
    """Source ports that got damaged answers now."""


class PingmeshAnomaly(Model):
    """A deviation that the published rules count."""

    kind: str
    src: str
    dst: str
    what: str


class CollectorState(Model):
    """How far the measurements can be trusted."""

    epochs_complete: int
    epochs_incomplete: int
    overload_drops: int
    messages: tuple[str, ...]


class PingmeshWindow(Model):
    """One window of measurements."""

    length_s: float
    epochs: int
    pairs_expected: int
    pairs_seen: int
    collector: CollectorState


class PingmeshSummary(Model):
    """The full-mesh probing between clients: a healthy baseline against the time in question."""

    baseline: PingmeshWindow
    current: PingmeshWindow
    states: dict[PathState, int]
    """Number of paths in each state, over all paths that the arguments select."""
    anomalies: tuple[PingmeshAnomaly, ...]
    """Formal anomalies, at most 100."""
    anomalies_total: int
    paths: tuple[PingmeshPath, ...]
    """The worst first."""
    page: Page
    ports: tuple[PortMeasure, ...]
    """Per source port now; only when both `src` and `dst` are given."""


class Hotspot(Model):
    """Paths that share an end, or both, now; a sample is one source port of one path."""

    src: str | None
    """Where the paths start; None for anywhere."""
    dst: str | None
    """Where they end; None for anywhere."""
    paths: int
    states: dict[PathState, int]
    packets_sent: int
    packets_lost: int
    loss_pct: float | None
    """None when nothing was sent: no measurement is not the same as no loss."""
    samples: int
    bad_samples_pct: float
    """Share of the samples that are bad in any of the ways below."""
    dead_samples: int
    """Samples that lost every probe."""
    lossy_samples: int
    """Samples that lost some."""
    slow_samples: int
    df_lost_samples: int
    corrupted_samples: int


class PingmeshHotspots(Model):
    """Where the trouble in the mesh gathers."""

    baseline: PingmeshWindow
    current: PingmeshWindow
    group_by: str
    hotspots: tuple[Hotspot, ...]
    """The largest share of bad samples first."""
    page: Page


class PortReply(Model):
    """What came back for the probes from one source port."""

    source_port: int | None
    """None for ICMP, which has no ports."""
    packets_sent: int
    packets_answered: int
    answered_by: str | None
    rtt_min_ms: float | None
    error: str | None
    """What the device's kernel or a router on the way said instead of an answer."""


class PingResult(Model):
    """Probes sent from a device."""

    device: str
    target: str
    address: str
    method: str
    """What was sent, in words."""
    packets_sent: int
    packets_answered: int
    loss_pct: float
    rtt_min_ms: float | None
    rtt_avg_ms: float | None
    rtt_max_ms: float | None
    replies: tuple[PortReply, ...]
