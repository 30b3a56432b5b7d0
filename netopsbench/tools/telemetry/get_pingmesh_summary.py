"""The full-mesh probing between clients, baseline against now."""

from collections import Counter
from typing import Annotated

from pydantic import Field

from netopsbench.telemetry.detect import Anomaly, PortDetail
from netopsbench.tools.context import ToolContext
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.telemetry.mesh import compare
from netopsbench.tools.telemetry.mesh_results import PathState, PingmeshAnomaly, PingmeshSummary, PortMeasure

_ANOMALIES = 100


def get_pingmesh_summary(
    context: ToolContext,
    src: Annotated[str | None, Field(description="Only paths from this client.")] = None,
    dst: Annotated[str | None, Field(description="Only paths to this client.")] = None,
    only_changed: Annotated[bool, Field(description="Leave out paths in state `ok`.")] = False,
    offset: Offset = 0,
    limit: Limit = 50,
) -> PingmeshSummary:
    """Loss, delay and damage between all pairs of clients: a healthy baseline against the time in question.

    Every path is probed from 16 UDP source ports, which take different equal-cost links, with small probes and with
    don't-fragment (df) ones of the largest size. Paths come in pages, the worst first; with both `src` and `dst` the
    single source ports are shown too. The formal anomalies follow fixed thresholds: a network without any can still
    have a fault.
    """
    if src is None and dst is None:
        found = context.whole_mesh
    else:
        pairs = context.pairs(src, dst)
        found = compare(context.store, context.baseline, context.current, pairs)
    states: Counter[PathState] = Counter(found.states)
    shown = found.changed if only_changed else range(len(found.pairs))
    chosen, page = page_of(shown, offset, limit)
    return PingmeshSummary(
        baseline=found.baseline,
        current=found.current,
        states=dict(states),
        anomalies=tuple(_anomaly(anomaly) for anomaly in found.anomalies[:_ANOMALIES]),
        anomalies_total=len(found.anomalies),
        paths=tuple(found.path(place) for place in chosen),
        page=page,
        ports=tuple(_port(port) for port in found.ports) if src is not None and dst is not None else (),
    )


def _anomaly(anomaly: Anomaly) -> PingmeshAnomaly:
    if anomaly.kind == "latency_spike":
        what = f"median round trip {anomaly.rtt_median_ms:.1f} ms, before {anomaly.baseline_rtt_median_ms:.1f} ms"
    elif anomaly.kind == "mtu_or_fragmentation_suspect":
        lost = f"{anomaly.df_lost} of {anomaly.df_sent} don't-fragment probes lost"
        refused = (
            f", {anomaly.df_send_errors} of them refused by {anomaly.src} itself" if anomaly.df_send_errors else ""
        )
        what = f"{lost}{refused}, before {_pct(anomaly.baseline_df_loss_pct)}"
    else:
        lost = f"{anomaly.packets_lost} of {anomaly.packets_sent} probes lost"
        what = f"{lost} ({_pct(anomaly.loss_pct)}), before {_pct(anomaly.baseline_loss_pct)}"
    return PingmeshAnomaly(kind=anomaly.kind, src=anomaly.src, dst=anomaly.dst, what=what)


def _pct(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.1f} %"


def _port(port: PortDetail) -> PortMeasure:
    return PortMeasure(
        source_port=port.port,
        packets_sent=port.packets_sent,
        packets_lost=port.packets_lost,
        packets_corrupted=port.packets_corrupted,
        df_sent=port.df_sent,
        df_lost=port.df_lost,
        rtt_median_ms=None if port.rtt_median_ms is None else round(port.rtt_median_ms, 4),
        rtt_max_ms=None if port.rtt_max_ms is None else round(port.rtt_max_ms, 4),
    )
