"""What every store promises, checked on each of them."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from probe_rows import probe_row

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError, SpecError
from netopsbench.records.telemetry import BgpEvent, CollectorGap, CollectorHealth, Probe, Record, Window
from netopsbench.telemetry.duckdb_store import DuckDbStore
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.store import MemoryStore, Store
from netopsbench.telemetry.store_client import store_running
from netopsbench.telemetry.tables import row_values, tables

T0 = now_ns()


def probe(
    t_ns: int = T0, src: str = "client1", dst: str = "client2", trips: Sequence[float | None] = (1.0, None)
) -> Probe:
    return probe_row(t_ns, trips, epoch=1, src=src, dst=dst)


def health(t_ns: int = T0, message: str = "") -> CollectorHealth:
    return CollectorHealth(
        t_ns=t_ns, collector="pingmesh", epoch=1, is_complete=True, records_written=1, overload_drops=0, message=message
    )


@contextmanager
def memory(_: Path) -> Iterator[Store]:
    yield MemoryStore()


@contextmanager
def duckdb_file(folder: Path) -> Iterator[Store]:
    with closing(DuckDbStore(folder / "telemetry.duckdb")) as store:
        yield store


@contextmanager
def influx(address: InfluxAddress) -> Iterator[Store]:
    with closing(InfluxStore(address)) as store:
        yield store


LASTING = [
    pytest.param((duckdb_file, "tmp_path"), id="duckdb"),
    pytest.param((store_running, "tmp_path"), id="owner process"),
    pytest.param((influx, "influx_1_address"), id="influx"),
    pytest.param((influx, "influx_2_address"), id="influx 2.x", marks=pytest.mark.slow),
]


def opened(request: pytest.FixtureRequest) -> AbstractContextManager[Store]:
    opening, place = request.param
    found: AbstractContextManager[Store] = opening(request.getfixturevalue(place))
    return found


@pytest.fixture(params=[pytest.param((memory, "tmp_path"), id="memory"), *LASTING])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with opened(request) as found:
        yield found


def test_records_come_back_equal(store: Store) -> None:
    records: list[Record] = [probe(), probe(dst="client3", trips=(None, None)), health(message="all sent")]
    assert store.append(records) == 3
    assert store.query("probe") == records[:2]
    assert store.query("collector_health") == records[2:]


def test_text_that_is_missing_stays_missing_beside_text_that_is_there(store: Store) -> None:
    def gap(source: str | None) -> CollectorGap:
        return CollectorGap(t_ns=T0, since_ns=T0 - 5, collector="syslog", source=source, missing=1, what="silent")

    def event(before: str | None, after: str | None) -> BgpEvent:
        return BgpEvent(
            t_ns=T0, source="leaf1", neighbor_address="10.1.1.1", from_state=before, to_state=after, times_lost=0
        )

    records: list[Record] = [gap(None), gap("leaf1"), event(None, "Idle"), event("Idle", None)]
    store.append(records)
    assert store.query("collector_gap") + store.query("bgp_event") == records
    (batch,) = store.query_columns("collector_gap", ("source",))
    assert list(row_values(batch.columns["source"], batch.rows)) == [None, "leaf1"]


def test_total_loss_is_a_row_without_round_trips(store: Store) -> None:
    store.append([probe(trips=(None,) * 16)])
    (row,) = store.query("probe")
    assert isinstance(row, Probe)
    assert (row.packets_lost, row.rtt_avg_ms, row.rtt_ms_by_port) == (16, None, (None,) * 16)


def test_a_round_trip_of_exactly_one_millisecond_spoils_nothing_after_it(store: Store) -> None:
    records = [probe(trips=(1,)), probe(trips=(1.5,)), probe(dst="client3", trips=(2.25,))]
    store.append(records)
    assert [row.rtt_avg_ms for row in store.query("probe") if isinstance(row, Probe)] == [1.0, 1.5, 2.25]


def test_a_window_holds_its_first_moment_and_not_its_last(store: Store) -> None:
    store.append([probe(T0 + step) for step in (0, 1, 2, 3)])
    found = store.query("probe", Window(since_ns=T0 + 1, until_ns=T0 + 3))
    assert [record.t_ns - T0 for record in found] == [1, 2]


def test_records_come_oldest_first_and_keep_their_nanoseconds(store: Store) -> None:
    store.append([probe(T0 + 7), probe(T0 + 1)])
    store.append([probe(T0 + 3)])
    assert [record.t_ns - T0 for record in store.query("probe")] == [1, 3, 7]


def test_lists_of_different_length_keep_their_lengths_and_the_order_of_time(store: Store) -> None:
    records = [probe(T0, trips=(1.0,)), probe(T0 + 1, trips=()), probe(T0 + 2, trips=(1.0, None, 3.0)), probe(T0 + 3)]
    store.append(records)
    assert store.query("probe") == records


def test_conditions_select_by_the_value_of_fields(store: Store) -> None:
    store.append([probe(src="client1"), probe(src="client2"), probe(src="client1", dst="client3")])
    assert len(store.query("probe", where={"src": "client1"})) == 2
    assert len(store.query("probe", where={"src": "client1", "dst": "client3", "packets_lost": 1})) == 1
    assert store.query("probe", where={"src": "nobody"}) == []


def test_a_condition_on_a_yes_or_no_field_works_too(store: Store) -> None:
    store.append([health()])
    assert len(store.query("collector_health", where={"is_complete": True})) == 1
    assert store.query("collector_health", where={"is_complete": False}) == []


@pytest.mark.parametrize(
    ("kind", "where", "wanted"),
    [
        ("prob", None, "known kinds: probe"),
        ("probe", {"source": "client1"}, "probe has the fields"),
        ("probe", {'src" OR "1': "1"}, "probe has the fields"),
    ],
)
def test_an_unknown_kind_or_field_is_named_with_the_known_ones(
    store: Store, kind: str, where: dict[str, str | int] | None, wanted: str
) -> None:
    with pytest.raises(SpecError, match=wanted):
        store.query(kind, where=where)


@pytest.mark.parametrize("text", ["", "two\nlines", "a,b=c d", 'a"quote', "back\\", "it's", "naïve 🛰", "NaN", "null"])
def test_text_of_any_kind_comes_back_as_it_was(store: Store, text: str) -> None:
    store.append([health(message=text)])
    assert store.query("collector_health", where={"message": text}) == [health(message=text)]


def test_counts_name_every_kind_also_the_empty_ones(store: Store) -> None:
    store.append([probe(), probe()])
    assert store.counts() == {**dict.fromkeys(tables(), 0), "probe": 2}


def test_an_empty_append_stores_nothing(store: Store) -> None:
    assert store.append([]) == 0
    assert sum(store.counts().values()) == 0


def test_counts_of_a_window_leave_out_what_lies_outside(store: Store) -> None:
    store.append([probe(T0 + step) for step in (0, 1, 2, 3)])
    assert store.counts(Window(since_ns=T0 + 1, until_ns=T0 + 3))["probe"] == 2


def test_single_columns_hold_the_same_values_row_by_row(store: Store) -> None:
    records = [probe(T0, trips=(1.0, None)), probe(T0 + 1, dst="client3", trips=(None, 2.5)), probe(T0 + 9)]
    store.append(records)
    window = Window(since_ns=T0, until_ns=T0 + 5)
    (batch,) = store.query_columns("probe", ("rtt_ms_by_port", "dst", "rtt_avg_ms", "ports_lost"), window)
    rows = zip(*(row_values(column, batch.rows) for column in batch.columns.values()), strict=True)
    assert list(batch.columns) == ["rtt_ms_by_port", "dst", "rtt_avg_ms", "ports_lost"]
    assert sorted(rows, key=lambda row: row[1]) == [((1.0, None), "client2", 1.0, 2), ((None, 2.5), "client3", 2.5, 1)]


def test_columns_of_records_of_different_shape_come_apart(store: Store) -> None:
    store.append([probe(trips=(1.0,)), probe(trips=()), probe(trips=(1.0, None, 3.0))])
    batches = store.query_columns("probe", ("t_ns", "rtt_ms_by_port"))
    assert sorted((batch.rows, batch.columns["rtt_ms_by_port"].width) for batch in batches) == [(1, 0), (1, 1), (1, 3)]


def test_columns_can_be_chosen_by_the_value_of_fields(store: Store) -> None:
    store.append([probe(src="client1"), probe(src="client2")])
    assert [batch.rows for batch in store.query_columns("probe", ("dst",), where={"src": "client1"})] == [1]
    assert sum(batch.rows for batch in store.query_columns("probe", ("dst",), where={"src": "nobody"})) == 0


def test_an_unknown_column_is_named_with_the_known_ones(store: Store) -> None:
    with pytest.raises(SpecError, match="probe has the fields"):
        store.query_columns("probe", ("source",))


@pytest.fixture(params=LASTING)
def lasting(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Stores that outlive a process, and so have to be strict about what gets in."""
    with opened(request) as found:
        yield found


