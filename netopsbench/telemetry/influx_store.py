"""The store outside: Telegraf takes line protocol and InfluxDB keeps it, and nothing counts until it was read back."""

import secrets
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.batch import Batch, chosen
from netopsbench.telemetry.entry import check_entry
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.influx_delivery import InfluxTroubleError, Patience, deliver
from netopsbench.telemetry.influx_lines import LineMaker
from netopsbench.telemetry.influx_names import (
    CHECK_MEASUREMENT,
    DELIVERY_FIELD,
    TOPOLOGY_TAG,
    measurement_of,
)
from netopsbench.telemetry.influx_query import ALL_TIME, answered, flux, stored_batches
from netopsbench.telemetry.tables import Where, checked_columns, tables, to_batches, to_records

KEEP_S = 7 * 24 * 3600
"""How long buckets that a store makes keep their points."""


class DeliveryWire:
    """The way of one delivery: through Telegraf into a bucket, and back out of InfluxDB by a Flux query."""

    def __init__(self, connection: InfluxConnection, bucket: str, counting: Sequence[str]) -> None:
        self._connection, self._bucket, self._counting = connection, bucket, counting
        self._sample: Sequence[str] = ()

    def write(self, lines: Sequence[str]) -> None:
        self._sample = lines[:1]
        self._connection.write(self._bucket, lines)

    def count(self) -> int:
        found = [row for flux in self._counting for row in self._connection.query(flux)]
        return sum(int(row["_value"]) for row in found)

    def diagnosis(self) -> str:
        try:
            self._connection.write_directly(self._bucket, self._sample)
        except (InfluxTroubleError, InfraError) as trouble:
            return str(trouble)
        return "InfluxDB takes points, but Telegraf doesn't pass them on; its log says why (token, bucket, address)"


class InfluxStore:
    """Records in a bucket of InfluxDB, each delivery kept here until InfluxDB has given it back."""

    def __init__(self, address: InfluxAddress, patience: Patience | None = None) -> None:
        """Raises InfraError("telemetry_failed") unless a point comes back through Telegraf and InfluxDB."""
        self._address, self._patience = address, patience or Patience()
        self._id = secrets.token_hex(4)
        self._lines = LineMaker(self._id, address.topology_id)
        self._making, self._deliveries = threading.Lock(), 0
        self._stored: dict[str, int] = dict.fromkeys(tables(), 0)
        self._is_closed = False
        self._connection = InfluxConnection(address)
        with ExitStack() as undoing:
            undoing.callback(self._connection.close)
            try:
                self.bucket = self._found_bucket()
                self._check_chain()
            except InfluxTroubleError as trouble:
                raise InfraError("telemetry_failed", str(trouble)) from trouble
            undoing.pop_all()

    @property
    def acknowledged(self) -> Mapping[str, int]:
        """Rows of each kind that were read back."""
        return MappingProxyType(self._stored)

    def append(self, records: Sequence[Record]) -> int:
        return self.append_batches(to_batches(records))

    def append_batches(self, batches: Sequence[Batch]) -> int:
        """Deliver whole batches and wait until InfluxDB gives them back; returns the number of rows.

        Raises InfraError("telemetry_failed") for rows that InfluxDB can't hold, or that didn't arrive in time.
        """
        check_entry(batches, self._patience.furthest_s)
        with self._making:
            self._deliveries += 1
            delivery = self._deliveries
            lines: dict[str, list[str]] = {}
            for batch in batches:
                mine = lines.setdefault(batch.kind, [])
                mine.extend(self._lines.lines(batch, delivery, len(mine)))
        times = [t_ns for batch in batches for t_ns in batch.columns["t_ns"].values]
        if times:
            span = Window(since_ns=int(min(times)), until_ns=int(max(times)) + 1)
            self._deliver(delivery, lines, span)
        with self._making:
            for kind, mine in lines.items():
                self._stored[kind] += len(mine)
        return len(times)

    def query(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Record]:
        batches = self.query_batches(kind, window, where)
        records = [record for batch in batches for record in to_records(batch)]
        return records if len(batches) == 1 else sorted(records, key=lambda record: record.t_ns)

    def query_batches(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Batch]:
        """Like `query`, in columns; rows whose lists differ in length come in separate batches."""
        return stored_batches(self._connection, self.bucket, kind, window, where, self._id)

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]:
        checked_columns(kind, names)
        return [chosen(batch, names) for batch in self.query_batches(kind, window, where)]

    def counts(self, window: Window | None = None) -> dict[str, int]:
        span = window or ALL_TIME
        mine = [f'r._field == "{DELIVERY_FIELD}"', f"r._value =~ /^{self._id}[.]/"]
        found = {}
        for kind in tables():
            rows = answered(self._connection, flux(self.bucket, measurement_of(kind).name, span, mine) + " |> count()")
            found[kind] = sum(int(row["_value"]) for row in rows)
        return found

    def close(self) -> None:
        """Count once more what is stored; raises InfraError("telemetry_failed") when points have gone since."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            stored = self.counts()
        finally:
            self._connection.close()
        if any(stored[kind] < rows for kind, rows in self._stored.items()):
            raise InfraError("telemetry_failed", f"InfluxDB acknowledged {self._stored}, but now holds {stored}")

    def _deliver(self, delivery: int, lines: Mapping[str, Sequence[str]], span: Window) -> None:
        mine = [f'r._field == "{DELIVERY_FIELD}"', f'r._value == "{self._id}.{delivery}"']
        counting = [flux(self.bucket, measurement_of(kind).name, span, mine) + " |> count()" for kind in lines]
        wire = DeliveryWire(self._connection, self.bucket, counting)
        everything = [line for some in lines.values() for line in some]
        deliver(wire, everything, self._patience.deliver_s, self._patience.resend_s)

    def _check_chain(self) -> None:
        """Send one point through the whole chain and read its very nanosecond back."""
        t_ns = now_ns()
        line = f"{CHECK_MEASUREMENT},{TOPOLOGY_TAG}={self._address.topology_id} sent_ns={t_ns}i {t_ns}"
        span = Window(since_ns=t_ns, until_ns=t_ns + 1)
        counting = flux(self.bucket, CHECK_MEASUREMENT, span, ['r._field == "sent_ns"']) + " |> count()"
        wire = DeliveryWire(self._connection, self.bucket, [counting])
        try:
            deliver(wire, [line], self._patience.open_s, self._patience.resend_s)
        except InfraError as failure:
            raise InfraError(failure.reason, f"bucket {self.bucket} can't be used: {failure}") from failure

    def _found_bucket(self) -> str:
        """The bucket to use; without a name in the address, a new one."""
        named = self._address.bucket or f"netopsbench-{self._id}"
        bucket = f"{named}/autogen" if "/" not in named and self._connection.is_version_1() else named
        if not self._address.bucket:
            self._connection.create_bucket(bucket, KEEP_S)
        return bucket
