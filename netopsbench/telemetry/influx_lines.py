"""Records to line protocol and back, one declared type per field."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any

from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.batch import Batch, Column, ColumnType
from netopsbench.telemetry.influx_address import NAME
from netopsbench.telemetry.influx_names import (
    DELIVERY_FIELD,
    RECORD_FIELD,
    TOPOLOGY_TAG,
    TWIN_TAG,
    Measurement,
    measurement_of,
    published_columns,
)
from netopsbench.telemetry.tables import Where, row_values, tables, to_column

LONGEST_RECORD = 60_000
"""InfluxDB 1.x refuses texts of 64 KiB and more."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Texts = Iterable[str]


class LineMaker:
    """Makes the lines of one store, and remembers what it made so that no two points are taken for one."""

    def __init__(self, store: str, topology_id: str) -> None:
        self._store = store
        self._suffix = f",{TOPOLOGY_TAG}={topology_id}"
        self._latest: dict[str, tuple[int, int]] = {}
        """Series to its latest time, and how many points of the series have that time."""
        self._belated: dict[tuple[str, int], int] = {}
        """How many points of a series came with a time before its latest; hardly any do."""

    def lines(self, batch: Batch, delivery: int, first_row: int = 0) -> list[str]:
        """One line per row. Raises InfraError("telemetry_failed") for a name that line protocol can't carry."""
        measurement = measurement_of(batch.kind)
        values = {name: list(row_values(batch.columns[name], batch.rows)) for name in tables()[batch.kind]}
        series = self._series(batch.kind, measurement, values, batch.rows)
        fields = _fields(batch.kind, values, batch.rows)
        mark = f'{DELIVERY_FIELD}="{self._store}.{delivery}",{RECORD_FIELD}='
        found = []
        for row, (name, field, t_ns, record) in enumerate(
            zip(series, fields, values["t_ns"], zip(*values.values(), strict=True), strict=True)
        ):
            text = json.dumps([self._store, delivery, first_row + row, *record], separators=(",", ":"))
            if len(text) > LONGEST_RECORD:
                raise InfraError("telemetry_failed", f"a {batch.kind} record of {len(text)} characters is too long")
            found.append(f"{name}{self._twin(name, t_ns)} {field}{mark}{_quoted(text)} {t_ns}")
        return found

    def _series(
        self, kind: str, measurement: Measurement, values: Mapping[str, Sequence[Any]], rows: int
    ) -> Iterator[str]:
        parts: list[Iterable[str]] = [repeat(measurement.name, rows)]
        for column, tags in measurement.tags.items():
            tagged = {
                value: "".join(f",{tag}={_name(kind, column, value)}" for tag in tags) if value else ""
                for value in set(values[column])
            }
            parts.append(map(tagged.__getitem__, values[column]))
        parts.append(repeat(self._suffix, rows))
        return map("".join, zip(*parts, strict=True))

    def _twin(self, series: str, t_ns: int) -> str:
        latest, count = self._latest.get(series, (t_ns - 1, 0))
        if t_ns > latest:
            self._latest[series] = (t_ns, 1)
            return ""
        if t_ns == latest:
            self._latest[series] = (t_ns, count + 1)
            return f",{TWIN_TAG}={count}"
        belated = self._belated.get((series, t_ns), 0)
        self._belated[series, t_ns] = belated + 1
        return f",{TWIN_TAG}=late{belated}"


def _fields(kind: str, values: Mapping[str, Sequence[Any]], rows: int) -> Iterator[str]:
    """The published fields of each row, each with a comma behind it; a value that is missing is left out."""
    parts: list[Iterable[str]] = [repeat("", rows)]
    for column, field in published_columns(kind).items():
        parts.append(_field(field, _WRITTEN[tables()[kind][column]], values[column]))
    if kind == "probe":
        counted = zip(values["packets_sent"], values["packets_lost"], strict=True)
        parts.append(f"packet_loss={100 * lost / sent!r}," if sent else "" for sent, lost in counted)
    return map("".join, zip(*parts, strict=True))


def _field(name: str, write: Callable[[Any], str], values: Iterable[Any]) -> Iterator[str]:
    return ("" if value is None else f"{name}={write(value)}," for value in values)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _name(kind: str, column: str, value: str) -> str:
    if not NAME.match(value):
        raise InfraError(
            "telemetry_failed",
            f"{kind}.{column} is {value!r}; InfluxDB takes letters, digits and . _ : / @ + - in names",
        )
    return value


_WRITTEN: Mapping[ColumnType, Callable[[Any], str]] = {
    "whole": "{}i".format,
    "real": repr,
    "flag": {True: "true", False: "false"}.__getitem__,
    # What is shown in dashboards; the exact text is in the record.
    "text": lambda value: _quoted(_CONTROL.sub(" ", value)),
}


@cache
def _columns(kind: str) -> tuple[str, ...]:
    return tuple(tables()[kind])


def read_batches(
    kind: str, texts: Texts, store: str | None, window: Window | None = None, where: Where | None = None
) -> list[Batch]:
    """The rows in records of `store` (None: of all), oldest first; lists that differ in length part batches.

    Raises InfraError("telemetry_failed") for a record that another version wrote.
    """
    names = _columns(kind)
    rows = [row for row in json.loads(f"[{','.join(texts)}]") if store is None or row[0] == store]
    if any(len(row) != len(names) + 3 for row in rows):
        raise InfraError("telemetry_failed", f"{kind} records in this bucket were written by another version")
    time = names.index("t_ns") + 3
    conditions = [(names.index(name) + 3, value) for name, value in (where or {}).items()]
    kept = [
        row
        for row in rows
        if (window is None or window.since_ns <= row[time] < window.until_ns)
        and all(row[place] == value for place, value in conditions)
    ]
    # Rows of one time stay in the order in which they were handed over.
    kept.sort(key=lambda row: (row[time], row[0], row[1], row[2]))
    return [_batch(kind, group) for group in _by_shape(kind, kept)]


def _by_shape(kind: str, rows: list[list[Any]]) -> Iterable[list[list[Any]]]:
    lists = [place + 3 for place, type_ in enumerate(tables()[kind].values()) if type_ == "reals"]
    if not lists:
        return [rows] if rows else []
    groups: dict[tuple[int, ...], list[list[Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(len(row[place]) for place in lists), []).append(row)
    return groups.values()


def _batch(kind: str, rows: Sequence[list[Any]]) -> Batch:
    _, _, _, *values = zip(*rows, strict=True)
    columns: dict[str, Column] = {
        name: to_column(type_, found) for (name, type_), found in zip(tables()[kind].items(), values, strict=True)
    }
    return Batch(kind, len(rows), columns)
