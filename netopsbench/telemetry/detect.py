"""What counts as an anomaly: the published observation rules, over the whole of a window.

The loss rule also holds the number of paths tested in check: with a base loss of 1e-4 the chance that a path loses 3
of its 48 probes in three epochs is 2e-8, or 4e-4 for all 20,592 paths of the largest mesh together. The rule for
don't-fragment probes needs 2 lost ones out of the 6 that three epochs of that mesh send: 3e-3 for all paths together.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from netopsbench.core.model import Model
from netopsbench.telemetry.path_table import Pair, PathTable, Reals, Wholes
from netopsbench.telemetry.schedule import ALL_PORTS

LATENCY_RISE_MS = 20.0
LOSS_PCT = 5.0
LOSS_RISE_PCT = 5.0
LOST_PROBES = 3
DF_LOSS_PCT = 20.0
DF_LOSS_RISE_PCT = 15.0

AnomalyKind = Literal["path_unreachable", "packet_loss", "latency_spike", "mtu_or_fragmentation_suspect"]
Flags = npt.NDArray[np.bool_]


class Anomaly(Model):
    """A formal anomaly of one ordered pair, with the figures that make it one."""

    kind: AnomalyKind
    src: str
    dst: str
    packets_sent: int
    packets_lost: int
    loss_pct: float | None
    """None when nothing was sent."""
    baseline_loss_pct: float | None
    """None when the baseline holds no probe of this pair."""
    rtt_median_ms: float | None
    """Median over the window's epochs of the mean round trip; None when nothing was answered."""
    baseline_rtt_median_ms: float | None
    df_sent: int
    df_lost: int
    """Without those that a failure of the path explains."""
    df_send_errors: int
    """Don't-fragment probes that the sending host refused, without those that a failure of the path explains."""
    baseline_df_loss_pct: float | None
    """None when the baseline holds no don't-fragment probe of this pair."""


class PathSummary(Model):
    """Loss and delay of one ordered pair over a window."""

    src: str
    dst: str
    packets_sent: int
    packets_lost: int
    rtt_median_ms: float | None
    """Median over the window's epochs of the mean round trip; None when nothing was answered."""


class PortDetail(Model):
    """One source port of one ordered pair over a window: one member of the equal-cost paths."""

    port: int
    packets_sent: int
    packets_lost: int
    packets_corrupted: int
    """Epochs in which an answer to it was damaged."""
    df_sent: int
    df_lost: int
    rtt_median_ms: float | None
    rtt_max_ms: float | None


@dataclass(frozen=True)
class Figures:
    """What the rules look at, one entry per pair; NaN where there is no measurement."""

    sent: Wholes
    lost: Wholes
    loss_pct: Reals
    rtt_ms: Reals
    df_sent: Wholes
    df_lost: Wholes
    df_loss_pct: Reals
    df_errors: Wholes
    """Local send errors of don't-fragment probes that nothing explains."""

    @property
    def is_unreachable(self) -> Flags:
        found: Flags = (self.sent > 0) & (self.lost == self.sent)
        return found

    @property
    def has_loss(self) -> Flags:
        """Whether the loss alone, without a baseline, is enough for a formal anomaly."""
        found: Flags = (self.loss_pct >= LOSS_PCT) & (self.lost >= LOST_PROBES)
        return found


def figures(table: PathTable) -> Figures:
    """The figures of every pair of the table."""
    sent, lost = table.counts["packets_sent"], table.counts["packets_lost"]
    explained = _explained_df_errors(table)
    df_sent, df_lost = table.counts["df_sent"], table.counts["df_lost"] - explained
    return Figures(
        sent=sent,
        lost=lost,
        loss_pct=_share_pct(lost, sent),
        rtt_ms=table.rtt_median_ms,
        df_sent=df_sent,
        df_lost=df_lost,
        df_loss_pct=_share_pct(df_lost, df_sent),
        df_errors=table.counts["df_send_errors"] - explained,
    )


def mesh_summary(table: PathTable) -> tuple[PathSummary, ...]:
    """One summary per pair that has rows, in order of first appearance."""
    counts = zip(table.counts["packets_sent"].tolist(), table.counts["packets_lost"].tolist(), strict=True)
    return tuple(
        PathSummary(src=src, dst=dst, packets_sent=sent, packets_lost=lost, rtt_median_ms=known(rtt_ms))
        for (src, dst), (sent, lost), rtt_ms in zip(table.pairs, counts, table.rtt_median_ms.tolist(), strict=True)
    )


