"""Raw round trips to rows."""

from array import array
from collections.abc import Sequence

import pytest

from netopsbench.records.telemetry import CollectorHealth, Probe
from netopsbench.telemetry.probe_sockets import Client
from netopsbench.telemetry.recorder import CORRUPTED, LOST, REFUSED, UNSENT, Epoch, RowMaker, Slot, statistics_ms
from netopsbench.telemetry.tables import tables, to_records

CLIENTS = [
    Client("client1", "10.0.0.1", "leaf1", "/proc/1/ns/net"),
    Client("client2", "10.0.0.2", "leaf1", "/proc/2/ns/net"),
    Client("client3", "10.0.0.3", "leaf2", "/proc/3/ns/net"),
]
WALL_OFFSET = 1_700_000_000_000_000_000
EPOCH = Epoch(
    epoch=7,
    slot=0,
    started_ns=WALL_OFFSET,
    ended_ns=WALL_OFFSET + 1000,
    wall_minus_monotonic_ns=WALL_OFFSET,
    overload_drops=2,
    stalls=1,
    late_replies=3,
    unmatched_replies=4,
    scheduled=192,
)


def rows(first: list[int], first_df: Sequence[int] = (1_000_000,) * 16) -> list[Probe]:
    """The epoch's rows when the first pair has these 16 round trips (and don't-fragment ones), all others 1 ms."""
    trips = array("q", [*first, *[1_000_000] * 80, *first_df, *[1_000_000] * 80])
    slot = Slot(memoryview(array("q", range(192))), memoryview(trips))
    return [row for row in to_records(RowMaker(CLIENTS).probes(EPOCH, slot)) if isinstance(row, Probe)]


def test_the_columns_are_those_of_the_records() -> None:
    maker = RowMaker(CLIENTS)
    slot = Slot(memoryview(array("q", range(192))), memoryview(array("q", [LOST] * 192)))
    probes, health = maker.probes(EPOCH, slot), maker.health(EPOCH, 0)
    assert {name: column.type for name, column in probes.columns.items()} == tables()["probe"]
    assert {name: column.type for name, column in health.columns.items()} == tables()["collector_health"]


def test_every_pair_has_a_row_with_names_addresses_and_path_type() -> None:
    found = rows([1_000_000] * 16)
    assert [(row.src, row.dst, row.src_ip, row.dst_ip, row.path_type) for row in found] == [
        ("client1", "client2", "10.0.0.1", "10.0.0.2", "same_rack"),
        ("client1", "client3", "10.0.0.1", "10.0.0.3", "cross_rack"),
        ("client2", "client1", "10.0.0.2", "10.0.0.1", "same_rack"),
        ("client2", "client3", "10.0.0.2", "10.0.0.3", "cross_rack"),
        ("client3", "client1", "10.0.0.3", "10.0.0.1", "cross_rack"),
        ("client3", "client2", "10.0.0.3", "10.0.0.2", "cross_rack"),
    ]


def test_total_loss_is_a_row_without_round_trips() -> None:
    row = rows([LOST] * 16)[0]
    assert (row.packets_sent, row.packets_lost, row.send_errors, row.ports_lost) == (16, 16, 0, 0xFFFF)
    assert (row.rtt_min_ms, row.rtt_avg_ms, row.rtt_p99_ms) == (None, None, None)


def test_lost_refused_and_unsent_are_told_apart_by_port() -> None:
    row = rows([LOST, REFUSED, UNSENT, *[2_000_000] * 13])[0]
    assert (row.packets_sent, row.packets_lost, row.send_errors) == (15, 2, 1)
    assert (row.ports_sent, row.ports_lost) == (0xFFFB, 0b11)
    assert row.rtt_ms_by_port == (None, None, None, *[2.0] * 13)


def test_statistics_are_over_answered_probes_only() -> None:
    row = rows([LOST, *[port * 1_000_000 for port in range(1, 16)]])[0]
    assert (row.rtt_min_ms, row.rtt_avg_ms, row.rtt_max_ms) == (1.0, 8.0, 15.0)
    assert (row.rtt_p90_ms, row.rtt_p99_ms) == (14.0, 15.0)


def test_percentiles_of_a_single_answer_are_that_answer() -> None:
    assert statistics_ms([5_000_000]) == (5.0, 5.0, 5.0, 5.0, 5.0)


def test_a_row_has_the_time_of_its_last_probe() -> None:
    # The don't-fragment probes were sent after all others.
    assert [row.t_ns - WALL_OFFSET for row in rows([1] * 16)] == [111, 127, 143, 159, 175, 191]


def test_a_damaged_answer_is_neither_lost_nor_has_it_a_round_trip() -> None:
    row = rows([CORRUPTED, LOST, *[2_000_000] * 14], [CORRUPTED, CORRUPTED, *[1_000_000] * 14])[0]
    assert (row.packets_sent, row.packets_lost, row.packets_corrupted) == (16, 1, 3)
    assert (row.ports_lost, row.ports_corrupted) == (0b10, 0b11)
    assert (row.rtt_ms_by_port[0], row.rtt_avg_ms) == (None, 2.0)
    assert (row.df_sent, row.df_lost) == (16, 0)


def test_refused_probes_are_told_by_port() -> None:
    row = rows([REFUSED, LOST, *[2_000_000] * 14])[0]
    assert (row.ports_refused, row.send_errors) == (0b01, 1)


def test_dont_fragment_probes_have_counts_and_masks_of_their_own() -> None:
    row = rows([1_000_000] * 16, [LOST, REFUSED, 1_000_000, 1_000_000, *[UNSENT] * 12])[0]
    assert (row.df_sent, row.df_lost, row.df_send_errors) == (4, 2, 1)
    assert (row.df_ports_sent, row.df_ports_lost, row.df_ports_refused) == (0b1111, 0b11, 0b10)
    assert (row.packets_sent, row.packets_lost) == (16, 0)


def test_rows_say_which_ports_were_probed_in_one_go() -> None:
    maker = RowMaker(CLIENTS, (6, 6, 4))
    slot = Slot(memoryview(array("q", range(192))), memoryview(array("q", [LOST] * 192)))
    assert {row.batch_starts for row in to_records(maker.probes(EPOCH, slot)) if isinstance(row, Probe)} == {
        1 | 1 << 6 | 1 << 12
    }


@pytest.mark.parametrize(("unsent", "message"), [(0, ""), (3, "3 probes were not sent")])
def test_health_says_whether_everything_was_sent(unsent: int, message: str) -> None:
    (health,) = to_records(RowMaker(CLIENTS).health(EPOCH, unsent))
    assert health == CollectorHealth(
        t_ns=WALL_OFFSET + 999,
        collector="pingmesh",
        epoch=7,
        is_complete=not unsent,
        records_written=6,
        overload_drops=2,
        stalls=1,
        late_replies=3,
        unmatched_replies=4,
        message=message,
    )
