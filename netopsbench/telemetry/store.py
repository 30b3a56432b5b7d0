"""Where telemetry goes and comes from: the contract, and a store in memory that keeps it."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Protocol

from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.batch import Batch, chosen
from netopsbench.telemetry.tables import Where, checked_columns, checked_query, tables, to_batches


class Store(Protocol):
    """Keeps records of every kind, in the order of their time."""

    def append(self, records: Sequence[Record]) -> int:
        """Keep the records, all or none; returns how many are stored for certain.

        Raises InfraError("telemetry_failed") when they can't be kept.
        """
        ...

    def query(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Record]:
        """Records of one kind inside the window whose fields have the given values, oldest first.

        Raises SpecError for an unknown kind or field.
        """
        ...

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]:
        """Like `query`, but only the fields called `names`, as columns and in no order: many times as quick."""
        ...

    def counts(self, window: Window | None = None) -> dict[str, int]:
        """How many records of each kind are stored, inside the window or in all; a kind without any counts 0."""
        ...

    def close(self) -> None:
        """Let go of it. Safe to call twice."""
        ...


class MemoryStore:
    """A store that forgets everything with its process."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def append(self, records: Sequence[Record]) -> int:
        self._records.extend(records)
        return len(records)

    def query(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Record]:
        wanted = checked_query(kind, where)
        found = [
            record
            for record in self._records
            if record.kind == kind
            and (window is None or window.since_ns <= record.t_ns < window.until_ns)
            and all(getattr(record, name) == value for name, value in wanted.items())
        ]
        return sorted(found, key=attrgetter("t_ns"))

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]:
        checked_columns(kind, names)
        return [chosen(batch, names) for batch in to_batches(self.query(kind, window, where))]

    def counts(self, window: Window | None = None) -> dict[str, int]:
        stored: Counter[str] = Counter(
            record.kind
            for record in self._records
            if window is None or window.since_ns <= record.t_ns < window.until_ns
        )
        return {kind: stored[kind] for kind in tables()}

    def close(self) -> None:
        """Nothing to let go of."""