def missing_pairs(table: PathTable, expected: Iterable[Pair]) -> tuple[Pair, ...]:
    """Expected pairs for which nothing was sent: no data, which says neither loss nor health."""
    sent = zip(table.pairs, table.counts["packets_sent"].tolist(), strict=True)
    present = {pair for pair, packets in sent if packets}
    return tuple(pair for pair in expected if pair not in present)


def detect(baseline: PathTable, current: PathTable) -> tuple[Anomaly, ...]:
    """The formal anomalies of the current window against the baseline, pair by pair.

    Pairs without a probe in `current` give none: `missing_pairs` names them.
    """
    now, before = figures(current), aligned(baseline, current.pairs)
    flags = _flags(now, before)
    rows = np.flatnonzero(np.any(list(flags.values()), axis=0)).tolist()
    return tuple(
        _anomaly(kind, current.pairs[row], row, now, before) for row in rows for kind, has in flags.items() if has[row]
    )


def _flags(now: Figures, before: Figures) -> dict[AnomalyKind, Flags]:
    is_unreachable = now.is_unreachable
    has_loss = now.has_loss & ~is_unreachable & (now.loss_pct >= np.nan_to_num(before.loss_pct) + LOSS_RISE_PCT)
    loses_df = (now.df_loss_pct >= DF_LOSS_PCT) & (
        now.df_loss_pct >= np.nan_to_num(before.df_loss_pct) + DF_LOSS_RISE_PCT
    )
    passes_small = (now.sent > 0) & ~is_unreachable & ~has_loss
    return {
        "path_unreachable": is_unreachable,
        "packet_loss": has_loss,
        "latency_spike": now.rtt_ms >= before.rtt_ms + LATENCY_RISE_MS,
        "mtu_or_fragmentation_suspect": passes_small & (loses_df | (now.df_errors > 0)),
    }


