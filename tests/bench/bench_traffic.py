"""What background traffic costs the probes: `python tests/bench/bench_traffic.py SCALE [EPOCHS [EPOCH_S [SHARE]]]`."""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import Probe, Window
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.pingmesh import pingmesh
from netopsbench.telemetry.store_client import store_running
from netopsbench.traffic.matrix import Matrix, matrix_of
from netopsbench.traffic.run import own_share, traffic

CONVERGENCE_S = 300.0


@contextmanager
def fabric_up(scale: str) -> Iterator[Fabric]:
    plan = plan_fabric(load_spec(scale))
    fabric = NativeEngine(fetch_software(print)).deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=CONVERGENCE_S)
        yield fabric
    finally:
        fabric.destroy()


def measure(fabric: Fabric, matrix: Matrix, share: float, epochs: int, epoch_s: float | None) -> None:
    """Probe with the traffic running (share 0: without), and print what came of both."""
    pace = pace_for(fabric.plan, "fast")
    if epoch_s:
        pace = pace.model_copy(update={"epoch_s": epoch_s, "cycle_s": epoch_s})
    running = traffic(fabric, matrix, share) if share else nullcontext()
    with tempfile.TemporaryDirectory() as folder, store_running(Path(folder)) as store:
        began = time.monotonic()
        with running as flows:
            if flows:
                print(f"{len(matrix.flows)} flows run after {time.monotonic() - began:.2f} s")
            with pingmesh(fabric, store.socket_path, pace) as mesh:
                before, began = flows.counts() if flows else None, time.monotonic()
                window = mesh.wait_epochs(epochs, after_ns=0, timeout_s=4 * epochs * pace.epoch_s + 60)
                if flows and before:
                    span, elapsed = flows.since(before), time.monotonic() - began
                    sent, received = sum(span.sent), sum(span.received)
                    wanted = share * matrix.packets_per_s * len(matrix.flows)
                    print(
                        f"share {share:.2f}: {sent / elapsed:.0f} packets/s of {wanted:.0f}, {received} of {sent} came"
                    )
                    print(f"load average {os.getloadavg()[0]:.1f}")
                _print_probes([row for row in store.query("probe", window) if isinstance(row, Probe)], window)


def _print_probes(rows: list[Probe], window: Window) -> None:
    trips = sorted(trip for row in rows for trip in row.rtt_ms_by_port if trip is not None)
    lost, sent = sum(row.packets_lost for row in rows), sum(row.packets_sent for row in rows)
    rate = sent / (window.until_ns - window.since_ns) * 1e9
    print(f"lost {lost} of {sent} at {rate:.0f} probes/s; round trip p50 {trips[len(trips) // 2]:.3f} ms,", end=" ")
    print(f"p99 {trips[len(trips) * 99 // 100]:.3f} ms, max {trips[-1]:.3f} ms")


def main() -> None:
    given = [float(word) for word in sys.argv[2:]]
    scale = sys.argv[1] if len(sys.argv) > 1 else "xs"
    epochs, epoch_s = int(given[0]) if given else 3, given[1] if len(given) > 1 else None
    with fabric_up(scale) as fabric:
        matrix = matrix_of(fabric.plan)
        measure(fabric, matrix, 0, epochs, epoch_s)
        measure(fabric, matrix, given[2] if len(given) > 2 else own_share(matrix), epochs, epoch_s)
    print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
