"""Pingmesh records of one window, added up per ordered pair and per source port, in arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from netopsbench.records.telemetry import Probe, Window
from netopsbench.telemetry.batch import Batch
from netopsbench.telemetry.schedule import FIRST_PORT, PORTS
from netopsbench.telemetry.tables import Where, to_batches

Pair = tuple[str, str]
Wholes: TypeAlias = npt.NDArray[np.int64]
Reals: TypeAlias = npt.NDArray[np.float64]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

MASKS = (
    "ports_sent",
    "ports_lost",
    "ports_refused",
    "ports_corrupted",
    "df_ports_sent",
    "df_ports_lost",
    "df_ports_refused",
    "batch_starts",
)
COUNTS = ("packets_sent", "packets_lost", "send_errors", "packets_corrupted", "df_sent", "df_lost", "df_send_errors")
COLUMNS = ("src", "dst", "epoch", "first_port", "rtt_avg_ms", "rtt_ms_by_port", *COUNTS, *MASKS)
"""All that a path table needs of a probe record."""


class Columns(Protocol):
    """A store that hands out single columns."""

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]: ...


@dataclass(frozen=True)
class PathTable:
    """Figures of one window. Arrays have one entry per pair; those of ports one row per pair, one column per port."""

    pairs: tuple[Pair, ...]
    """In order of first appearance."""
    epochs: tuple[int, ...]
    """Epochs that have rows."""
    first_port: int
    """Source port of the first column."""
    batch_starts: int
    """Bit mask of the ports that begin a batch."""
    counts: dict[str, Wholes]
    """`COUNTS`, over all epochs."""
    ports: dict[str, Wholes]
    """How many of the epochs have the port in each of `MASKS`."""
    rtt_median_ms: Reals
    """Median over the epochs of the mean round trip; NaN when nothing was answered."""
    port_median_ms: Reals
    port_max_ms: Reals
    covered: Wholes
    """Per pair and epoch the bit mask of source ports that sent a probe."""
    df_covered: Wholes

    def __len__(self) -> int:
        return len(self.pairs)


def measured(store: Columns, window: Window, where: Where | None = None) -> PathTable:
    """What the records of a window say, or those of them whose fields have the given values."""
    return table_of(store.query_columns("probe", COLUMNS, window, where))


def table_of_probes(probes: Sequence[Probe]) -> PathTable:
    """The table of records that are at hand."""
    return table_of(to_batches(probes))


def table_of(batches: Sequence[Batch]) -> PathTable:
    """The table of these probe rows, of which `COLUMNS` are needed."""
    base = min((int(first) for batch in batches for first in batch.columns["first_port"].values), default=FIRST_PORT)
    rows = _joined([_arrays(batch, base) for batch in batches if batch.rows])
    pairs, group = _grouped([batch for batch in batches if batch.rows])
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(pairs)))
    epochs, epoch_of = np.unique(rows["epoch"], return_inverse=True)
    port_rtt = _by_group(rows["rtt_ms_by_port"], group, order, starts)
    covered, df_covered = (np.zeros((len(pairs), len(epochs)), np.int64) for _ in range(2))
    np.bitwise_or.at(covered, (group, epoch_of), rows["ports_sent"])
    np.bitwise_or.at(df_covered, (group, epoch_of), rows["df_ports_sent"])
    return PathTable(
        pairs=pairs,
        epochs=tuple(int(epoch) for epoch in epochs),
        first_port=base,
        batch_starts=int(rows["batch_starts"][0]) if pairs else 1,
        counts={name: _sums(rows[name][order], starts) for name in COUNTS},
        ports={name: _sums(_bits(rows[name][order], port_rtt.shape[-1]), starts) for name in MASKS},
        rtt_median_ms=_median(_by_group(rows["rtt_avg_ms"], group, order, starts)),
        port_median_ms=_median(np.swapaxes(port_rtt, 1, 2)),
        port_max_ms=_greatest(np.swapaxes(port_rtt, 1, 2)),
        covered=covered,
        df_covered=df_covered,
    )


def _arrays(batch: Batch, base: int) -> Arrays:
    """A batch's numbers, its ports counted from `base` on."""
    found: Arrays = {
        name: np.frombuffer(batch.columns[name].values, dtype=np.int64) for name in (*COUNTS, *MASKS, "epoch")
    }
    shift = np.frombuffer(batch.columns["first_port"].values, dtype=np.int64) - base
    found |= {name: found[name] << shift for name in MASKS}
    found["rtt_avg_ms"] = np.frombuffer(batch.columns["rtt_avg_ms"].values, dtype=np.float64)
    trips = batch.columns["rtt_ms_by_port"]
    by_port = np.frombuffer(trips.values, dtype=np.float64).reshape(batch.rows, trips.width)
    wide = np.full((batch.rows, max(PORTS, trips.width + int(shift.max()))), np.nan)
    columns = shift[:, None] + np.arange(trips.width)
    np.put_along_axis(wide, columns, by_port, axis=1)
    found["rtt_ms_by_port"] = wide
    return found


