"""The telemetry of a recorded case: all columns of its records, read as a store is read."""

import json
import struct
from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.batch import NO_TEXT, TYPE_CODES, Batch, Column, chosen, decode, encode
from netopsbench.telemetry.tables import Where, checked_columns, checked_query, tables, to_batches, to_records
from netopsbench.tools.telemetry.mesh import Telemetry

_LENGTH = struct.Struct("<I")
Flags = npt.NDArray[np.bool_]


def packed_records(store: Telemetry, span: Window) -> bytes:
    """Every record that a store holds of a time, as bytes."""
    batches = [batch for kind in tables() for batch in to_batches(store.query(kind, span))]
    described, payload = encode(batches)
    head = json.dumps(described, separators=(",", ":")).encode()
    return b"".join((_LENGTH.pack(len(head)), head, *payload))


class RecordedStore:
    """What `packed_records` kept; asked like a store, it answers like one."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    @cached_property
    def _batches(self) -> list[Batch]:
        """Unpacked when somebody asks. Raises ValueError when bytes are missing."""
        (length,) = _LENGTH.unpack_from(self._packed)
        start = _LENGTH.size + length
        return decode(json.loads(self._packed[_LENGTH.size : start]), memoryview(self._packed)[start:])

    def query(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Record]:
        records = [record for batch in self._chosen(kind, window, where) for record in to_records(batch)]
        return sorted(records, key=lambda record: record.t_ns)

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]:
        checked_columns(kind, names)
        return [chosen(batch, names) for batch in self._chosen(kind, window, where)]

    def _chosen(self, kind: str, window: Window | None, where: Where | None) -> list[Batch]:
        wanted = checked_query(kind, where)
        found = []
        for batch in self._batches:
            if batch.kind == kind:
                rows = np.flatnonzero(_matching(batch, window, wanted))
                if len(rows):
                    found.append(batch if len(rows) == batch.rows else _rows(batch, rows))
        return found


def no_records() -> RecordedStore:
    """The telemetry of a network that nobody measures."""
    return RecordedStore(_LENGTH.pack(2) + b"[]")


def _values(column: Column) -> npt.NDArray[Any]:
    return np.frombuffer(column.values, dtype=np.dtype(TYPE_CODES[column.type]))


def _matching(batch: Batch, window: Window | None, where: Where) -> Flags:
    flags: Flags = np.ones(batch.rows, dtype=np.bool_)
    if window is not None:
        times = _values(batch.columns["t_ns"])
        flags &= (times >= window.since_ns) & (times < window.until_ns)
    for name, value in where.items():
        column = batch.columns[name]
        flags &= _values(column) == (_code(column, value) if column.type == "text" else value)
    return flags


def _code(column: Column, value: str | int) -> int:
    """What stands for a text in its column; a number that no row has when the text isn't there."""
    return column.texts.index(str(value)) if value in column.texts else NO_TEXT - 1


def _rows(batch: Batch, rows: npt.NDArray[np.int64]) -> Batch:
    columns = {}
    for name, column in batch.columns.items():
        values = _values(column).reshape(batch.rows, column.width)[rows]
        kept = array(TYPE_CODES[column.type])
        kept.frombytes(np.ascontiguousarray(values).tobytes())
        columns[name] = Column(column.type, kept, column.texts, column.width)
    return Batch(batch.kind, len(rows), columns)
