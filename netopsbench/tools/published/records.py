"""Published tools for stored measurements: the store answers, whichever it is, under the names of InfluxDB."""

from typing import Annotated

from pydantic import Field

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.telemetry.influx_names import measurement_of, published_columns
from netopsbench.telemetry.tables import tables
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device_text import DeviceText
from netopsbench.tools.paging import Limit, Offset, page_of
from netopsbench.tools.results import Page
from netopsbench.tools.telemetry.collectors import whole_time

BUCKET = "netopsbench"
MeasurementName = Annotated[
    str, Field(description="A measurement of influx_get_measurements.", examples=["interfaces"])
]


class Buckets(Model):
    """Where measurements are."""

    buckets: tuple[str, ...]


class Measurements(Model):
    """Kinds of records."""

    measurements: tuple[str, ...]


class MeasurementCount(Model):
    """How many records there are."""

    measurement: str
    records: int


class MeasurementRow(Model):
    """One record; fields without a value are left out."""

    t_ns: int
    """Nanoseconds since 1970."""
    fields: dict[str, DeviceText]


class MeasurementRows(Model):
    """Records, oldest first."""

    measurement: str
    rows: tuple[MeasurementRow, ...]
    page: Page


def influx_list_buckets(context: ToolContext) -> Buckets:
    """The buckets in which measurements are stored."""
    _ensure_measured(context)
    return Buckets(buckets=(BUCKET,))


def influx_get_measurements(context: ToolContext) -> Measurements:
    """The measurements that there can be. How many records one has, influx_count_measurements says."""
    _ensure_measured(context)
    return Measurements(measurements=tuple(_kinds()))


def influx_count_measurements(context: ToolContext, measurement: MeasurementName) -> MeasurementCount:
    """How many records of a measurement are stored."""
    batches = context.store.query_columns(_kind(measurement), ["t_ns"], whole_time(context))
    return MeasurementCount(measurement=measurement, records=sum(batch.rows for batch in batches))


def influx_query_measurement(
    context: ToolContext, measurement: MeasurementName, limit: Limit = 10, offset: Offset = 0
) -> MeasurementRows:
    """Records of a measurement, oldest first. Count them first: there may be many."""
    kind = _kind(measurement)
    chosen, page = page_of(context.store.query(kind, whole_time(context)), offset, limit)
    names = {**{column: tags[0] for column, tags in measurement_of(kind).tags.items()}, **published_columns(kind)}
    rows = []
    for record in chosen:
        told = record.model_dump(mode="json")
        fields = {name: str(told[column]) for column, name in names.items() if told[column] is not None}
        rows.append(MeasurementRow(t_ns=record.t_ns, fields=fields))
    return MeasurementRows(measurement=measurement, rows=tuple(rows), page=page)


def _ensure_measured(context: ToolContext) -> None:
    """Raises ToolError where nothing is measured: a bucket without records would look like a quiet network."""
    context.store.query_columns("collector_health", ["t_ns"], whole_time(context))


def _kinds() -> dict[str, str]:
    """Measurement to the kind of record that it holds."""
    return {measurement_of(kind).name: kind for kind in tables()}


def _kind(measurement: str) -> str:
    kinds = _kinds()
    if measurement not in kinds:
        raise ToolError(f"there is no measurement {measurement[:80]!r}; there are: {', '.join(kinds)}", "bad_arguments")
    return kinds[measurement]