def _joined(parts: Sequence[Arrays]) -> Arrays:
    if not parts:
        empty: Arrays = {name: np.zeros(0, np.int64) for name in (*COUNTS, *MASKS, "epoch")}
        return empty | {"rtt_avg_ms": np.zeros(0), "rtt_ms_by_port": np.zeros((0, PORTS))}
    width = max(part["rtt_ms_by_port"].shape[1] for part in parts)
    for part in parts:
        missing = width - part["rtt_ms_by_port"].shape[1]
        part["rtt_ms_by_port"] = np.pad(part["rtt_ms_by_port"], ((0, 0), (0, missing)), constant_values=np.nan)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _grouped(batches: Sequence[Batch]) -> tuple[tuple[Pair, ...], Wholes]:
    """The pairs in order of first appearance, and which of them each row belongs to."""
    names: dict[str, int] = {}
    ends = [np.concatenate([np.zeros(0, np.int64), *_codes(batches, end, names)]) for end in ("src", "dst")]
    keys = ends[0] * max(len(names), 1) + ends[1]
    found, first, group = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    texts = tuple(names)
    chosen = found[np.argsort(first)]
    pairs = tuple((texts[key // len(texts)], texts[key % len(texts)]) for key in chosen.tolist())
    return pairs, rank[group]


def _codes(batches: Sequence[Batch], end: str, names: dict[str, int]) -> Iterable[Wholes]:
    for batch in batches:
        column = batch.columns[end]
        known = np.array([names.setdefault(text, len(names)) for text in column.texts], dtype=np.int64)
        yield known[np.frombuffer(column.values, dtype=np.int32)]


def _sums(ordered: Wholes, starts: Wholes) -> Wholes:
    return np.add.reduceat(ordered, starts, axis=0) if len(starts) else ordered


def _bits(masks: Wholes, width: int) -> Wholes:
    return (masks[:, None] >> np.arange(width)) & 1


def _by_group(values: Reals, group: Wholes, order: Wholes, starts: Wholes) -> Reals:
    """The rows of each group side by side, NaN where a group has fewer than others."""
    place = np.arange(len(group)) - starts[group[order]]
    most = int(place.max(initial=0)) + 1
    found = np.full((len(starts), most, *values.shape[1:]), np.nan)
    found[group[order], place] = values[order]
    return found


def _median(values: Reals) -> Reals:
    """Median over the last axis of what is not NaN; NaN where nothing is left."""
    # numpy's own nanmedian takes a minute for the largest mesh.
    ordered = np.sort(values, axis=-1)
    known = np.count_nonzero(~np.isnan(ordered), axis=-1)[..., None]
    low = np.take_along_axis(ordered, np.maximum(known - 1, 0) // 2, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(known // 2, ordered.shape[-1] - 1), axis=-1)
    found: Reals = np.where(known > 0, (low + high) / 2, np.nan)[..., 0]
    return found


def _greatest(values: Reals) -> Reals:
    found: Reals = np.where(np.isnan(values), -np.inf, values).max(axis=-1, initial=-np.inf)
    return np.where(np.isinf(found), np.nan, found)