@pytest.mark.parametrize("divisor", [10**9, 10**6, 10**3], ids=["seconds", "milliseconds", "microseconds"])
def test_a_time_in_another_unit_is_refused_with_the_whole_append(lasting: Store, divisor: int) -> None:
    with pytest.raises(InfraError, match="more than 3600 s from now; times are nanoseconds since 1970"):
        lasting.append([probe(), probe(T0 // divisor)])
    assert lasting.counts()["probe"] == 0


def test_a_time_of_more_than_an_hour_ahead_is_refused(lasting: Store) -> None:
    with pytest.raises(InfraError, match="more than 3600 s from now"):
        lasting.append([probe(now_ns() + 3_700 * 10**9)])


@pytest.mark.parametrize("name", ["spine\none", "a,b", "a=b", "a b", 'a"b', "back\\", "🛰", "x\x00"])
def test_a_name_outside_the_allowed_characters_is_refused(lasting: Store, name: str) -> None:
    with pytest.raises(InfraError, match=r"probe\.src is .*names are letters, digits"):
        lasting.append([probe(src=name)])
    assert lasting.counts()["probe"] == 0


def test_a_stopped_prober_and_a_dead_network_leave_different_records(store: Store) -> None:
    store.append([probe(T0, trips=(None,) * 16), probe(T0 + 10, dst="client3")])
    dead = Window(since_ns=T0, until_ns=T0 + 5)
    stopped = Window(since_ns=T0 + 5, until_ns=T0 + 10)
    (row,) = store.query("probe", dead)
    assert isinstance(row, Probe)
    assert (row.packets_sent, row.packets_lost, row.rtt_min_ms, row.rtt_p99_ms) == (16, 16, None, None)
    assert (store.query("probe", stopped), store.counts(stopped)["probe"]) == ([], 0)


def test_several_writers_at_once_lose_nothing(store: Store) -> None:
    def write(number: int) -> None:
        for step in range(5):
            store.append([probe(T0 + step, src=f"client{number}") for _ in range(20)])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.counts()["probe"] == 400


def test_closing_twice_is_no_mistake(tmp_path: Path) -> None:
    for opened in (MemoryStore(), DuckDbStore(tmp_path / "telemetry.duckdb")):
        opened.close()
        opened.close()
