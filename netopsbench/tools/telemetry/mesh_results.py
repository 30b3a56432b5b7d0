"""What the tools return that measure the mesh of probes between clients."""

from typing import Literal

from netopsbench.core.model import Model
from netopsbench.tools.results import Page


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
