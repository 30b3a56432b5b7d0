"""How records are called in InfluxDB: the published measurement, tag and field names."""

from collections.abc import Mapping

from netopsbench.core.model import Model
from netopsbench.telemetry.batch import ColumnType
from netopsbench.telemetry.tables import tables

RECORD_FIELD = "record"
"""The whole record as text: one field to read instead of twenty, each of which would be a series of its own."""
DELIVERY_FIELD = "delivery"
"""Which store wrote the point, and in which of its deliveries; counted to prove that a delivery has arrived."""
TWIN_TAG = "twin"
"""Tells points apart that agree in all tags and in time; other points don't have it."""
TOPOLOGY_TAG = "topology_id"
CHECK_MEASUREMENT = "netopsbench_check"


class Measurement(Model):
    """Published names of one kind of record."""

    name: str
    tags: Mapping[str, tuple[str, ...]] = {}
    """Column to the tags that carry it."""
    fields: Mapping[str, str] = {}
    """Column to its field, where the two are called differently."""
    unpublished: frozenset[str] = frozenset()
    """Columns without a field of their own; the record has them. Each field of a mesh is 20,000 series to InfluxDB."""


PUBLISHED: Mapping[str, Measurement] = {
    "probe": Measurement(
        name="pingmesh",
        tags={
            "src": ("src_name",),
            "dst": ("dst_name",),
            "src_ip": ("src_ip",),
            "dst_ip": ("dst_ip",),
            # A rack is what hangs on one leaf.
            "src_leaf": ("src_leaf", "src_rack"),
            "dst_leaf": ("dst_leaf", "dst_rack"),
            "path_type": ("path_type",),
        },
        fields={
            **{f"rtt_{name}_ms": f"rtt_{name}" for name in ("min", "avg", "max", "p90", "p99")},
            **{f"df_{name}": f"df_packets_{name}" for name in ("sent", "lost")},
        },
        unpublished=frozenset(
            {"epoch", "first_port", "batch_starts", "ports_sent", "ports_refused", "ports_corrupted"}
            | {"df_ports_sent", "df_ports_refused"}
        ),
    ),
    "bgp_neighbor": Measurement(name="bgp_neighbors"),
    "interface_counters": Measurement(
        name="interfaces",
        # Published queries choose an interface by `name`.
        tags={"source": ("source",), "interface": ("interface", "name")},
    ),
    "log_line": Measurement(
        name="syslog",
        # Telegraf's own syslog input, which writes into the same measurement, has the device in `hostname`.
        tags={"source": ("source", "hostname"), "severity": ("severity",), "facility": ("facility",)},
    ),
}
NAME_COLUMNS = ("source", "neighbor_address", "interface", "collector")
"""Columns that name something and so become tags, in whatever kind of record nothing else is said about."""


def measurement_of(kind: str) -> Measurement:
    """Names of a kind of record, also of one that nothing is published about."""
    published = PUBLISHED.get(kind, Measurement(name=kind))
    if published.tags:
        return published
    named = {column: (column,) for column in NAME_COLUMNS if column in tables()[kind]}
    return published.model_copy(update={"tags": named})


def published_columns(kind: str) -> Mapping[str, str]:
    """Column to the field that carries it, of those that have one."""
    measurement = measurement_of(kind)
    return {
        column: measurement.fields.get(column, column)
        for column, type_ in tables()[kind].items()
        if type_ != "reals" and column not in {"t_ns", *measurement.tags, *measurement.unpublished}
    }


def field_types(kind: str) -> Mapping[str, ColumnType]:
    """Field of the kind's measurement to its one declared type."""
    found: dict[str, ColumnType] = {field: tables()[kind][column] for column, field in published_columns(kind).items()}
    if kind == "probe":
        found["packet_loss"] = "real"
    return found | {RECORD_FIELD: "text", DELIVERY_FIELD: "text"}