def baseline_problems(table: PathTable, expected_pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Why these measurements are no baseline, in words; empty when they are one.

    A baseline covers every pair on every port in every epoch, with don't-fragment probes too, reaches everybody, and
    shows neither loss nor delay nor trouble with the size of packets.
    """
    expected = list(expected_pairs)
    if not expected:
        return ("the mesh has no pairs: nothing was measured",)
    problems = [f"{src} to {dst}: no probe" for src, dst in missing_pairs(table, expected)]
    return (*problems, *coverage_problems(table, expected), *_unhealthy(table))


def coverage_problems(table: PathTable, expected: Iterable[Pair]) -> Iterator[str]:
    """Epochs in which a measured pair was not probed on every port, or by no don't-fragment probe."""
    places = {pair: place for place, pair in enumerate(table.pairs) if table.counts["packets_sent"][place]}
    measured = [(pair, places[pair]) for pair in expected if pair in places]
    short = (table.covered & ALL_PORTS) != ALL_PORTS
    no_df = table.df_covered == 0
    for column, epoch in enumerate(table.epochs):
        if not (short[:, column].any() or no_df[:, column].any()):
            continue
        for (src, dst), place in measured:
            if short[place, column]:
                ports = int(table.covered[place, column]).bit_count()
                yield f"{src} to {dst}: epoch {epoch} covers {ports} of {ALL_PORTS.bit_count()} source ports"
            elif no_df[place, column]:
                yield f"{src} to {dst}: epoch {epoch} has no don't-fragment probe"


def _unhealthy(table: PathTable) -> Iterator[str]:
    found = figures(table)
    is_slow, loses_df = found.rtt_ms >= LATENCY_RISE_MS, found.df_loss_pct >= DF_LOSS_PCT
    bad = found.is_unreachable | found.has_loss | is_slow | loses_df | (found.df_errors > 0)
    for row in np.flatnonzero(bad):
        name = f"{table.pairs[row][0]} to {table.pairs[row][1]}"
        if found.is_unreachable[row]:
            yield f"{name}: unreachable, all {found.sent[row]} probes were lost"
        elif found.has_loss[row]:
            yield f"{name}: {found.lost[row]} of {found.sent[row]} probes were lost"
        elif found.df_errors[row] > 0:
            yield f"{name}: {found.df_errors[row]} don't-fragment probes were refused by {table.pairs[row][0]} itself"
        elif loses_df[row]:
            yield f"{name}: {found.df_lost[row]} of {found.df_sent[row]} don't-fragment probes were lost"
        if is_slow[row]:
            yield f"{name}: the round trip takes {found.rtt_ms[row]:.1f} ms"


def port_detail(table: PathTable, src: str, dst: str) -> tuple[PortDetail, ...]:
    """Loss, delay and damage on each source port of one pair; empty when the pair has no rows."""
    if (src, dst) not in table.pairs:
        return ()
    row = table.pairs.index((src, dst))
    return tuple(
        PortDetail(
            port=table.first_port + bit,
            packets_sent=int(table.ports["ports_sent"][row, bit]),
            packets_lost=int(table.ports["ports_lost"][row, bit]),
            packets_corrupted=int(table.ports["ports_corrupted"][row, bit]),
            df_sent=int(table.ports["df_ports_sent"][row, bit]),
            df_lost=int(table.ports["df_ports_lost"][row, bit]),
            rtt_median_ms=known(table.port_median_ms[row, bit]),
            rtt_max_ms=known(table.port_max_ms[row, bit]),
        )
        for bit in range(table.port_median_ms.shape[1])
    )


def aligned(table: PathTable, pairs: Iterable[Pair]) -> Figures:
    """The table's figures in the order of `pairs`; for a pair that it lacks, 0 sent and NaN."""
    places = {pair: place for place, pair in enumerate(table.pairs)}
    order = np.array([places.get(pair, -1) for pair in pairs], dtype=np.int64)
    found = figures(table)
    wholes = (found.sent, found.lost, found.df_sent, found.df_lost, found.df_errors)
    sent, lost, df_sent, df_lost, df_errors = (np.append(values, 0)[order] for values in wholes)
    reals = (found.loss_pct, found.rtt_ms, found.df_loss_pct)
    loss_pct, rtt_ms, df_loss_pct = (np.append(values, np.nan)[order] for values in reals)
    return Figures(sent, lost, loss_pct, rtt_ms, df_sent, df_lost, df_loss_pct, df_errors)


def known(value: float) -> float | None:
    """The value as a plain number; None for NaN."""
    return None if np.isnan(value) else float(value)


def _anomaly(kind: AnomalyKind, pair: Pair, row: int, now: Figures, before: Figures) -> Anomaly:
    return Anomaly(
        kind=kind,
        src=pair[0],
        dst=pair[1],
        packets_sent=int(now.sent[row]),
        packets_lost=int(now.lost[row]),
        loss_pct=known(now.loss_pct[row]),
        baseline_loss_pct=known(before.loss_pct[row]),
        rtt_median_ms=known(now.rtt_ms[row]),
        baseline_rtt_median_ms=known(before.rtt_ms[row]),
        df_sent=int(now.df_sent[row]),
        df_lost=int(now.df_lost[row]),
        df_send_errors=int(now.df_errors[row]),
        baseline_df_loss_pct=known(before.df_loss_pct[row]),
    )


def _share_pct(part: Wholes, whole: Wholes) -> Reals:
    return np.where(whole > 0, 100 * part / np.maximum(whole, 1), np.nan)


def _explained_df_errors(table: PathTable) -> Wholes:
    """Per pair, local errors of don't-fragment probes that are a consequence of a failure of the path.

    They are when the same path and batch of sockets lost at least `LOST_PROBES` ordinary probes over the window and
    had no other local error.
    """
    found = np.zeros(len(table), np.int64)
    width = table.port_median_ms.shape[1]
    starts = [bit for bit in range(width) if table.batch_starts >> bit & 1] or [0]
    for first, end in zip(starts, [*starts[1:], width], strict=True):
        lost, refused, df_refused = (
            table.ports[name][:, first:end].sum(axis=1) for name in ("ports_lost", "ports_refused", "df_ports_refused")
        )
        found += np.where((lost >= LOST_PROBES) & (refused == 0), df_refused, 0)
    return found
