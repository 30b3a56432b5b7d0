"""How fast the store takes and gives a K=12 epoch: `python tests/bench/bench_store.py`."""

import os
import platform
import random
import tempfile
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from netopsbench.core.clock import now_ns
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.batch import Batch
from netopsbench.telemetry.path_table import COLUMNS, measured
from netopsbench.telemetry.probe_sockets import Client
from netopsbench.telemetry.recorder import Epoch, RowMaker, Slot
from netopsbench.telemetry.schedule import ordered_pairs
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.tools.telemetry.mesh import ClientPair, compare

CLIENTS = 144
PORTS = 16
EPOCHS = 5


def epoch_rows(maker: RowMaker, number: int, started_ns: int) -> Batch:
    """The rows of one epoch of 0.2 ms round trips, 1 in 1,000 of them lost."""
    rng = random.Random(number)
    cells = CLIENTS * (CLIENTS - 1) * PORTS
    trips = array("q", [-1 if rng.random() < 0.001 else 200_000 + rng.randrange(50_000) for _ in range(cells)])
    trips.extend(300_000 if cell % PORTS < 2 else -4 for cell in range(cells))
    slot = Slot(memoryview(array("q", range(2 * cells))), memoryview(trips))
    return maker.probes(Epoch(number, 0, started_ns, started_ns + cells, started_ns, 0, 0, 0, 0, 0), slot)


@contextmanager
def timed(what: str, rows: int = 0) -> Iterator[None]:
    started = time.perf_counter()
    yield
    elapsed = time.perf_counter() - started
    print(f"{what}: {elapsed:.3f} s" + (f", {rows / elapsed:,.0f} rows/s" if rows else ""))


def show_tools(store: StoreClient, baseline: Window, current: Window) -> None:
    """What an agent waits for when it asks for the whole mesh, first and then again."""
    pairs = [
        ClientPair(src=src, dst=dst, src_switch=f"edge{int(src[6:]) // 2}", dst_switch=f"edge{int(dst[6:]) // 2}")
        for src, dst in ordered_pairs([f"client{number}" for number in range(CLIENTS)])
    ]
    with timed("compare two windows of the whole mesh"):
        found = compare(store, baseline, current, pairs)
    with timed("describe a page of 50 paths"):
        described = [found.path(place) for place in range(50)]
    print(f"{len(found.pairs)} paths, {len(found.anomalies)} formal anomalies, the worst is {described[0].state}")


def measure(store: StoreClient) -> None:
    maker = RowMaker([Client(f"client{i}", f"192.168.{i}.2", f"edge{i // 2}", "") for i in range(CLIENTS)])
    started_ns = now_ns()
    for number in range(1, EPOCHS + 1):
        with timed(f"work out the rows of epoch {number}"):
            batch = epoch_rows(maker, number, started_ns + number * 10**9)
        with timed(f"append epoch {number}", batch.rows):
            store.append_batches([batch])
    window = Window(since_ns=started_ns + 2 * 10**9, until_ns=started_ns + 5 * 10**9)
    with timed("one pair in a window of three epochs"):
        store.query("probe", window, {"src": "client1", "dst": "client2"})
    with timed("the whole window of three epochs, in the columns that detectors need"):
        store.query_columns("probe", COLUMNS, window)
    with timed("the same read and added up per path and port"):
        measured(store, window)
    with timed("count the window"):
        store.counts(window)
    show_tools(store, Window(since_ns=started_ns, until_ns=started_ns + 3 * 10**9), window)
    with timed("the whole window of three epochs, as records"):
        found = store.query("probe", window)
    with timed("the same as records to append", len(found)):
        store.append(found)
    print(f"{len(found)} rows; {store.written} written, {store.acknowledged} acknowledged, {store.counts()}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with timed("start, use and close in all"), store_running(Path(folder)) as store:
            measure(store)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"{size / (CLIENTS * (CLIENTS - 1) * (EPOCHS + 3)):.0f} bytes a row on disk")
    print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
