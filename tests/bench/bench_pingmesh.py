"""How fast the mesh can be probed: `python tests/bench/bench_pingmesh.py [SCALE] [EPOCHS] [EPOCH_SECONDS]`."""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import Probe
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.pingmesh import pingmesh
from netopsbench.telemetry.store_client import store_running

CONVERGENCE_S = 180.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


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


def cpu_seconds() -> dict[str, float]:
    """CPU time so far of the prober's processes and the store's owner, eldest first."""
    found: dict[str, float] = {}
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if words[0] != "nsenter" and "netopsbench.telemetry" in " ".join(words):
            name = next(word.rpartition(".")[2] for word in words if word.startswith("netopsbench.telemetry"))
            found[f"{name} {folder.name}"] = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
    return found


def main() -> None:
    scale = sys.argv[1] if len(sys.argv) > 1 else "xs"
    epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder, fabric_up(scale) as fabric, store_running(Path(folder)) as store:
        pace = pace_for(fabric.plan, "fast")
        if len(sys.argv) > 3:
            pace = pace.model_copy(update={"epoch_s": float(sys.argv[3]), "cycle_s": float(sys.argv[3])})
        started = time.monotonic()
        with pingmesh(fabric, store.socket_path, pace) as mesh:
            print(f"{scale}: prober ready after {time.monotonic() - started:.2f} s; epochs of {pace.epoch_s:.2f} s")
            before, began = cpu_seconds(), time.monotonic()
            mesh.wait_epochs(1, after_ns=0, timeout_s=20 * pace.epoch_s + 20)
            try:
                mesh.wait_epochs(epochs, after_ns=0, timeout_s=3 * epochs * pace.epoch_s + 20)
            finally:
                after, elapsed = cpu_seconds(), time.monotonic() - began
                for report in mesh.reports():
                    span_s = (report.ended_ns - report.started_ns) / 1e9
                    rate = report.rows * 16 / span_s
                    print(
                        f"epoch {report.epoch}: {span_s:.2f} s, {rate:.0f} probes/s, unsent {report.unsent}, drops"
                        f" {report.overload_drops}, stalls {report.stalls}, late {report.late_replies}"
                    )
                for name, seconds in after.items():
                    print(f"{name}: {100 * (seconds - before.get(name, 0)) / elapsed:.1f} % of a core")
        rows = [row for row in store.query("probe") if isinstance(row, Probe)]
        trips = sorted(trip for row in rows for trip in row.rtt_ms_by_port if trip is not None)
        lost, sent = sum(row.packets_lost for row in rows), sum(row.packets_sent for row in rows)
        print(f"lost {lost} of {sent}; round trip p50 {trips[len(trips) // 2]:.3f} ms,", end=" ")
        print(f"p99 {trips[len(trips) * 99 // 100]:.3f} ms, max {trips[-1]:.3f} ms")
        print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
