"""Tools that read the collectors' records: what happened, and what nobody saw."""

import json
from collections.abc import Sequence
from ipaddress import IPv4Address

import pytest
from printing import SECOND_NS, PrintingFabric

from netopsbench.core.errors import ToolError
from netopsbench.records.telemetry import (
    BgpEvent,
    BgpNeighbor,
    CollectorGap,
    CollectorHealth,
    InterfaceCounters,
    LogLine,
    NodeCounters,
    Record,
    Severity,
)
from netopsbench.telemetry.collectors.rows import INTERFACE_FIELDS, NODE_FIELDS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.get_bgp_neighbor import get_bgp_neighbor
from netopsbench.tools.telemetry.get_device_logs import get_device_logs
from netopsbench.tools.telemetry.get_interface_metrics import get_interface_metrics
from netopsbench.tools.telemetry.query_bgp_events import query_bgp_events

# The windows of the fixture: baseline from 0 to 10 s, time in question from 20 to 30 s.
NEIGHBOR = IPv4Address("10.1.1.1")


def health(collector: str, *seconds: float) -> list[Record]:
    return [
        CollectorHealth(
            t_ns=round(at * SECOND_NS),
            collector=collector,
            epoch=number,
            is_complete=True,
            records_written=1,
            overload_drops=0,
        )
        for number, at in enumerate(seconds)
    ]


def keep(context: ToolContext, *records: Sequence[Record]) -> None:
    for some in records:
        context.store.append(some)  # type: ignore[attr-defined]


def gap(collector: str, source: str | None, at: int) -> CollectorGap:
    since_ns, t_ns = (at - 2) * SECOND_NS, at * SECOND_NS
    return CollectorGap(t_ns=t_ns, since_ns=since_ns, collector=collector, source=source, missing=1, what="silent")


def event(at: int, source: str = "leaf1", neighbor: str = "10.1.1.1") -> BgpEvent:
    return BgpEvent(
        t_ns=at * SECOND_NS,
        source=source,
        neighbor_address=neighbor,
        from_state="Established",
        to_state="Idle",
        times_lost=1,
    )


def line(at: int, message: str, severity: Severity = "info", source: str = "leaf1") -> LogLine:
    return LogLine(
        t_ns=at * SECOND_NS, source=source, severity=severity, facility="daemon", program="bgpd", pid=9, message=message
    )


def counters(at: float, interface: str = "eth1", **counted: int) -> InterfaceCounters:
    values = dict.fromkeys(INTERFACE_FIELDS, 0) | counted
    return InterfaceCounters(t_ns=round(at * SECOND_NS), source="leaf1", interface=interface, **values)


def kernel(at: float, **counted: int) -> NodeCounters:
    return NodeCounters(t_ns=round(at * SECOND_NS), source="leaf1", **(dict.fromkeys(NODE_FIELDS, 0) | counted))


def every_second(until: int = 30) -> list[float]:
    return [at + 0.5 for at in range(until)]


def test_events_between_the_windows_are_told_and_those_outside_are_not(context: ToolContext) -> None:
    keep(context, [event(12), event(25), event(31)], health("bgp", *every_second()))
    found = query_bgp_events(context)
    assert [(each.at_s, each.device, each.peer) for each in found.events] == [
        (-8.0, "leaf1", "spine1:eth1"),
        (5.0, "leaf1", "spine1:eth1"),
    ]
    assert (found.span.since_s, found.span.until_s, found.collector.message) == (-20.0, 10.0, "")


def test_events_of_one_switch_and_of_one_neighbor(context: ToolContext) -> None:
    keep(context, [event(22), event(23, "spine1", "10.1.1.2"), event(24, neighbor="10.2.1.1")])
    assert len(query_bgp_events(context, device="leaf1").events) == 2
    assert len(query_bgp_events(context, device="leaf1", neighbor="10.2.1.1").events) == 1


def test_no_events_and_no_collector_are_not_the_same(context: ToolContext) -> None:
    assert query_bgp_events(context).collector.message.startswith("no data: the bgp collector recorded nothing")
    keep(context, health("bgp", *every_second()))
    assert query_bgp_events(context).collector.message == ""


def test_a_collector_that_died_in_the_middle_is_told_from_a_quiet_network(context: ToolContext) -> None:
    keep(context, health("bgp", *every_second(22)), health("syslog", *every_second(22)))
    wanted = "no data since 8.5 s before the end of this time"
    assert query_bgp_events(context).collector.message.startswith(wanted)
    assert get_device_logs(context, "leaf1").collector.message.startswith(wanted)


def test_a_gap_concerns_the_device_that_was_silent_and_those_asked_about_all(context: ToolContext) -> None:
    keep(context, [gap("bgp", "leaf2", 24), gap("bgp", None, 26)], health("bgp", *every_second()))
    assert query_bgp_events(context).collector.gaps == (
        "leaf2: silent (2.0 s, until 6.0 s before the end)",
        "silent (2.0 s, until 4.0 s before the end)",
    )
    assert query_bgp_events(context, device="leaf1").collector.gaps_total == 1
    assert query_bgp_events(context, device="leaf2").collector.message.startswith("2 gaps")


