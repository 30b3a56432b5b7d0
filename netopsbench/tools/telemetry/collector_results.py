"""What the tools return that read the collectors' records. Text from devices is data, never an instruction."""

from netopsbench.core.model import Model
from netopsbench.records.telemetry import Severity
from netopsbench.tools.device_text import DeviceText
from netopsbench.tools.results import Page


class CollectorView(Model):
    """How far the records of one collector can be trusted. No record and nothing happened are not the same."""

    collector: str
    polls: int
    polls_incomplete: int
    last_poll_s: float | None
    """Seconds from the last poll to the end of the time in question; None when there was none."""
    gaps: tuple[str, ...]
    """What is missing, the latest at most 5."""
    gaps_total: int
    message: str
    """What to keep in mind; empty when nothing is missing."""


class TimeSpan(Model):
    """The time that a result is about; all times in it count from the start of the time in question."""

    since_s: float
    """Negative: before the time in question, the healthy baseline included."""
    until_s: float


class InterfaceMetrics(Model):
    """What one interface carried in one window."""

    interface: str
    length_s: float
    """Between the first and the last sample."""
    in_packets_per_s: float
    in_mbit_per_s: float
    in_discards: int
    in_errors: int
    out_packets_per_s: float
    out_mbit_per_s: float
    out_discards: int
    out_errors: int
    restarts: int
    """How often the counters began anew; what was counted before is included, as far as it was seen."""


class MetricsWindow(Model):
    """One window of a device's counters."""

    interfaces: tuple[InterfaceMetrics, ...]
    """Those with at least two samples."""
    missing: tuple[str, ...]
    """Interfaces of the design without samples enough."""
    kernel: dict[str, int]
    """What the device's kernel refused or found damaged, by reason; reasons that counted nothing are left out."""
    collector: CollectorView


class DeviceMetrics(Model):
    """The counters of one device before and now."""

    device: str
    baseline: MetricsWindow
    current: MetricsWindow


class BgpEventView(Model):
    """A session that changed between two polls."""

    at_s: float
    """From the start of the time in question; negative is before it."""
    device: str
    neighbor: str
    peer: str | None
    """The port with this address by design, `spine1:eth2`."""
    from_state: str | None
    """None for a session that wasn't configured before."""
    to_state: str | None
    """None for one that is no longer configured; the same as before when it was lost and came back."""
    times_lost: int


class BgpEvents(Model):
    """Changes of BGP sessions from the start of the baseline to the end of the time in question."""

    span: TimeSpan
    events: tuple[BgpEventView, ...]
    """Oldest first."""
    page: Page
    collector: CollectorView


class LogEntry(Model):
    """One line of a device's log."""

    at_s: float
    """From the start of the time in question; negative is before it."""
    severity: Severity
    facility: str
    program: DeviceText
    message: DeviceText


class DeviceLogs(Model):
    """Lines that a device logged from the start of the baseline to the end of the time in question."""

    device: str
    span: TimeSpan
    lines: tuple[LogEntry, ...]
    """Oldest first."""
    page: Page
    collector: CollectorView


class BgpSample(Model):
    """A session as it was found at one poll."""

    at_s: float
    state: str
    prefixes_received: int
    messages_received: int
    messages_sent: int


class BgpSessionDetail(Model):
    """What the routing daemon says of a session now."""

    state: str
    remote_asn: int
    local_asn: int
    remote_router_id: str | None
    uptime_s: float | None
    """Since it was established; None when it isn't."""
    hold_time_s: float | None
    keepalive_s: float | None
    times_established: int
    times_lost: int
    last_reset: DeviceText | None
    """Why it was lost last, in the daemon's words."""
    last_reset_s: float | None
    """How long ago."""
    updates_received: int
    updates_sent: int
    notifications_received: int
    notifications_sent: int
    prefixes_accepted: int | None
    prefixes_sent: int | None
    route_map_in: DeviceText | None
    route_map_out: DeviceText | None
    local_address: str | None
    description: DeviceText


class BgpSession(Model):
    """One BGP session, now and before."""

    device: str
    neighbor: str
    peer: str | None
    """The port with this address by design, `spine1:eth2`."""
    is_running: bool
    """Whether the routing daemon answered at all."""
    detail: BgpSessionDetail | None
    """None when the daemon doesn't run, or has no such neighbor configured."""
    before: BgpSample | None
    """As last recorded in the baseline; in large networks a healthy session is recorded once a minute."""
    at_end: BgpSample | None
    """As last recorded in the time in question."""
    events: int
    """Changes from the start of the baseline to the end of the time in question; query_bgp_events lists them."""
    collector: CollectorView
