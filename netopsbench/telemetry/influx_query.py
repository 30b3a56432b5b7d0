"""What is asked of InfluxDB, in Flux, and its answers as batches."""

from collections.abc import Sequence
from contextlib import closing

from netopsbench.core.errors import InfraError, Problem, SpecError
from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.batch import Batch
from netopsbench.telemetry.influx_address import NAME, InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.influx_delivery import InfluxTroubleError
from netopsbench.telemetry.influx_lines import read_batches
from netopsbench.telemetry.influx_names import RECORD_FIELD, measurement_of
from netopsbench.telemetry.tables import Where, checked_query, to_records

ALL_TIME = Window(since_ns=0, until_ns=9_223_372_036_854_775_806)


def flux(bucket: str, measurement: str, span: Window, conditions: Sequence[str]) -> str:
    """Points of one measurement that meet all conditions, as one table."""
    wanted = " and ".join([f'r._measurement == "{measurement}"', *conditions])
    # All conditions in one filter, and one group before anything else: InfluxDB answers that from its storage,
    # fifteen times as quickly as table by table (each series of a mesh would be a table).
    return (
        f'from(bucket: "{bucket}") '
        f"|> range(start: time(v: {span.since_ns}), stop: time(v: {span.until_ns})) "
        f"|> filter(fn: (r) => {wanted}) |> group()"
    )


def stored_batches(
    connection: InfluxConnection, bucket: str, kind: str, window: Window | None, where: Where | None, store: str | None
) -> list[Batch]:
    """Rows of one kind that `store` wrote (None: that any did), oldest first.

    Raises SpecError for an unknown kind or field, InfraError("telemetry_failed") when InfluxDB can't be asked.
    """
    wanted = checked_query(kind, where)
    measurement = measurement_of(kind)
    conditions = [f'r._field == "{RECORD_FIELD}"']
    for column, value in wanted.items():
        # Only names can be chosen by the index; anything else is compared when it is here.
        if column in measurement.tags and isinstance(value, str) and NAME.match(value):
            conditions.append(f'r["{measurement.tags[column][0]}"] == "{value}"')
    asked = flux(bucket, measurement.name, window or ALL_TIME, conditions) + ' |> keep(columns: ["_value"])'
    rows = answered(connection, asked)
    return read_batches(kind, (row["_value"] for row in rows), store, window, wanted)


def answered(connection: InfluxConnection, asked: str) -> list[dict[str, str]]:
    """Rows of the answer. Raises InfraError("telemetry_failed") when there is none."""
    try:
        return connection.query(asked)
    except InfluxTroubleError as trouble:
        raise InfraError("telemetry_failed", str(trouble)) from trouble


def read_records(address: InfluxAddress, kind: str, window: Window, where: Where | None) -> list[Record]:
    """What any store wrote into the bucket of the address, oldest first; raises like `stored_batches`."""
    if not address.bucket:
        raise SpecError([Problem("telemetry", "bucket", "", "name the bucket to read from")])
    with closing(InfluxConnection(address)) as connection:
        batches = stored_batches(connection, address.bucket, kind, window, where, None)
    return sorted((record for batch in batches for record in to_records(batch)), key=lambda record: record.t_ns)
