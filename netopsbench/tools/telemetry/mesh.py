"""Two windows of Pingmesh records against each other, per path and per source port."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from netopsbench.core.model import Model
from netopsbench.records.telemetry import CollectorHealth, Record, Window
from netopsbench.telemetry.batch import Batch
from netopsbench.telemetry.detect import Anomaly, PortDetail, detect, port_detail
from netopsbench.telemetry.path_table import Pair, PathTable, measured
from netopsbench.tools.telemetry.mesh_results import (
    CollectorState,
    PathMeasure,
    PathState,
    PingmeshPath,
    PingmeshWindow,
)
from netopsbench.tools.telemetry.mesh_states import STATES, Sight, sight_of, states_of

_LATE_EPOCHS = 3
_UNKNOWN = "whether paths were well is unknown"


class Telemetry(Protocol):
    """What tools ask a store."""

    def query(
        self, kind: str, window: Window | None = None, where: Mapping[str, str | int] | None = None
    ) -> Sequence[Record]: ...

    def query_columns(
        self,
        kind: str,
        names: Sequence[str],
        window: Window | None = None,
        where: Mapping[str, str | int] | None = None,
    ) -> list[Batch]: ...


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
    """A baseline against now, worked out; descriptions of single paths are made when they are asked for."""

    baseline: PingmeshWindow
    current: PingmeshWindow
    pairs: tuple[ClientPair, ...]
    """The worst first, like `states` and the entries of both sights."""
    states: tuple[PathState, ...]
    before: Sight
    now: Sight
    anomalies: tuple[Anomaly, ...]
    ports: tuple[PortDetail, ...]
    """Per source port now, when there is one pair only."""

    @cached_property
    def changed(self) -> tuple[int, ...]:
        """Places of the paths that are not `ok`."""
        return tuple(place for place, state in enumerate(self.states) if state != "ok")

    def path(self, place: int) -> PingmeshPath:
        """One path in full."""
        pair = self.pairs[place]
        return PingmeshPath(
            src=pair.src,
            dst=pair.dst,
            src_switch=pair.src_switch,
            dst_switch=pair.dst_switch,
            path_type="same_rack" if pair.src_switch == pair.dst_switch else "cross_rack",
            state=self.states[place],
            baseline=_measure(self.before, place),
            current=_measure(self.now, place),
            lost_ports=self.now.ports_where(self.now.is_dead, place),
            lossy_ports=self.now.ports_where(self.now.is_lossy, place),
            df_lost_ports=self.now.ports_where(self.now.loses_df, place),
            corrupted_ports=self.now.ports_where(self.now.is_corrupted, place),
        )


def compare(store: Telemetry, baseline: Window, current: Window, pairs: Sequence[ClientPair]) -> Comparison:
    """What the records of both windows say of these pairs."""
    where = _common(pairs)
    tables = [measured(store, window, where) for window in (baseline, current)]
    before, now = (sight_of(table, [pair.names for pair in pairs]) for table in tables)
    states = states_of(before, now)
    # Stable: paths that are equally bad stay in the order of their names in the plan.
    order = np.lexsort((-np.nan_to_num(now.figures.loss_pct), states))
    return Comparison(
        baseline=_window(store, baseline, tables[0], len(pairs)),
        current=_window(store, current, tables[1], len(pairs)),
        pairs=tuple(pairs[place] for place in order),
        states=tuple(STATES[state] for state in states[order].tolist()),
        before=before.reordered(order),
        now=now.reordered(order),
        anomalies=detect(*tables),
        ports=port_detail(tables[1], *pairs[0].names) if len(pairs) == 1 else (),
    )


def _common(pairs: Sequence[ClientPair]) -> dict[str, str | int]:
    """Conditions that all pairs share, so that the store hands out no more than is needed."""
    sources, targets = {pair.src for pair in pairs}, {pair.dst for pair in pairs}
    where: dict[str, str | int] = {}
    if len(sources) == 1:
        where["src"] = next(iter(sources))
    if len(targets) == 1:
        where["dst"] = next(iter(targets))
    return where


def _measure(sight: Sight, place: int) -> PathMeasure | None:
    """The figures of a path as a whole; None when it has no records."""
    if not sight.is_seen[place]:
        return None
    figures = sight.figures
    rtt_ms, loss_pct = float(figures.rtt_ms[place]), float(figures.loss_pct[place])
    return PathMeasure(
        packets_sent=int(figures.sent[place]),
        packets_lost=int(figures.lost[place]),
        packets_corrupted=int(sight.corrupted[place]),
        send_errors=int(sight.send_errors[place]),
        loss_pct=0.0 if np.isnan(loss_pct) else round(loss_pct, 3),
        rtt_median_ms=None if np.isnan(rtt_ms) else round(rtt_ms, 4),
        df_sent=int(figures.df_sent[place]),
        df_lost=int(figures.df_lost[place]),
        df_send_errors=int(figures.df_errors[place]),
    )


def _window(store: Telemetry, window: Window, table: PathTable, pairs: int) -> PingmeshWindow:
    """What a window holds, and whether its collector was well."""
    reports: list[CollectorHealth] = [
        record
        for record in store.query("collector_health", window, {"collector": "pingmesh"})
        if record.kind == "collector_health"
    ]
    told = dict.fromkeys(report.message for report in reports if report.message)
    collector = CollectorState(
        epochs_complete=sum(report.is_complete for report in reports),
        epochs_incomplete=sum(not report.is_complete for report in reports),
        overload_drops=sum(report.overload_drops for report in reports),
        messages=(*_silence(reports, window), *told),
    )
    return PingmeshWindow(
        length_s=round((window.until_ns - window.since_ns) / 1e9, 3),
        epochs=len(table.epochs),
        pairs_expected=pairs,
        pairs_seen=len(table),
        collector=collector,
    )


def _silence(reports: Sequence[CollectorHealth], window: Window) -> tuple[str, ...]:
    """Whether the collector was dead, in words: no records are not the same as no loss."""
    if not reports:
        return (f"no data: the pingmesh collector recorded nothing in this time; {_UNKNOWN}",)
    times = [window.since_ns, *(report.t_ns for report in reports)]
    longest_ns = max(after - before for before, after in pairwise(times))
    silent_ns = window.until_ns - times[-1]
    if silent_ns > _LATE_EPOCHS * longest_ns:
        return (f"no data in the last {silent_ns / 1e9:.1f} s: the pingmesh collector fell silent; {_UNKNOWN}",)
    return ()
