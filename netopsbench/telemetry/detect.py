"""What counts as an anomaly: the published observation rules, over the whole of a window.

The loss rule also holds the number of paths tested in check: with a base loss of 1e-4 the chance that a path loses 3
of its 48 probes in three epochs is 2e-8, or 4e-4 for all 20,592 paths of the largest mesh together.
"""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.records.telemetry import Probe
from netopsbench.telemetry.schedule import ALL_PORTS

LATENCY_RISE_MS = 20.0
LOSS_PCT = 5.0
LOSS_RISE_PCT = 5.0
LOST_PROBES = 3

Pair = tuple[str, str]
AnomalyKind = Literal["path_unreachable", "packet_loss", "latency_spike"]


class Anomaly(Model):
    """A formal anomaly of one ordered pair, with the figures that make it one."""

    kind: AnomalyKind
    src: str
    dst: str
    packets_sent: int
    packets_lost: int
    loss_pct: float
    baseline_loss_pct: float | None
    """None when the baseline holds no probe of this pair."""
    rtt_median_ms: float | None
    """Median over the window's epochs of the mean round trip; None when nothing was answered."""
    baseline_rtt_median_ms: float | None


class PathSummary(Model):
    """Loss and delay of one ordered pair over a window."""

    src: str
    dst: str
    packets_sent: int
    packets_lost: int
    rtt_median_ms: float | None
    """Median over the window's epochs of the mean round trip; None when nothing was answered."""

    @property
    def loss_pct(self) -> float | None:
        """None when nothing was sent: no measurement is neither loss nor health."""
        return 100 * self.packets_lost / self.packets_sent if self.packets_sent else None

    @property
    def is_unreachable(self) -> bool:
        return self.packets_sent > 0 and self.packets_lost == self.packets_sent

    @property
    def has_loss(self) -> bool:
        """Whether the loss alone, without a baseline, is enough for a formal anomaly."""
        return (self.loss_pct or 0) >= LOSS_PCT and self.packets_lost >= LOST_PROBES


class PortDetail(Model):
    """One source port of one ordered pair over a window: one member of the equal-cost paths."""

    port: int
    packets_sent: int
    packets_lost: int
    rtt_median_ms: float | None
    rtt_max_ms: float | None


def mesh_summary(probes: Sequence[Probe]) -> tuple[PathSummary, ...]:
    """One summary per pair that has rows, in order of first appearance."""
    return tuple(_summary(pair, rows) for pair, rows in _by_pair(probes).items())


def missing_pairs(probes: Sequence[Probe], expected: Iterable[Pair]) -> tuple[Pair, ...]:
    """Expected pairs for which nothing was sent: no data, which says neither loss nor health."""
    measured = {(probe.src, probe.dst) for probe in probes if probe.packets_sent}
    return tuple(pair for pair in expected if pair not in measured)


def detect(baseline: Sequence[Probe], current: Sequence[Probe]) -> tuple[Anomaly, ...]:
    """The formal anomalies of the current window against the baseline, pair by pair.

    Pairs without a probe in `current` give none: `missing_pairs` names them.
    """
    before = {(path.src, path.dst): path for path in mesh_summary(baseline)}
    found: list[Anomaly] = []
    for path in mesh_summary(current):
        base = before.get((path.src, path.dst))
        found += [_anomaly(kind, path, base) for kind in _kinds(path, base)]
    return tuple(found)


