"""The embedded store: one DuckDB file, filled in columns."""

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.batch import (
    NO_WHOLE,
    TYPE_CODES,
    Batch,
    Column,
    ColumnType,
    Numbers,
    text_column,
)
from netopsbench.telemetry.entry import FURTHEST_S, check_entry
from netopsbench.telemetry.tables import Where, checked_columns, checked_query, tables, to_batches, to_records

SQL_TYPES = {"whole": "BIGINT", "real": "DOUBLE", "flag": "BOOLEAN", "text": "VARCHAR", "reals": "DOUBLE[]"}
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "160MB",
    # A checkpoint in the middle of a trial would hold up an epoch of the largest mesh for a third of a second;
    # what isn't in the file yet is in the log beside it.
    "checkpoint_threshold": "256MB",
    # An extension would be fetched over the network in the middle of a trial.
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

Arrays = dict[str, npt.NDArray[Any]]


class DuckDbStore:
    """A DuckDB file and the only process that may open it."""

    def __init__(self, path: Path, furthest_s: float = FURTHEST_S) -> None:
        """`furthest_s`: how far from now the times of records may lie."""
        self._path = path
        self._furthest_s = furthest_s
        with self._translated("opened"):
            self._connection = duckdb.connect(str(path), config=SETTINGS)
            for kind, columns in tables().items():
                fields = ", ".join(f'"{name}" {SQL_TYPES[type_]}' for name, type_ in columns.items())
                self._connection.execute(f'CREATE TABLE IF NOT EXISTS "{kind}" ({fields})')

    def append(self, records: Sequence[Record]) -> int:
        return self.append_batches(to_batches(records))

    def append_batches(self, batches: Sequence[Batch]) -> int:
        """Store whole batches in one transaction; returns the number of rows.

        Raises InfraError("telemetry_failed") for what `check_entry` refuses, or a write that failed.
        """
        check_entry(batches, self._furthest_s)
        with self._translated("written"), self._connection.cursor() as cursor:
            cursor.begin()
            for batch in batches:
                _insert(cursor, batch)
            cursor.commit()
        return sum(batch.rows for batch in batches)

    def query(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Record]:
        batches = self.query_batches(kind, window, where)
        records = [record for batch in batches for record in to_records(batch)]
        return records if len(batches) == 1 else sorted(records, key=lambda record: record.t_ns)

    def query_batches(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Batch]:
        """Like `query`, in columns; rows whose lists differ in length come in separate batches."""
        source, arguments = _source(kind, window, where)
        with self._translated("read"), self._connection.cursor() as cursor:
            return list(_read(cursor, kind, source, arguments))

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]:
        checked_columns(kind, names)
        source, arguments = _source(kind, window, where)
        with self._translated("read"), self._connection.cursor() as cursor:
            return list(_read_columns(cursor, kind, names, source, arguments))

    def counts(self, window: Window | None = None) -> dict[str, int]:
        with self._translated("read"), self._connection.cursor() as cursor:
            sources = {kind: _source(kind, window, None) for kind in tables()}
            return {
                kind: _count(cursor, f"SELECT count(*) FROM {source}", arguments)
                for kind, (source, arguments) in sources.items()
            }

    def close(self) -> None:
        with self._translated("closed"):
            self._connection.close()

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            raise InfraError(
                "telemetry_failed", f"the telemetry store {self._path} can't be {what}: {error}"
            ) from error


def _insert(cursor: duckdb.DuckDBPyConnection, batch: Batch) -> None:
    arrays: Arrays = {}
    texts: list[Any] = []
    values: list[str] = []
    for number, column in enumerate(batch.columns.values()):
        flat = np.frombuffer(column.values, dtype=np.dtype(TYPE_CODES[column.type]))
        if column.type == "reals":
            split = flat.reshape(batch.rows, column.width)
            parts = {f"c{number}_{i}": np.ascontiguousarray(split[:, i]) for i in range(column.width)}
            arrays |= parts
            values.append(f"[{', '.join(_value('real', part) for part in parts)}]::DOUBLE[]")
        else:
            arrays[f"c{number}"] = flat
            values.append(_value(column.type, f"c{number}"))
        if column.type == "text":
            texts.append(list(column.texts))
    names = ", ".join(f'"{name}"' for name in batch.columns)
    cursor.register("batch", arrays)
    try:
        cursor.execute(f'INSERT INTO "{batch.kind}" ({names}) SELECT {", ".join(values)} FROM batch', texts)
    finally:
        cursor.unregister("batch")


