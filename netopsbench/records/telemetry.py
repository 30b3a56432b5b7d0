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
    """Round trip per source port, None where it was lost or not sent."""


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


Record = Annotated[Probe | CollectorHealth, Field(discriminator="kind")]
