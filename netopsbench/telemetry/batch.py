"""Records of one kind as columns: the form in which they travel between processes and enter a store.

The prober uses it inside the sandbox, so it needs the standard library only.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

ColumnType = Literal["whole", "real", "flag", "text", "reals"]
"""Whole numbers, real numbers, yes or no, text, and a list of real numbers per row."""

TYPE_CODES: Mapping[ColumnType, Literal["q", "d", "i"]] = {
    "whole": "q",
    "real": "d",
    "flag": "q",
    "text": "i",
    "reals": "d",
}
NO_WHOLE = -(2**63)
"""Stands for None in a column of whole numbers; NaN does so among real ones."""
NO_TEXT = -1
"""Stands for None among the codes of a text column."""

# Only from Python 3.12 on can arrays be subscripted when the module runs.
Numbers: TypeAlias = "array[int] | array[float]"


@dataclass(frozen=True)
class Column:
    """One field of every row."""

    type: ColumnType
    values: Numbers
    """One entry per row (`width` entries for `reals`); for text an index into `texts`."""
    texts: Sequence[str] = ()
    width: int = 1
    """List entries per row; the same in all rows of a batch."""


@dataclass(frozen=True)
class Batch:
    """Rows of one kind of record."""

    kind: str
    rows: int
    columns: Mapping[str, Column] = field(default_factory=dict)


def chosen(batch: Batch, names: Sequence[str]) -> Batch:
    """The batch with only these of its columns."""
    return Batch(batch.kind, batch.rows, {name: batch.columns[name] for name in names})


def text_column(values: Iterable[str | None]) -> Column:
    """A text column that keeps each different text once."""
    known: dict[str, int] = {}
    codes = array("i", [NO_TEXT if value is None else known.setdefault(value, len(known)) for value in values])
    return Column("text", codes, tuple(known))


def encode(batches: Sequence[Batch]) -> tuple[list[Any], list[bytes]]:
    """What describes the batches (to go into JSON), and their numbers as bytes in the same order."""
    described: list[Any] = []
    payload: list[bytes] = []
    for batch in batches:
        columns = [[name, column.type, column.width, list(column.texts)] for name, column in batch.columns.items()]
        described.append([batch.kind, batch.rows, columns])
        payload.extend(column.values.tobytes() for column in batch.columns.values())
    return described, payload


def decode(described: Sequence[Any], payload: memoryview) -> list[Batch]:
    """The batches that `encode` took apart. Raises ValueError when numbers are missing or left over."""
    batches: list[Batch] = []
    offset = 0
    for kind, rows, columns in described:
        decoded: dict[str, Column] = {}
        for name, type_, width, texts in columns:
            values: Numbers = array(TYPE_CODES[type_])
            end = offset + rows * width * values.itemsize
            if end > len(payload):
                raise ValueError(f"a batch of {kind} records is cut short in column {name}")
            values.frombytes(payload[offset:end])
            offset = end
            decoded[name] = Column(type_, values, tuple(texts), width)
        batches.append(Batch(kind, rows, decoded))
    if offset != len(payload):
        raise ValueError(f"{len(payload) - offset} bytes are left over after the last batch")
    return batches