def _source(kind: str, window: Window | None, where: Where | None) -> tuple[str, list[str | int]]:
    """What follows FROM, and its arguments."""
    conditions = ["t_ns >= ? AND t_ns < ?"] if window else []
    arguments: list[str | int] = [window.since_ns, window.until_ns] if window else []
    for name, value in checked_query(kind, where).items():
        conditions.append(f'"{name}" = ?')
        arguments.append(value)
    return f'"{kind}" WHERE {" AND ".join(conditions) or "TRUE"}', arguments


def _value(type_: ColumnType, name: str) -> str:
    """SQL for one field of a row of the registered arrays."""
    if type_ == "real":
        return f"nullif({name}, 'NaN'::DOUBLE)"
    if type_ == "text":
        # DuckDB counts list entries from 1 and gives NULL for entry 0, the code of None.
        return f"list_extract(?::VARCHAR[], {name} + 1)"
    whole = f"nullif({name}, {NO_WHOLE})"
    return f"({whole})::BOOLEAN" if type_ == "flag" else whole


def _read(cursor: duckdb.DuckDBPyConnection, kind: str, source: str, arguments: list[str | int]) -> Iterator[Batch]:
    columns = tables()[kind]
    lists = [name for name, type_ in columns.items() if type_ == "reals"]
    lengths = ", ".join(f'len("{name}")' for name in lists) or "1"
    shapes = cursor.execute(f"SELECT DISTINCT {lengths} FROM {source} ORDER BY ALL", arguments).fetchall()
    for shape in shapes:
        widths = dict(zip(lists, shape, strict=False))
        same = " AND ".join(f'len("{name}") = {width}' for name, width in widths.items()) or "TRUE"
        chosen = f"(SELECT *, rowid AS place FROM {source}) WHERE {same} ORDER BY t_ns, place"
        plain = ", ".join(f'"{name}"' for name in columns if name not in lists)
        arrays: Arrays = cursor.execute(f"SELECT {plain} FROM {chosen}", arguments).fetchnumpy()
        rows = len(arrays["t_ns"])
        for name in lists:
            # One long array instead of a Python list per row.
            items = f'SELECT unnest("{name}") AS item FROM (SELECT "{name}" FROM {chosen})'
            arrays[name] = cursor.execute(items, arguments).fetchnumpy()["item"]
        found = {name: _column(type_, arrays[name], widths.get(name, 1)) for name, type_ in columns.items()}
        yield Batch(kind, rows, found)


def _column(type_: ColumnType, values: npt.NDArray[Any], width: int) -> Column:
    if type_ == "text":
        # A masked array's own list has None where there is nothing; NumPy would fill the gaps with "?".
        return text_column(values.tolist())
    missing, dtype = (np.nan, np.float64) if type_ in ("real", "reals") else (NO_WHOLE, np.int64)
    filled = np.ma.filled(np.ma.asarray(values).astype(dtype), missing)
    numbers: Numbers = array(TYPE_CODES[type_])
    numbers.frombytes(filled.tobytes())
    return Column(type_, numbers, width=width)


def _read_columns(
    cursor: duckdb.DuckDBPyConnection, kind: str, names: Sequence[str], source: str, arguments: list[str | int]
) -> Iterator[Batch]:
    types = {name: tables()[kind][name] for name in names}
    lists = [name for name, type_ in types.items() if type_ == "reals"]
    lengths = ", ".join(f'len("{name}")' for name in lists) or "1"
    for shape in cursor.execute(f"SELECT DISTINCT {lengths} FROM {source} ORDER BY ALL", arguments).fetchall():
        widths = dict(zip(lists, shape, strict=False))
        same = " AND ".join(f'len("{name}") = {width}' for name, width in widths.items()) or "TRUE"
        items = [
            f'"{name}"[{place + 1}] AS "{name}{place}"' for name, width in widths.items() for place in range(width)
        ]
        plain = [f'"{name}"' for name in names if name not in lists]
        sql = f"SELECT {', '.join([*plain, *items])} FROM {source} AND {same}"
        arrays: Arrays = cursor.execute(sql, arguments).fetchnumpy()
        for name, width in widths.items():
            parts = [np.ma.filled(arrays[f"{name}{place}"], np.nan) for place in range(width)]
            arrays[name] = np.stack(parts, axis=1) if parts else np.zeros((0, 0))
        rows = len(next(iter(arrays.values())))
        yield Batch(
            kind, rows, {name: _column(type_, arrays[name], widths.get(name, 1)) for name, type_ in types.items()}
        )


def _count(cursor: duckdb.DuckDBPyConnection, sql: str, arguments: list[str | int]) -> int:
    row = cursor.execute(sql, arguments).fetchone()
    return int(row[0]) if row else 0
