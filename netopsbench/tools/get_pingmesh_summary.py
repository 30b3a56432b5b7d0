"""The full-mesh probing between clients, baseline against now."""

from collections import Counter
from typing import Annotated

from pydantic import Field

from netopsbench.records.telemetry import CollectorHealth, Probe, Window
from netopsbench.telemetry.detect import Anomaly, Pair, detect
from netopsbench.tools.context import ToolContext
from netopsbench.tools.mesh import PathSum, add_up, path_of, window_of
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.results import (
    PathState,
    PingmeshAnomaly,
    PingmeshPath,
    PingmeshSummary,
    PingmeshWindow,
)

_ANOMALIES = 100
_WORST_FIRST: tuple[PathState, ...] = ("unreachable", "missing", "lossy", "slow", "ok")


def get_pingmesh_summary(
    context: ToolContext,
    src: Annotated[str | None, Field(description="Only paths from this client.")] = None,
    dst: Annotated[str | None, Field(description="Only paths to this client.")] = None,
    only_changed: Annotated[bool, Field(description="Leave out paths in state `ok`.")] = False,
    offset: Offset = 0,
    limit: Limit = 50,
) -> PingmeshSummary:
    """Loss and delay between all pairs of clients: a healthy baseline against the time in question.

    Every path is probed from 16 UDP source ports, which take different equal-cost links. Paths come in pages, the
    worst first; with both `src` and `dst` the single source ports are shown too. The formal anomalies follow fixed
    thresholds: a network without any can still have a fault.
    """
    pairs = _pairs(context, src, dst)
    before, before_window = _measured(context, context.baseline, src, dst, len(pairs))
    now, now_window = _measured(context, context.current, src, dst, len(pairs))
    before_sums, now_sums = add_up(before), add_up(now)
    paths = _paths(context, pairs, before_sums, now_sums)
    states: Counter[PathState] = Counter(path.state for path in paths)
    shown = [path for path in paths if path.state != "ok"] if only_changed else paths
    chosen, page = page_of(shown, offset, limit)
    anomalies = detect(before, now)
    single = now_sums.get((src, dst)) if src is not None and dst is not None else None
    return PingmeshSummary(
        baseline=before_window,
        current=now_window,
        states=dict(states),
        anomalies=tuple(_anomaly(anomaly) for anomaly in anomalies[:_ANOMALIES]),
        anomalies_total=len(anomalies),
        paths=chosen,
        page=page,
        ports=single.port_measures() if single else (),
    )


def _pairs(context: ToolContext, src: str | None, dst: str | None) -> list[Pair]:
    for name in (src, dst):
        if name is not None:
            context.client(name)
    clients = [node.name for node in context.plan.nodes if not node.is_switch]
    sources = clients if src is None else [src]
    targets = clients if dst is None else [dst]
    return [(source, target) for source in sources for target in targets if source != target]


def _measured(
    context: ToolContext, window: Window, src: str | None, dst: str | None, pairs: int
) -> tuple[list[Probe], PingmeshWindow]:
    where = {key: name for key, name in (("src", src), ("dst", dst)) if name is not None}
    probes = [record for record in context.store.query("probe", window, where) if record.kind == "probe"]
    health: list[CollectorHealth] = [
        record
        for record in context.store.query("collector_health", window, {"collector": "pingmesh"})
        if record.kind == "collector_health"
    ]
    seen = len({(probe.src, probe.dst) for probe in probes})
    return probes, window_of(window, probes, health, pairs, seen)


def _paths(
    context: ToolContext, pairs: list[Pair], before: dict[Pair, PathSum], now: dict[Pair, PathSum]
) -> list[PingmeshPath]:
    attached = {node.name: node.attached_to or "" for node in context.plan.nodes}

    def names(pair: Pair) -> tuple[str, str, str]:
        switches = attached[pair[0]], attached[pair[1]]
        return (*switches, "same_rack" if switches[0] == switches[1] else "cross_rack")

    rows = [path_of(pair, names(pair), before.get(pair), now.get(pair)) for pair in pairs]

    def badness(path: PingmeshPath) -> tuple[int, float]:
        return _WORST_FIRST.index(path.state), -(path.current.loss_pct if path.current else 0.0)

    return sorted(rows, key=badness)


def _anomaly(anomaly: Anomaly) -> PingmeshAnomaly:
    if anomaly.kind == "latency_spike":
        what = f"median round trip {anomaly.rtt_median_ms:.1f} ms, before {anomaly.baseline_rtt_median_ms:.1f} ms"
    else:
        before = "unknown" if anomaly.baseline_loss_pct is None else f"{anomaly.baseline_loss_pct:.1f} %"
        what = (
            f"{anomaly.packets_lost} of {anomaly.packets_sent} probes lost ({anomaly.loss_pct:.1f} %), before {before}"
        )
    return PingmeshAnomaly(kind=anomaly.kind, src=anomaly.src, dst=anomaly.dst, what=what)
