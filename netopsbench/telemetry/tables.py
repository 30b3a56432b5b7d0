"""Which columns each kind of record has, derived from the record models, and records to columns and back."""

import types
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import isnan, nan
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter

from netopsbench.core.errors import Problem, SpecError
from netopsbench.records.telemetry import Record
from netopsbench.telemetry.batch import NO_TEXT, NO_WHOLE, Batch, Column, ColumnType, text_column

Where = Mapping[str, str | int]
"""Field name to the value it must have."""


@cache
def tables() -> Mapping[str, Mapping[str, ColumnType]]:
    """Kind of record to its fields and their column types; the field `kind` itself is the table's name."""
    return {
        model.model_fields["kind"].default: {
            name: column_type(model.__name__, name, field.annotation)
            for name, field in model.model_fields.items()
            if name != "kind"
        }
        for model in _models()
    }


def column_type(model: str, name: str, annotation: Any) -> ColumnType:
    """The one declared column type of a field. Raises TypeError for a type that no store keeps."""
    members = [annotation]
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
    if len(members) == 1:
        found = _plain_type(members[0])
        if found is not None:
            return found
    raise TypeError(f"{model}.{name}: no store keeps a field of type {annotation}")


def _plain_type(annotation: Any) -> ColumnType | None:
    simple: dict[Any, ColumnType] = {bool: "flag", int: "whole", float: "real", str: "text"}
    if annotation in simple:
        return simple[annotation]
    if get_origin(annotation) is Literal and all(isinstance(value, str) for value in get_args(annotation)):
        return "text"
    if get_origin(annotation) is tuple and get_args(annotation) in ((float, ...), (float | None, ...)):
        return "reals"
    return None


def checked_query(kind: str, where: Where | None) -> Where:
    """The conditions of a query. Raises SpecError naming every unknown kind and field."""
    columns = _columns(kind)
    wanted = where or {}
    known = [name for name, type_ in columns.items() if type_ != "reals"]
    problems = [
        Problem("query", "where", name, f"{kind} has the fields {', '.join(known)}")
        for name in wanted
        if name not in known
    ]
    if problems:
        raise SpecError(problems)
    return wanted


def checked_columns(kind: str, names: Sequence[str]) -> Sequence[str]:
    """The columns that a query wants. Raises SpecError naming every unknown kind and field."""
    columns = _columns(kind)
    known = f"{kind} has the fields {', '.join(columns)}"
    problems = [Problem("query", "columns", name, known) for name in names if name not in columns]
    if problems:
        raise SpecError(problems)
    return names


def _columns(kind: str) -> Mapping[str, ColumnType]:
    columns = tables().get(kind)
    if columns is None:
        raise SpecError([Problem("query", "kind", kind, f"known kinds: {', '.join(tables())}")])
    return columns


def to_batches(records: Sequence[Record]) -> list[Batch]:
    """The records as batches: one per kind, more where their lists differ in length."""
    groups: dict[tuple[str, tuple[int, ...]], list[Record]] = {}
    for record in records:
        lists = [name for name, type_ in tables()[record.kind].items() if type_ == "reals"]
        shape = (record.kind, tuple(len(getattr(record, name)) for name in lists))
        groups.setdefault(shape, []).append(record)
    return [_to_batch(kind, group) for (kind, _), group in groups.items()]


def _to_batch(kind: str, records: Sequence[Record]) -> Batch:
    columns = {
        name: to_column(type_, [getattr(record, name) for record in records]) for name, type_ in tables()[kind].items()
    }
    return Batch(kind, len(records), columns)


def to_column(type_: ColumnType, values: Sequence[Any]) -> Column:
    """One column of plain values; None where there is none."""
    if type_ == "text":
        return text_column(values)
    if type_ == "reals":
        flat = array("d", [nan if item is None else item for row in values for item in row])
        return Column("reals", flat, width=len(values[0]))
    if type_ == "real":
        return Column("real", array("d", [nan if value is None else value for value in values]))
    return Column(type_, array("q", [NO_WHOLE if value is None else int(value) for value in values]))


@cache
def _reader(kind: str) -> TypeAdapter[list[Record]]:
    """Reads rows of one kind: naming the kind once is twice as quick as finding it out row by row."""
    model = next(model for model in _models() if model.model_fields["kind"].default == kind)
    rows: Any = types.GenericAlias(list, (model,))
    return TypeAdapter(rows)


def _models() -> tuple[type[Any], ...]:
    union, *_ = get_args(Record)
    return get_args(union) or (union,)


def to_records(batch: Batch) -> list[Record]:
    """The rows of a batch as records. Raises pydantic's ValidationError when a row is none."""
    names = ["kind", *batch.columns]
    rows = zip(*(row_values(column, batch.rows) for column in batch.columns.values()), strict=True)
    return _reader(batch.kind).validate_python([dict(zip(names, (batch.kind, *row), strict=True)) for row in rows])


def row_values(column: Column, rows: int) -> Iterable[Any]:
    """The values of a column row by row, as plain Python values."""
    if column.type == "text":
        return (None if code == NO_TEXT else column.texts[int(code)] for code in column.values)
    if column.type == "reals":
        items = [None if isnan(value) else value for value in column.values]
        return (tuple(items[row * column.width : (row + 1) * column.width]) for row in range(rows))
    if column.type == "real":
        return (None if isnan(value) else value for value in column.values)
    if column.type == "flag":
        return (None if value == NO_WHOLE else bool(value) for value in column.values)
    return (None if value == NO_WHOLE else value for value in column.values)
