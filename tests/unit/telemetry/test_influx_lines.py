"""Records as line protocol."""

import re
from typing import Any

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import CollectorHealth, LogLine, Probe, Record, Window
from netopsbench.telemetry.influx_lines import LineMaker, read_batches
from netopsbench.telemetry.influx_names import field_types, measurement_of
from netopsbench.telemetry.tables import tables, to_batches, to_records

T0 = 1_700_000_000_123_456_789


def probe(t_ns: int = T0, **changed: Any) -> Probe:
    values: dict[str, Any] = {
        "t_ns": t_ns, "epoch": 1, "src": "client1", "dst": "client2", "src_ip": "192.168.101.2",
        "dst_ip": "192.168.102.2", "src_leaf": "leaf1", "dst_leaf": "leaf2", "path_type": "cross_rack",
        "first_port": 33000, "ports_sent": 3, "ports_lost": 2, "packets_sent": 2, "packets_lost": 1, "send_errors": 0,
        "rtt_min_ms": 1.0, "rtt_avg_ms": 1.0, "rtt_max_ms": 1.0, "rtt_p90_ms": 1.0, "rtt_p99_ms": 1.0,
        "rtt_ms_by_port": (1.0, None),
    }  # fmt: skip
    return Probe(**{**values, **changed})


def log(message: str, t_ns: int = T0) -> LogLine:
    return LogLine(
        t_ns=t_ns, source="leaf1", severity="info", facility="daemon", program="bgpd", pid=None, message=message
    )


def lines_of(*records: Record, maker: LineMaker | None = None) -> list[str]:
    writer = maker or LineMaker("0badcafe", "xs")
    return [line for batch in to_batches(records) for line in writer.lines(batch, 7)]


def test_a_probe_has_the_published_names_and_its_nanosecond() -> None:
    (line,) = lines_of(probe())
    assert line.startswith(
        "pingmesh,src_name=client1,dst_name=client2,src_ip=192.168.101.2,dst_ip=192.168.102.2,"
        "src_leaf=leaf1,src_rack=leaf1,dst_leaf=leaf2,dst_rack=leaf2,path_type=cross_rack,topology_id=xs "
    )
    for field in (
        "rtt_min=1.0",
        "rtt_avg=1.0",
        "rtt_p99=1.0",
        "packet_loss=50.0",
        "packets_sent=2i",
        "packets_lost=1i",
    ):
        assert f"{field}," in line
    assert line.endswith(f" {T0}")


PUBLISHED: dict[str, tuple[str, set[str], dict[str, str]]] = {
    "probe": (
        "pingmesh",
        {f"{end}_{what}" for end in ("src", "dst") for what in ("name", "ip", "rack", "leaf")} | {"path_type"},
        {
            **dict.fromkeys(("rtt_min", "rtt_avg", "rtt_max", "rtt_p90", "rtt_p99", "packet_loss"), "real"),
            **dict.fromkeys(("packets_sent", "packets_lost", "df_packets_sent", "df_packets_lost"), "whole"),
        },
    ),
    "bgp_neighbor": (
        "bgp_neighbors",
        {"source", "neighbor_address"},
        {
            "session_state": "text",
            "up_down": "real",
            **dict.fromkeys(("asn", "prefixes_received", "msg_rcvd", "msg_sent"), "whole"),
        },
    ),
    "interface_counters": (
        "interfaces",
        {"source", "name"},
        {f"{way}_{what}": "whole" for way in ("in", "out") for what in ("octets", "packets", "discards", "errors")},
    ),
    "log_line": ("syslog", {"source", "hostname", "severity", "facility"}, {"message": "text"}),
}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_published_name_is_written_with_its_type(kind: str) -> None:
    name, tags, fields = PUBLISHED[kind]
    measurement = measurement_of(kind)
    assert measurement.name == name
    assert tags <= {tag for some in measurement.tags.values() for tag in some}
    assert fields.items() <= field_types(kind).items()


def test_a_line_of_a_log_has_the_tags_that_real_syslog_has() -> None:
    (line,) = lines_of(log("hello"))
    assert line.startswith("syslog,source=leaf1,hostname=leaf1,severity=info,facility=daemon,topology_id=xs ")


def test_what_is_only_in_the_record_comes_back_all_the_same() -> None:
    (line,) = lines_of(probe(first_port=40_000))
    assert "first_port=" not in line
    written = line.partition('record="')[2].rpartition('" ')[0].replace('\\"', '"')
    (batch,) = read_batches("probe", [written], "0badcafe")
    assert to_records(batch) == [probe(first_port=40_000)]


