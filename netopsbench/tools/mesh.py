"""Two windows of Pingmesh records against each other, per path and per source port."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from statistics import median
from typing import Protocol

from netopsbench.core.model import Model
from netopsbench.records.telemetry import CollectorHealth, Probe, Record, Window
from netopsbench.telemetry.detect import LATENCY_RISE_MS, LOST_PROBES, Anomaly, Pair, PortDetail, detect, port_detail
from netopsbench.tools.results import CollectorState, PathMeasure, PathState, PingmeshPath, PingmeshWindow

_WORST_FIRST: tuple[PathState, ...] = ("unreachable", "missing", "lossy", "slow", "ok")


class Telemetry(Protocol):
    """The one question that tools ask a store."""

    def query(
        self, kind: str, window: Window | None = None, where: Mapping[str, str | int] | None = None
    ) -> Sequence[Record]: ...


class ClientPair(Model):
    """One path that the mesh must have measured."""

    src: str
    dst: str
    src_switch: str
    dst_switch: str

    @property
    def names(self) -> Pair:
        return self.src, self.dst


@dataclass(frozen=True)
class Comparison:
    """A baseline against now, worked out."""

    baseline: PingmeshWindow
    current: PingmeshWindow
    paths: tuple[PingmeshPath, ...]
    """One per expected pair, the worst first."""
    anomalies: tuple[Anomaly, ...]
    ports: tuple[PortDetail, ...]
    """Per source port now, when there is one pair only."""


class PathRows:
    """All records of one ordered pair in one window, at least one."""

    def __init__(self, rows: Sequence[Probe]) -> None:
        self.rows = rows
        self.sent = sum(row.packets_sent for row in rows)
        self.lost = sum(row.packets_lost for row in rows)
        averages = [row.rtt_avg_ms for row in rows if row.rtt_avg_ms is not None]
        self.rtt_median_ms = median(averages) if averages else None
        self.loss_pct = 100 * self.lost / self.sent if self.sent else 0.0
        sent_ever = reduce(or_, (row.ports_sent for row in rows))
        self._lost_ever = reduce(or_, (row.ports_lost for row in rows))
        self._lost_always = sent_ever & reduce(and_, (row.ports_lost | ~row.ports_sent for row in rows))

    def lost_ports(self) -> tuple[int, ...]:
        """Source ports of which no probe was answered."""
        return _numbers(self._lost_always, self.rows[0].first_port)

    def lossy_ports(self) -> tuple[int, ...]:
        """Source ports of which some probes were answered and some not."""
        return _numbers(self._lost_ever & ~self._lost_always, self.rows[0].first_port)

    def has_dead_port(self) -> bool:
        """Whether one source port lost every probe, more than one."""
        twice = [sum(row.ports_sent >> bit & 1 for row in self.rows) > 1 for bit in _bits(self._lost_always)]
        return any(twice)

    def is_slower_than(self, limit_ms: float) -> bool:
        """Whether the path, or one source port of it, takes at least so long in the median."""
        if self.rtt_median_ms is not None and self.rtt_median_ms >= limit_ms:
            return True
        if all(row.rtt_max_ms is None or row.rtt_max_ms < limit_ms for row in self.rows):
            return False
        by_port = ([trip for trip in trips if trip is not None] for trips in self._trips())
        return any(trips and median(trips) >= limit_ms for trips in by_port)

    def _trips(self) -> Iterable[tuple[float | None, ...]]:
        return zip(*(row.rtt_ms_by_port for row in self.rows), strict=False)

    def measure(self) -> PathMeasure:
        """The figures of the path as a whole."""
        return PathMeasure(
            packets_sent=self.sent,
            packets_lost=self.lost,
            send_errors=sum(row.send_errors for row in self.rows),
            loss_pct=round(self.loss_pct, 3),
            rtt_median_ms=None if self.rtt_median_ms is None else round(self.rtt_median_ms, 4),
        )


def compare(store: Telemetry, baseline: Window, current: Window, pairs: Sequence[ClientPair]) -> Comparison:
    """What the records of both windows say of these pairs."""
    where = _common(pairs)
    before, now = (_probes(store, window, where) for window in (baseline, current))
    before_rows, now_rows = _by_pair(before), _by_pair(now)
    paths = [_path(pair, before_rows.get(pair.names), now_rows.get(pair.names)) for pair in pairs]
    return Comparison(
        baseline=_window(store, baseline, before, len(pairs), len(before_rows)),
        current=_window(store, current, now, len(pairs), len(now_rows)),
        paths=tuple(sorted(paths, key=_badness)),
        anomalies=detect(before, now),
        ports=port_detail(now, *pairs[0].names) if len(pairs) == 1 else (),
    )


def state_of(before: PathRows | None, now: PathRows | None) -> PathState:
    """How a path is doing, one bad source port counting as much as a bad average."""
    if now is None or not now.sent:
        return "missing"
    if now.lost == now.sent:
        return "unreachable"
    base_loss_pct = before.loss_pct if before else 0.0
    if now.has_dead_port() or (now.lost >= LOST_PROBES and now.loss_pct > base_loss_pct):
        return "lossy"
    base_ms = before.rtt_median_ms if before else None
    return "slow" if base_ms is not None and now.is_slower_than(base_ms + LATENCY_RISE_MS) else "ok"


def _common(pairs: Sequence[ClientPair]) -> dict[str, str | int]:
    """Conditions that all pairs share, so that the store hands out no more than is needed."""
    sources, targets = {pair.src for pair in pairs}, {pair.dst for pair in pairs}
    where: dict[str, str | int] = {}
    if len(sources) == 1:
        where["src"] = next(iter(sources))
    if len(targets) == 1:
        where["dst"] = next(iter(targets))
    return where


def _probes(store: Telemetry, window: Window, where: Mapping[str, str | int]) -> list[Probe]:
    return [record for record in store.query("probe", window, where) if record.kind == "probe"]


def _by_pair(probes: Iterable[Probe]) -> dict[Pair, PathRows]:
    found: dict[Pair, list[Probe]] = defaultdict(list)
    for probe in probes:
        found[probe.src, probe.dst].append(probe)
    return {pair: PathRows(rows) for pair, rows in found.items()}


def _path(pair: ClientPair, before: PathRows | None, now: PathRows | None) -> PingmeshPath:
    return PingmeshPath(
        src=pair.src,
        dst=pair.dst,
        src_switch=pair.src_switch,
        dst_switch=pair.dst_switch,
        path_type="same_rack" if pair.src_switch == pair.dst_switch else "cross_rack",
        state=state_of(before, now),
        baseline=before.measure() if before else None,
        current=now.measure() if now else None,
        lost_ports=now.lost_ports() if now else (),
        lossy_ports=now.lossy_ports() if now else (),
    )


def _badness(path: PingmeshPath) -> tuple[int, float]:
    return _WORST_FIRST.index(path.state), -(path.current.loss_pct if path.current else 0.0)


def _window(store: Telemetry, window: Window, probes: Sequence[Probe], pairs: int, seen: int) -> PingmeshWindow:
    """What a window holds, and whether its collector was well."""
    reports: list[CollectorHealth] = [
        record
        for record in store.query("collector_health", window, {"collector": "pingmesh"})
        if record.kind == "collector_health"
    ]
    collector = CollectorState(
        epochs_complete=sum(report.is_complete for report in reports),
        epochs_incomplete=sum(not report.is_complete for report in reports),
        overload_drops=sum(report.overload_drops for report in reports),
        messages=tuple(dict.fromkeys(report.message for report in reports if report.message)),
    )
    return PingmeshWindow(
        length_s=round((window.until_ns - window.since_ns) / 1e9, 3),
        epochs=len({probe.epoch for probe in probes}),
        pairs_expected=pairs,
        pairs_seen=seen,
        collector=collector,
    )


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _numbers(mask: int, first_port: int) -> tuple[int, ...]:
    return tuple(first_port + bit for bit in _bits(mask))
