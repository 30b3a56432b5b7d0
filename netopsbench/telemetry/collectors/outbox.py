"""Hands what was collected to the store; standard library only."""

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from netopsbench.core import sockets
from netopsbench.telemetry import frames
from netopsbench.telemetry.batch import Batch, encode
from netopsbench.telemetry.collectors.rows import Gathered, Row, to_batch

STORE_TIMEOUT_S = 60.0


class StoreRefusedError(Exception):
    """The store didn't acknowledge what it was given."""


class Outbox:
    """A connection to the store's owner."""

    def __init__(self, store: Path) -> None:
        """Raises OSError when nobody listens there."""
        self._peer: socket.socket = sockets.connect(store, STORE_TIMEOUT_S)

    def send(self, rows: Mapping[str, Sequence[Row]]) -> int:
        """Store the rows, all or none; returns how many. Raises StoreRefusedError or OSError."""
        batches: list[Batch] = [to_batch(kind, some) for kind, some in rows.items() if some]
        if not batches:
            return 0
        described, payload = encode(batches)
        frames.send(self._peer, {"op": "append", "batches": described}, payload)
        reply = frames.receive(self._peer)
        written = sum(batch.rows for batch in batches)
        if reply is None or reply[0].get("rows") != written:
            raise StoreRefusedError("it hung up" if reply is None else str(reply[0].get("error", reply[0])))
        return written


def accounted(number: int, t_ns: int, gathered: Mapping[str, Gathered]) -> dict[str, list[Row]]:
    """The rows of one poll of each collector, with its gaps and a health record of each."""
    rows: dict[str, list[Row]] = {"collector_gap": [], "collector_health": []}
    for collector, found in gathered.items():
        for kind, some in found.rows.items():
            rows.setdefault(kind, []).extend(some)
        rows["collector_gap"] += found.gaps
        rows["collector_health"].append(_health(number, t_ns, collector, found))
    return rows


def _health(number: int, t_ns: int, collector: str, found: Gathered) -> Row:
    written = sum(len(some) for some in found.rows.values())
    named = [f"{gap.source}: {gap.what}" if gap.source else gap.what for gap in found.gaps]
    message = "; ".join(named[:3]) + (f"; and {len(named) - 3} more" if len(named) > 3 else "")
    return t_ns, collector, number, not found.gaps, written, 0, 0, 0, 0, message
