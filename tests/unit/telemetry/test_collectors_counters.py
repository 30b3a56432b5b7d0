"""Counters of interfaces and kernels, and what they counted between two moments."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netopsbench.fabric import netlink
from netopsbench.records.telemetry import InterfaceCounters, Window
from netopsbench.telemetry.collectors.counters import LARGEST, interface_counters, node_counters
from netopsbench.telemetry.collectors.rows import INTERFACE_FIELDS, NODE_FIELDS
from netopsbench.telemetry.rates import reach, restarts, rise, samples_of, total_rise

SNMP = b"""\
Ip: Forwarding InHdrErrors InAddrErrors InDiscards OutDiscards OutNoRoutes FragFails
Ip: 1 11 12 13 14 15 16
Icmp: InMsgs InCsumErrors
Icmp: 0 21
Tcp: RtoAlgorithm MaxConn InCsumErrors
Tcp: 1 -1 31
Udp: InDatagrams RcvbufErrors InCsumErrors
Udp: 0 41 42
UdpLite: InDatagrams RcvbufErrors InCsumErrors
UdpLite: 0 98 99
"""
NETSTAT = b"""\
TcpExt: SyncookiesSent IPReversePathFilter
TcpExt: 0 51
IpExt: InNoRoutes InTruncatedPkts InCsumErrors
IpExt: 61 62 63
MPTcpExt: MPCapableSYNRX
MPTcpExt: 97
"""


def sample(t_ns: int, in_packets: int = 0) -> InterfaceCounters:
    counters = dict.fromkeys(INTERFACE_FIELDS, 0) | {"in_packets": in_packets}
    return InterfaceCounters(t_ns=t_ns, source="leaf1", interface="eth1", **counters)


def test_interface_counters_stand_in_the_order_of_their_fields() -> None:
    # linux/if_link.h: packets, bytes, errors and drops, each received, then sent.
    stats = struct.pack("=25Q", *range(1, 26))
    payload = struct.pack("=BxHII", 0, 0, 3, 1) + netlink.attribute(1, stats)
    found = dict(zip(INTERFACE_FIELDS, interface_counters(payload), strict=True))
    assert found == {
        "in_packets": 1, "out_packets": 2, "in_octets": 3, "out_octets": 4, "in_errors": 5, "out_errors": 6,
        "in_discards": 7, "out_discards": 8,
    }  # fmt: skip


def test_a_counter_beyond_what_stores_keep_starts_again_at_0() -> None:
    stats = struct.pack("=25Q", 2**63 + 5, *[2**64 - 1] * 24)
    payload = struct.pack("=BxHII", 0, 0, 3, 1) + netlink.attribute(1, stats)
    assert interface_counters(payload)[1] == 5
    assert max(interface_counters(payload)) == LARGEST


def test_kernel_counters_are_found_by_name() -> None:
    found = dict(zip(NODE_FIELDS, node_counters([SNMP, NETSTAT]), strict=True))
    assert found == {
        "ip_in_hdr_errors": 11, "ip_in_addr_errors": 12, "ip_in_discards": 13, "ip_out_discards": 14,
        "ip_out_no_routes": 15, "ip_frag_fails": 16, "icmp_in_csum_errors": 21, "tcp_in_csum_errors": 31,
        "udp_rcvbuf_errors": 41, "udp_in_csum_errors": 42, "ip_reverse_path_filter": 51, "ip_in_no_routes": 61,
        "ip_in_truncated": 62, "ip_in_csum_errors": 63,
    }  # fmt: skip


def test_a_counter_that_the_kernel_does_not_have_is_0() -> None:
    assert node_counters([b"", b""]) == [0] * len(NODE_FIELDS)


@pytest.mark.parametrize(
    ("before", "now", "counted"),
    [(5, 5, 0), (5, 9, 4), (1000, 3, 3), (10**12, 0, 0), (2**63 - 2, 3, 5)],
    ids=["nothing", "some", "made anew", "made anew and idle", "wrapped"],
)
def test_what_was_counted_between_two_readings(before: int, now: int, counted: int) -> None:
    assert rise(before, now) == counted


@given(st.lists(st.integers(0, LARGEST), min_size=1, max_size=6))
def test_a_counter_never_counts_less_than_nothing(values: list[int]) -> None:
    assert total_rise(values) >= 0
    assert restarts(values) <= sum(before > now for before, now in pairwise(values))


def test_a_restart_in_the_middle_loses_nothing_that_was_seen() -> None:
    assert total_rise([100, 150, 20, 30]) == 80
    assert restarts([100, 150, 20, 30]) == 1


def test_a_window_is_spanned_by_the_last_sample_before_it_and_those_inside() -> None:
    window = Window(since_ns=20, until_ns=40)
    samples = [sample(t_ns) for t_ns in (1, 10, 19, 25, 35, 40, 50)]
    assert [each.t_ns for each in samples_of(samples, window)] == [19, 25, 35]


@pytest.mark.parametrize("times", [[], [10], [30], [10, 15], [45]])
def test_samples_that_span_nothing_of_a_window_are_none(times: list[int]) -> None:
    assert samples_of([sample(t_ns) for t_ns in times], Window(since_ns=20, until_ns=40)) == []


def test_the_reach_of_a_window_ends_with_it() -> None:
    window = Window(since_ns=10**12, until_ns=10**12 + 1)
    assert reach(window).until_ns == window.until_ns
    assert reach(window).since_ns < window.since_ns