def test_ports_are_masks_in_fields_and_never_tags() -> None:
    (line,) = lines_of(probe())
    tags, _, fields = line.partition(" ")
    assert "port" not in tags
    assert "ports_lost=2i," in fields


def test_total_loss_has_no_round_trip_rather_than_zero() -> None:
    nothing = {f"rtt_{name}_ms": None for name in ("min", "avg", "max", "p90", "p99")}
    (line,) = lines_of(probe(packets_lost=2, ports_lost=3, rtt_ms_by_port=(None, None), **nothing))
    assert "packet_loss=100.0," in line
    assert "rtt_" not in line


def test_a_field_has_one_type_whatever_its_value_is() -> None:
    (whole,), (broken,) = lines_of(probe(rtt_avg_ms=1)), lines_of(probe(rtt_avg_ms=1.5))
    assert "rtt_avg=1.0," in whole
    assert "rtt_avg=1.5," in broken


def test_a_published_name_is_declared_with_one_type_in_all_kinds_of_a_measurement() -> None:
    declared: dict[tuple[str, str], set[str]] = {}
    for kind in tables():
        for field, type_ in field_types(kind).items():
            declared.setdefault((measurement_of(kind).name, field), set()).add(type_)
    assert {key: types for key, types in declared.items() if len(types) > 1} == {}


@pytest.mark.parametrize("name", ["spine\none", "a,b", "a=b", "a b", 'a"b', "back\\", "naïve", "🛰"])
def test_a_name_that_line_protocol_can_not_carry_is_refused_by_its_value(name: str) -> None:
    with pytest.raises(InfraError, match=re.escape(repr(name))):
        lines_of(probe(src=name))


@pytest.mark.parametrize("text", ["two\nlines", "a,b=c d", 'a"quote', "back\\", "naïve 🛰", ""])
def test_text_stays_on_its_line_and_comes_back_as_it_was(text: str) -> None:
    (line,) = lines_of(log(text))
    assert "\n" not in line
    written = line.partition('record="')[2].rpartition('" ')[0].replace('\\"', '"').replace("\\\\", "\\")
    (batch,) = read_batches("log_line", [written], "0badcafe")
    assert to_records(batch) == [log(text)]


def test_no_two_points_share_series_and_time() -> None:
    maker = LineMaker("0badcafe", "xs")
    same = [*lines_of(probe(), probe(), maker=maker), *lines_of(probe(), maker=maker)]
    late = lines_of(probe(T0 + 1), probe(T0 - 1), probe(T0 - 1), probe(T0), maker=maker)
    identities = [(line.partition(" ")[0], line.rpartition(" ")[2]) for line in [*same, *late]]
    assert len(set(identities)) == len(identities) == 7


def test_points_that_differ_in_time_need_no_further_tag() -> None:
    assert not any("twin=" in line for line in lines_of(*(probe(T0 + step) for step in range(100))))


def test_tags_do_not_grow_with_deliveries_or_stores() -> None:
    series = {
        line.partition(" ")[0]
        for store in ("00000001", "00000002")
        for delivery in range(50)
        for batch in to_batches([probe()])
        for line in LineMaker(store, "xs").lines(batch, delivery)
    }
    assert len(series) == 1


def test_a_record_that_influxdb_would_drop_for_its_length_is_refused() -> None:
    with pytest.raises(InfraError, match="log_line record of"):
        lines_of(log("x" * 70_000))


def written_rows() -> list[str]:
    records = [probe(T0 + step, src=f"client{step}") for step in (2, 0, 1)]
    return [line.partition('record="')[2].rpartition('" ')[0].replace('\\"', '"') for line in lines_of(*records)]


def test_rows_come_oldest_first_from_their_window_and_store() -> None:
    (batch,) = read_batches("probe", written_rows(), "0badcafe", Window(since_ns=T0, until_ns=T0 + 2))
    assert [record.t_ns - T0 for record in to_records(batch)] == [0, 1]
    assert read_batches("probe", written_rows(), "anothers") == []


def test_conditions_compare_values_and_not_their_text() -> None:
    (batch,) = read_batches("probe", written_rows(), None, where={"src": "client1", "packets_lost": 1})
    assert batch.rows == 1


def test_records_of_another_version_are_named_instead_of_misread() -> None:
    with pytest.raises(InfraError, match="another version"):
        read_batches("probe", ['["0badcafe",1,0,5]'], "0badcafe")


def test_health_is_a_measurement_of_its_own_tagged_by_collector() -> None:
    (line,) = lines_of(
        CollectorHealth(t_ns=T0, collector="bgp", epoch=3, is_complete=False, records_written=9, overload_drops=0)
    )
    assert line.startswith("collector_health,collector=bgp,topology_id=xs epoch=3i,is_complete=false,")
