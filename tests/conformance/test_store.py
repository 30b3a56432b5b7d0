"""What every store promises, checked on each of them."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.records.telemetry import CollectorHealth, Probe, Record, Window
from netopsbench.telemetry.duckdb_store import DuckDbStore
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_delivery import Patience
from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.store import MemoryStore, Store
from netopsbench.telemetry.store_client import store_running
from netopsbench.telemetry.tables import tables

T0 = 1_700_000_000_000_000_000


def probe(
    t_ns: int = T0, src: str = "client1", dst: str = "client2", trips: Sequence[float | None] = (1.0, None)
) -> Probe:
    answered = [trip for trip in trips if trip is not None]
    return Probe(
        t_ns=t_ns,
        epoch=1,
        src=src,
        dst=dst,
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
        rtt_min_ms=min(answered, default=None),
        rtt_avg_ms=sum(answered) / len(answered) if answered else None,
        rtt_max_ms=max(answered, default=None),
        rtt_p90_ms=max(answered, default=None),
        rtt_p99_ms=max(answered, default=None),
        rtt_ms_by_port=tuple(trips),
    )


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
    # The records here are from 2023, which an ordinary store takes for times in a wrong unit.
    with closing(InfluxStore(address, Patience(furthest_s=1e12))) as store:
        yield store


@pytest.fixture(
    params=[memory, duckdb_file, store_running, influx], ids=["memory", "duckdb", "owner process", "influx"]
)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened: Callable[[Path | InfluxAddress], AbstractContextManager[Store]] = request.param
    with opened(request.getfixturevalue("influx_address") if opened is influx else tmp_path) as found:
        yield found


def test_records_come_back_equal(store: Store) -> None:
    records: list[Record] = [probe(), probe(dst="client3", trips=(None, None)), health(message="all sent")]
    assert store.append(records) == 3
    assert store.query("probe") == records[:2]
    assert store.query("collector_health") == records[2:]


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
