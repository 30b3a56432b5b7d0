"""The same telemetry read from DuckDB and from InfluxDB: nothing tells the two apart."""

import random
from collections.abc import Iterator
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest
from test_store import probe

from netopsbench.core.clock import now_ns
from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry.detect import detect, port_detail
from netopsbench.telemetry.duckdb_store import DuckDbStore
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.path_table import measured
from netopsbench.telemetry.schedule import PORTS
from netopsbench.telemetry.tables import to_batches

SECOND = 10**9


@pytest.fixture
def both(influx_address: InfluxAddress, tmp_path: Path) -> Iterator[tuple[DuckDbStore, InfluxStore]]:
    with closing(DuckDbStore(tmp_path / "telemetry.duckdb")) as inside, closing(InfluxStore(influx_address)) as outside:
        yield inside, outside


def epoch(clients: int, started_ns: int, lossy: frozenset[str] = frozenset()) -> list[Record]:
    """One epoch of a mesh; what the clients in `lossy` send gets lost by every third port and is slow otherwise."""
    rng = random.Random(started_ns)
    names = [f"client{number}" for number in range(clients)]
    records: list[Record] = []
    for src, dst in permutations(names, 2):
        quick = [0.15 + rng.random() / 10 for _ in range(PORTS)]
        slow = [None if rng.random() < 1 / 3 else 120.0 + rng.random() for _ in range(PORTS)]
        records.append(probe(started_ns + len(records), src, dst, slow if src in lossy else quick))
    return records


def test_both_give_the_same_anomalies_and_the_same_detail_per_port(both: tuple[DuckDbStore, InfluxStore]) -> None:
    start = now_ns() - 100 * SECOND
    for number in range(6):
        records = epoch(8, start + number * SECOND, frozenset({"client0"}) if number >= 3 else frozenset())
        for store in both:
            assert store.append(records) == 56
    before = Window(since_ns=start, until_ns=start + 3 * SECOND)
    during = Window(since_ns=start + 3 * SECOND, until_ns=start + 6 * SECOND)
    inside, outside = ((store.query("probe", before), store.query("probe", during)) for store in both)
    assert inside == outside
    told = [detect(measured(store, before), measured(store, during)) for store in both]
    assert {anomaly.kind for anomaly in told[1]} == {"latency_spike", "packet_loss"}
    assert told[0] == told[1]
    details = [port_detail(measured(store, during), "client0", "client1") for store in both]
    assert details[0] == details[1]


def test_an_epoch_of_the_largest_mesh_is_complete_in_both(both: tuple[DuckDbStore, InfluxStore]) -> None:
    batches = to_batches(epoch(144, now_ns() - SECOND))
    for store in both:
        assert store.append_batches(batches) == 20_592
    inside, outside = (store.query_batches("probe") for store in both)
    assert inside == outside