def test_log_lines_are_those_of_one_device_oldest_first(context: ToolContext) -> None:
    keep(context, [line(25, "second"), line(5, "first"), line(26, "elsewhere", source="leaf2")])
    found = get_device_logs(context, "leaf1")
    assert [(each.at_s, each.message) for each in found.lines] == [(-15.0, "first"), (5.0, "second")]


def test_log_lines_by_severity_and_by_text(context: ToolContext) -> None:
    keep(context, [line(25, "Neighbor up"), line(26, "trouble with neighbor", "warning"), line(27, "worse", "err")])
    assert len(get_device_logs(context, "leaf1", severity="warning").lines) == 2
    assert len(get_device_logs(context, "leaf1", contains="NEIGHBOR").lines) == 2
    assert len(get_device_logs(context, "leaf1", severity="err", contains="bgpd: worse").lines) == 1


def test_long_logs_come_in_pages(context: ToolContext) -> None:
    keep(context, [line(25, str(number)) for number in range(250)])
    found = get_device_logs(context, "leaf1", offset=100, limit=100)
    assert (found.lines[0].message, found.page.next_offset, found.page.total) == ("100", 200, 250)


def test_rates_are_over_the_samples_that_span_the_window(context: ToolContext) -> None:
    samples = [counters(at, in_packets=round(at * 10), in_octets=round(at * 1_000_000)) for at in (19, 24, 29, 31)]
    keep(context, samples, health("interfaces", *every_second()))
    found = get_interface_metrics(context, "leaf1", "eth1").current
    assert [(each.length_s, each.in_packets_per_s, each.in_mbit_per_s) for each in found.interfaces] == [
        (10.0, 10.0, 8.0)
    ]


def test_counters_that_began_anew_give_no_nonsense(context: ToolContext) -> None:
    keep(context, [counters(at, in_errors=errors, in_packets=errors) for at, errors in ((19, 900), (24, 3), (29, 5))])
    (eth1,) = get_interface_metrics(context, "leaf1", "eth1").current.interfaces
    assert (eth1.in_errors, eth1.restarts) == (5, 1)


def test_interfaces_without_samples_are_named_as_missing(context: ToolContext) -> None:
    keep(context, [counters(19), counters(25)])
    found = get_interface_metrics(context, "leaf1").current
    assert [each.interface for each in found.interfaces] == ["eth1"]
    assert found.missing == ("eth2", "eth3", "eth4")
    assert found.collector.message.startswith("no data")


def test_what_the_kernel_refused_is_told_by_reason(context: ToolContext) -> None:
    keep(context, [kernel(19, udp_in_csum_errors=2), kernel(25, udp_in_csum_errors=7, ip_reverse_path_filter=1)])
    found = get_interface_metrics(context, "leaf1")
    assert found.current.kernel == {"udp_in_csum_errors": 5, "ip_reverse_path_filter": 1}
    assert found.baseline.kernel == {}


def test_an_unknown_interface_is_refused_with_the_known_ones(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="leaf1 has no interface 'eth9'; it has: eth1, eth2, eth3, eth4"):
        get_interface_metrics(context, "leaf1", "eth9")


def neighbor_record(at: int, state: str) -> BgpNeighbor:
    return BgpNeighbor(
        t_ns=at * SECOND_NS, source="leaf1", neighbor_address="10.1.1.1", session_state=state, asn=65001,
        prefixes_received=3, msg_rcvd=10, msg_sent=11, up_down=5.0, times_lost=0,
    )  # fmt: skip


def test_a_session_is_shown_as_it_is_and_as_it_was(context: ToolContext, fabric: PrintingFabric) -> None:
    told = {"bgpState": "Active", "remoteAs": 65001, "localAs": 65011, "lastResetDueTo": "Interface down"}
    fabric.printed = json.dumps({"10.1.1.1": told})
    keep(context, [neighbor_record(5, "Established"), neighbor_record(28, "Active"), neighbor_record(40, "Idle")])
    keep(context, [event(12)])
    found = get_bgp_neighbor(context, "leaf1", NEIGHBOR)
    assert found.detail is not None
    assert (found.detail.state, found.detail.last_reset) == ("Active", "Interface down")
    assert (found.before and found.before.state, found.at_end and found.at_end.state) == ("Established", "Active")
    assert (found.peer, found.events) == ("spine1:eth1", 1)


def test_a_neighbor_that_is_not_configured_has_no_detail(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.printed = '{"bgpNoSuchNeighbor": true}'
    found = get_bgp_neighbor(context, "leaf1", NEIGHBOR)
    assert (found.is_running, found.detail) == (True, None)
