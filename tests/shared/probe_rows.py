"""Rows of Pingmesh for tests, the same wherever one is needed."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from netopsbench.records.telemetry import Probe


def probe_row(t_ns: int, trips: Sequence[float | None], **rest: Any) -> Probe:
    """An epoch of client1 and client2: the round trip of each source port in ms, None where its probe was lost.

    `rest` replaces fields by name.
    """
    answered = sorted(trip for trip in trips if trip is not None)
    longest = answered[-1] if answered else None
    return Probe(
        t_ns=t_ns,
        epoch=t_ns,
        src="client1",
        dst="client2",
        src_ip="192.168.101.2",
        dst_ip="192.168.102.2",
        src_leaf="leaf1",
        dst_leaf="leaf2",
        path_type="cross_rack",
        first_port=33000,
        ports_sent=(1 << len(trips)) - 1,
        ports_lost=sum(1 << port for port, trip in enumerate(trips) if trip is None),
        packets_sent=len(trips),
        packets_lost=len(trips) - len(answered),
        send_errors=0,
        rtt_min_ms=answered[0] if answered else None,
        rtt_avg_ms=fmean(answered) if answered else None,
        rtt_max_ms=longest,
        rtt_p90_ms=longest,
        rtt_p99_ms=longest,
        rtt_ms_by_port=tuple(trips),
    ).model_copy(update=rest)
