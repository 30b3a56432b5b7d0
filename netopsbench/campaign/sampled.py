"""Telemetry of a window, looked at at the end of each of its steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netopsbench.records.telemetry import NodeCounters, Window
from netopsbench.telemetry.batch import TYPE_CODES, Batch, Column
from netopsbench.telemetry.store import Store

_UP = "Established"
_REFUSED_BY_PORT = ("in_discards", "in_errors", "out_discards", "out_errors")
_REFUSED_BY_NODE = tuple(name for name in NodeCounters.model_fields if name.startswith(("ip_", "tcp_", "icmp_")))

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Lines = dict[str, Reals]
"""A name and its value at the end of each step, NaN where none is known."""


@dataclass(frozen=True)
class Steps:
    """The steps of a window."""

    ends: Wholes
    """Nanoseconds."""
    good_ns: int
    """How long an answer tells the state of things, unless another one comes."""

    def held(self, times: Wholes, values: Reals) -> Reals:
        """At the end of each step the last value that is still good; `times` in their order."""
        last = np.searchsorted(times, self.ends, side="right") - 1
        is_known = (last >= 0) & (self.ends - times[last] <= self.good_ns)
        return np.where(is_known, values[last], np.nan)

    def rate(self, times: Wholes, counts: Reals) -> Reals:
        """What was counted a second between the readings around the end of each step."""
        following = np.searchsorted(times, self.ends, side="left")
        is_known = (following > 0) & (following < len(times))
        after = np.clip(following, 1, max(1, len(times) - 1))
        if len(times) < 2:
            return np.full(len(self.ends), np.nan)
        rise = counts[after] - counts[after - 1]
        # A counter that fell was set to 0 in between.
        rise = np.where(rise < 0, counts[after], rise)
        span_ns = times[after] - times[after - 1]
        is_known &= (span_ns > 0) & (span_ns <= self.good_ns)
        return np.where(is_known, rise / np.maximum(span_ns, 1) * 1e9, np.nan)


def sampled_sessions(store: Store, window: Window, steps: Steps) -> tuple[Lines, Lines]:
    """Established sessions of each switch, and the prefixes that they receive."""
    established, received = Lines(), Lines()
    keys, figures = ("source", "neighbor_address"), ("session_state", "prefixes_received")
    for (switch, _), times, values in _series(store, window, "bgp_neighbor", keys, figures):
        _add(established, switch, steps.held(times, values[:, 0]))
        _add(received, switch, steps.held(times, values[:, 0] * values[:, 1]))
    return established, received


def sampled_packets(store: Store, window: Window, steps: Steps) -> tuple[Lines, Lines]:
    """Packets that each port received a second, and that each port and node refused."""
    received, refused = Lines(), Lines()
    figures = ("in_packets", *_REFUSED_BY_PORT)
    for (node, port), times, values in _series(store, window, "interface_counters", ("source", "interface"), figures):
        received[f"{node}:{port}"] = steps.rate(times, values[:, 0])
        refused[f"{node}:{port}"] = steps.rate(times, values[:, 1:].sum(axis=1))
    for (node,), times, values in _series(store, window, "node_counters", ("source",), _REFUSED_BY_NODE):
        refused[node] = steps.rate(times, values.sum(axis=1))
    return received, refused


def whole(lines: Lines) -> Reals:
    """All lines together; NaN where none of them is known."""
    known = np.array(list(lines.values()))
    return np.where(np.isnan(known).all(axis=0), np.nan, np.nansum(known, axis=0))


def _add(lines: Lines, name: str, values: Reals) -> None:
    lines[name] = whole({"": lines[name], name: values}) if name in lines else values


def _series(
    store: Store, window: Window, kind: str, keys: Sequence[str], figures: Sequence[str]
) -> Iterator[tuple[list[str], Wholes, Reals]]:
    """For each combination of `keys` the times of its records, in their order, and their `figures` as columns."""
    batches = store.query_columns(kind, ("t_ns", *keys, *figures), window)
    if not batches:
        return
    times = np.concatenate([np.array(batch.columns["t_ns"].values, dtype=np.int64) for batch in batches])
    values = np.concatenate(
        [np.stack([_numbers(batch.columns[name]) for name in figures], axis=1) for batch in batches]
    )
    names, owner = np.unique(np.concatenate([_labels(batch, keys) for batch in batches]), return_inverse=True)
    order = np.lexsort((times, owner))
    for rows in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        if len(rows):
            yield str(names[owner[rows[0]]]).split("\n"), times[rows], values[rows]


def _numbers(column: Column) -> Reals:
    """A column's numbers; of session states, 1 for those that work."""
    flat = np.frombuffer(column.values, dtype=np.dtype(TYPE_CODES[column.type])).astype(np.float64)
    if column.type != "text":
        return flat
    is_up = np.array([*(text == _UP for text in column.texts), False], dtype=np.float64)
    return is_up[flat.astype(np.int64)]


def _labels(batch: Batch, keys: Sequence[str]) -> npt.NDArray[np.str_]:
    """The keys of each row in one text, a line each."""
    columns = [batch.columns[key] for key in keys]
    rows = zip(*([column.texts[int(code)] for code in column.values] for column in columns), strict=True)
    return np.array(["\n".join(row) for row in rows], dtype=np.str_)
