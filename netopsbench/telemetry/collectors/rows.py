"""What the collectors write, as columns; standard library only."""

from array import array
from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple

from netopsbench.telemetry.batch import NO_WHOLE, Batch, Column, ColumnType, text_column

Value = str | int | float | None
Row = Sequence[Value]

INTERFACE_FIELDS = (
    "in_octets", "in_packets", "in_discards", "in_errors", "out_octets", "out_packets", "out_discards", "out_errors",
)  # fmt: skip
NODE_FIELDS = (
    "ip_in_hdr_errors", "ip_in_csum_errors", "udp_in_csum_errors", "tcp_in_csum_errors", "icmp_in_csum_errors",
    "ip_reverse_path_filter", "ip_in_addr_errors", "ip_in_no_routes", "ip_out_no_routes", "ip_in_truncated",
    "ip_in_discards", "ip_out_discards", "ip_frag_fails", "udp_rcvbuf_errors",
)  # fmt: skip


def _wholes(*names: str) -> dict[str, ColumnType]:
    return dict.fromkeys(names, "whole")


SCHEMAS: Mapping[str, Mapping[str, ColumnType]] = {
    "bgp_neighbor": {
        "t_ns": "whole", "source": "text", "neighbor_address": "text", "session_state": "text",
        **_wholes("asn", "prefixes_received", "msg_rcvd", "msg_sent"), "up_down": "real", "times_lost": "whole",
    },
    "bgp_event": {
        "t_ns": "whole", "source": "text", "neighbor_address": "text", "from_state": "text", "to_state": "text",
        "times_lost": "whole",
    },
    "interface_counters": {"t_ns": "whole", "source": "text", "interface": "text", **_wholes(*INTERFACE_FIELDS)},
    "node_counters": {"t_ns": "whole", "source": "text", **_wholes(*NODE_FIELDS)},
    "log_line": {
        "t_ns": "whole", "source": "text", "severity": "text", "facility": "text", "program": "text", "pid": "whole",
        "message": "text",
    },
    "collector_gap": {
        "t_ns": "whole", "since_ns": "whole", "collector": "text", "source": "text", "missing": "whole",
        "what": "text",
    },
    "collector_health": {
        "t_ns": "whole", "collector": "text", "epoch": "whole", "is_complete": "flag",
        **_wholes("records_written", "overload_drops", "stalls", "late_replies", "unmatched_replies"),
        "message": "text",
    },
}  # fmt: skip
"""The fields of each kind in the order of its rows; the same as those of the record models."""


class Gap(NamedTuple):
    """Something that should have been seen and wasn't."""

    t_ns: int
    since_ns: int
    collector: str
    source: str | None
    missing: int
    what: str


class Gathered(NamedTuple):
    """What one collector brought home from one poll."""

    rows: Mapping[str, Sequence[Row]]
    """By kind of record."""
    gaps: Sequence[Gap]


def to_batch(kind: str, rows: Sequence[Row]) -> Batch:
    """Rows of one kind as a batch."""
    columns = zip(*rows, strict=True)
    return Batch(
        kind,
        len(rows),
        {name: _column(type_, values) for (name, type_), values in zip(SCHEMAS[kind].items(), columns, strict=True)},
    )


def _column(type_: ColumnType, values: Sequence[Value]) -> Column:
    if type_ == "text":
        return text_column(None if value is None else str(value) for value in values)
    if type_ == "real":
        return Column("real", array("d", [nan if value is None else float(value) for value in values]))
    return Column(type_, array("q", [NO_WHOLE if value is None else int(value) for value in values]))
