"""Whether Telegraf and InfluxDB keep up with a K=12 epoch: `python tests/bench/bench_influx.py`."""

import os
import platform
import resource
import tempfile
from pathlib import Path

from bench_store import CLIENTS, EPOCHS, epoch_rows, timed

from netopsbench.core.clock import now_ns
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.probe_sockets import Client
from netopsbench.telemetry.recorder import RowMaker
from netopsbench.telemetry.services.programs import find_programs
from netopsbench.telemetry.services.running import Service, services_running
from netopsbench.telemetry.services.setup import new_setup


def cpu_s(service: Service) -> float:
    fields = Path(f"/proc/{service.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(service: Service) -> float:
    pages = int(Path(f"/proc/{service.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(store: InfluxStore) -> None:
    maker = RowMaker([Client(f"client{i}", f"192.168.{i}.2", f"edge{i // 2}", "") for i in range(CLIENTS)])
    started_ns = now_ns()
    for number in range(1, EPOCHS + 1):
        batch = epoch_rows(maker, number, started_ns + number * 10**9)
        with timed(f"append epoch {number}", batch.rows):
            store.append_batches([batch])
    window = Window(since_ns=started_ns + 2 * 10**9, until_ns=started_ns + 5 * 10**9)
    with timed("one pair in a window of three epochs"):
        found = store.query("probe", window, {"src": "client1", "dst": "client2"})
    with timed("one epoch, in columns"):
        store.query_batches("probe", Window(since_ns=started_ns + 2 * 10**9, until_ns=started_ns + 3 * 10**9))
    with timed("the whole window of three epochs, in columns"):
        batches = store.query_batches("probe", window)
    with timed("counts"):
        counts = store.counts()
    print(f"{len(found)} and {sum(batch.rows for batch in batches)} rows; {counts['probe']} stored")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with services_running(new_setup(Path(folder), find_programs(), 0)) as services:
            with timed("open, a point through the whole chain"):
                store = InfluxStore(services.setup.address)
            measure(store)
            with timed("close"):
                store.close()
            for service in (services.telegraf, services.influxdb):
                print(f"{service.name}: {cpu_s(service):.1f} s of CPU, {rss_mb(service):.0f} MB")
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        print(f"{size / (CLIENTS * (CLIENTS - 1) * EPOCHS):.0f} bytes a row on disk")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"this process: {usage.ru_utime + usage.ru_stime:.1f} s of CPU")
    print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
