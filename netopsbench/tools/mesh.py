"""Pingmesh records of a window, added up per path and source port."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from netopsbench.records.telemetry import CollectorHealth, Probe, Window
from netopsbench.telemetry.detect import LATENCY_RISE_MS, LOST_PROBES, Pair
from netopsbench.tools.results import (
    CollectorState,
    PathMeasure,
    PathState,
    PingmeshPath,
    PingmeshWindow,
    PortMeasure,
)


@dataclass
class PortSum:
    """One source port of one path."""

    sent: int = 0
    lost: int = 0
    rtts_ms: list[float] = field(default_factory=list)


@dataclass
class PathSum:
    """One ordered pair of clients in one window."""

    probe: Probe
    """Any record of the pair, for its names."""
    sent: int = 0
    lost: int = 0
    send_errors: int = 0
    averages_ms: list[float] = field(default_factory=list)
    ports: dict[int, PortSum] = field(default_factory=lambda: defaultdict(PortSum))

    def add(self, probe: Probe) -> None:
        """Count one more record of the pair."""
        self.sent += probe.packets_sent
        self.lost += probe.packets_lost
        self.send_errors += probe.send_errors
        if probe.rtt_avg_ms is not None:
            self.averages_ms.append(probe.rtt_avg_ms)
        for bit, rtt_ms in enumerate(probe.rtt_ms_by_port):
            if not probe.ports_sent >> bit & 1:
                continue
            port = self.ports[probe.first_port + bit]
            port.sent += 1
            port.lost += probe.ports_lost >> bit & 1
            if rtt_ms is not None:
                port.rtts_ms.append(rtt_ms)

    @property
    def rtt_median_ms(self) -> float | None:
        return median(self.averages_ms) if self.averages_ms else None

    @property
    def loss_pct(self) -> float:
        return 100 * self.lost / self.sent if self.sent else 0.0

    @property
    def is_unreachable(self) -> bool:
        return self.sent > 0 and self.lost == self.sent

    def lost_ports(self) -> tuple[int, ...]:
        """Source ports of which no probe was answered."""
        return tuple(sorted(number for number, port in self.ports.items() if port.lost == port.sent))

    def lossy_ports(self) -> tuple[int, ...]:
        """Source ports of which some probes were answered and some not."""
        return tuple(sorted(number for number, port in self.ports.items() if 0 < port.lost < port.sent))

    def measure(self) -> PathMeasure:
        return PathMeasure(
            packets_sent=self.sent,
            packets_lost=self.lost,
            send_errors=self.send_errors,
            loss_pct=round(self.loss_pct, 3),
            rtt_median_ms=_rounded(self.rtt_median_ms),
        )

    def port_measures(self) -> tuple[PortMeasure, ...]:
        return tuple(
            PortMeasure(
                source_port=number,
                packets_sent=port.sent,
                packets_lost=port.lost,
                rtt_median_ms=_rounded(median(port.rtts_ms) if port.rtts_ms else None),
            )
            for number, port in sorted(self.ports.items())
        )


def add_up(probes: Iterable[Probe]) -> dict[Pair, PathSum]:
    """The records of a window per ordered pair."""
    sums: dict[Pair, PathSum] = {}
    for probe in probes:
        sums.setdefault((probe.src, probe.dst), PathSum(probe)).add(probe)
    return sums


def state_of(before: PathSum | None, now: PathSum | None) -> PathState:
    """How a path is doing, one bad source port counting as much as a bad average."""
    if now is None or not now.sent:
        return "missing"
    if now.is_unreachable:
        return "unreachable"
    base_loss_pct = before.loss_pct if before else 0.0
    dead_port = any(port.sent >= 2 and port.lost == port.sent for port in now.ports.values())
    if dead_port or (now.lost >= LOST_PROBES and now.loss_pct > base_loss_pct):
        return "lossy"
    base_ms = before.rtt_median_ms if before else None
    if base_ms is None:
        return "ok"
    medians = [median(port.rtts_ms) for port in now.ports.values() if port.rtts_ms]
    if now.rtt_median_ms is not None:
        medians.append(now.rtt_median_ms)
    return "slow" if any(rtt_ms >= base_ms + LATENCY_RISE_MS for rtt_ms in medians) else "ok"


def path_of(pair: Pair, names: tuple[str, str, str], before: PathSum | None, now: PathSum | None) -> PingmeshPath:
    """One row of the summary; `names` are both switches and the path's type."""
    return PingmeshPath(
        src=pair[0],
        dst=pair[1],
        src_switch=names[0],
        dst_switch=names[1],
        path_type=names[2],
        state=state_of(before, now),
        baseline=before.measure() if before else None,
        current=now.measure() if now else None,
        lost_ports=now.lost_ports() if now else (),
        lossy_ports=now.lossy_ports() if now else (),
    )


def window_of(
    window: Window, probes: Sequence[Probe], health: Sequence[CollectorHealth], pairs: int, seen: int
) -> PingmeshWindow:
    """What a window holds, and whether its collector was well."""
    collector = CollectorState(
        epochs_complete=sum(report.is_complete for report in health),
        epochs_incomplete=sum(not report.is_complete for report in health),
        overload_drops=sum(report.overload_drops for report in health),
        messages=tuple(dict.fromkeys(report.message for report in health if report.message)),
    )
    return PingmeshWindow(
        length_s=round((window.until_ns - window.since_ns) / 1e9, 3),
        epochs=len({probe.epoch for probe in probes}),
        pairs_expected=pairs,
        pairs_seen=seen,
        collector=collector,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