def baseline_problems(probes: Sequence[Probe], expected_pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Why these rows are no baseline, in words; empty when they are one.

    A baseline covers every pair on every port in every epoch, reaches everybody, and shows neither loss nor delay.
    """
    expected = list(expected_pairs)
    if not expected:
        return ("the mesh has no pairs: nothing was measured",)
    problems = [f"{src} to {dst}: no probe" for src, dst in missing_pairs(probes, expected)]
    problems += _incomplete(probes, expected)
    for path in mesh_summary(probes):
        name = f"{path.src} to {path.dst}"
        if path.is_unreachable:
            problems.append(f"{name}: unreachable, all {path.packets_sent} probes were lost")
        elif path.has_loss:
            problems.append(f"{name}: {path.packets_lost} of {path.packets_sent} probes were lost")
        if path.rtt_median_ms is not None and path.rtt_median_ms >= LATENCY_RISE_MS:
            problems.append(f"{name}: the round trip takes {path.rtt_median_ms:.1f} ms")
    return tuple(problems)


def port_detail(probes: Sequence[Probe], src: str, dst: str) -> tuple[PortDetail, ...]:
    """Loss and delay of each source port of one pair; empty when the pair has no rows."""
    rows = [probe for probe in probes if (probe.src, probe.dst) == (src, dst)]
    ports = sorted({row.first_port + bit for row in rows for bit in range(len(row.rtt_ms_by_port))})
    return tuple(_port(port, rows) for port in ports)


def _port(port: int, rows: Sequence[Probe]) -> PortDetail:
    here = [(row, port - row.first_port) for row in rows if 0 <= port - row.first_port < len(row.rtt_ms_by_port)]
    trips = [trip for row, bit in here if (trip := row.rtt_ms_by_port[bit]) is not None]
    return PortDetail(
        port=port,
        packets_sent=sum(row.ports_sent >> bit & 1 for row, bit in here),
        packets_lost=sum(row.ports_lost >> bit & 1 for row, bit in here),
        rtt_median_ms=median(trips) if trips else None,
        rtt_max_ms=max(trips, default=None),
    )


def _by_pair(probes: Iterable[Probe]) -> dict[Pair, list[Probe]]:
    found: dict[Pair, list[Probe]] = {}
    for probe in probes:
        found.setdefault((probe.src, probe.dst), []).append(probe)
    return found


def _summary(pair: Pair, rows: Sequence[Probe]) -> PathSummary:
    means = [row.rtt_avg_ms for row in rows if row.rtt_avg_ms is not None]
    return PathSummary(
        src=pair[0],
        dst=pair[1],
        packets_sent=sum(row.packets_sent for row in rows),
        packets_lost=sum(row.packets_lost for row in rows),
        rtt_median_ms=median(means) if means else None,
    )


def _kinds(path: PathSummary, base: PathSummary | None) -> list[AnomalyKind]:
    kinds: list[AnomalyKind] = []
    base_loss_pct = (base.loss_pct if base else None) or 0.0
    if path.is_unreachable:
        kinds.append("path_unreachable")
    elif path.has_loss and (path.loss_pct or 0) >= base_loss_pct + LOSS_RISE_PCT:
        kinds.append("packet_loss")
    before_ms = base.rtt_median_ms if base else None
    now_ms = path.rtt_median_ms
    if before_ms is not None and now_ms is not None and now_ms >= before_ms + LATENCY_RISE_MS:
        kinds.append("latency_spike")
    return kinds


def _anomaly(kind: AnomalyKind, path: PathSummary, base: PathSummary | None) -> Anomaly:
    return Anomaly(
        kind=kind,
        src=path.src,
        dst=path.dst,
        packets_sent=path.packets_sent,
        packets_lost=path.packets_lost,
        loss_pct=path.loss_pct or 0.0,
        baseline_loss_pct=base.loss_pct if base else None,
        rtt_median_ms=path.rtt_median_ms,
        baseline_rtt_median_ms=base.rtt_median_ms if base else None,
    )


def _incomplete(probes: Sequence[Probe], expected: Sequence[Pair]) -> list[str]:
    """Epochs in which a measured pair is missing, or was not probed on every port."""
    covered: dict[tuple[int, str, str], int] = {}
    for probe in probes:
        key = (probe.epoch, probe.src, probe.dst)
        covered[key] = covered.get(key, 0) | probe.ports_sent
    missing = set(missing_pairs(probes, expected))
    measured = [pair for pair in expected if pair not in missing]
    return [
        f"{src} to {dst}: epoch {epoch} covers {covered.get((epoch, src, dst), 0).bit_count()} of"
        f" {ALL_PORTS.bit_count()} source ports"
        for epoch in sorted({probe.epoch for probe in probes})
        for src, dst in measured
        if covered.get((epoch, src, dst), 0) != ALL_PORTS
    ]
