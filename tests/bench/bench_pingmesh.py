"""How fast the mesh can be probed: `python tests/bench/bench_pingmesh.py [SCALE] [EPOCHS] [ORDINARY_SECONDS]`.

Collectors run beside it, as in a trial; the third argument sets the time over which ordinary probes are spread.
"""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.collecting import collecting
from netopsbench.telemetry.pace import Pace, pace_for
from netopsbench.telemetry.path_table import measured
from netopsbench.telemetry.pingmesh import Pingmesh, pingmesh
from netopsbench.telemetry.store import Store
from netopsbench.telemetry.store_client import store_running

CONVERGENCE_S = 180.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
BOUNDS_S = {"large": 4.0, "fat-tree-k8": 15.0, "xlarge": 15.0, "fat-tree-k12": 18.0}
"""For the ordinary probes of one epoch."""
BOUND_P99_MS = 2.0


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
    """CPU time so far of our prober's processes, the collectors and the store's owner, eldest first."""
    found: dict[str, float] = {}
    mine = {os.getpid()}
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # Parents are older, and nearly always have the smaller number.
        if int(fields[1]) not in mine:
            continue
        mine.add(int(folder.name))
        if words[0] != "nsenter" and "netopsbench.telemetry" in " ".join(words):
            name = next(word for word in words if word.startswith("netopsbench.telemetry"))
            found[f"{name} {folder.name}"] = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
    return found


def show_epochs(mesh: Pingmesh, pace: Pace, scale: str) -> None:
    bound = BOUNDS_S.get(scale)
    for report in mesh.reports():
        span_s = (report.ended_ns - report.started_ns) / 1e9
        ordinary_s = span_s * pace.cycle_s / (pace.cycle_s + pace.df_s)
        share = f" ({ordinary_s / bound:.0%} of {bound:g} s)" if bound else ""
        print(
            f"epoch {report.epoch}: {span_s:.2f} s, about {ordinary_s:.2f} s of it ordinary{share},"
            f" {report.scheduled / span_s:.0f} probes/s, unsent {report.unsent}, drops {report.overload_drops},"
            f" stalls {report.stalls}, late {report.late_replies}"
        )


def show_round_trips(store: Store) -> None:
    trips, lost, sent, df_lost, df_sent = [], 0, 0, 0, 0
    names = ("rtt_ms_by_port", "packets_lost", "packets_sent", "df_lost", "df_sent")
    for batch in store.query_columns("probe", names):
        trips.append(np.frombuffer(batch.columns["rtt_ms_by_port"].values))
        counted = [sum(batch.columns[name].values) for name in names[1:]]
        lost, sent, df_lost, df_sent = (
            int(before + more) for before, more in zip((lost, sent, df_lost, df_sent), counted, strict=True)
        )
    p50, p99, most = np.nanpercentile(np.concatenate(trips), [50, 99, 100])
    print(f"lost {lost} of {sent}, and {df_lost} of {df_sent} don't-fragment ones")
    print(
        f"round trip p50 {p50:.3f} ms, p99 {p99:.3f} ms ({p99 / BOUND_P99_MS:.0%} of {BOUND_P99_MS:g} ms),"
        f" {most:.3f} ms at most"
    )


def show_queries(store: Store, window: Window) -> None:
    started = time.perf_counter()
    table = measured(store, window)
    elapsed_s = time.perf_counter() - started
    print(f"the window of {len(table.epochs)} epochs, {len(table)} paths: read and added up in {elapsed_s:.2f} s")


def main() -> None:
    scale = sys.argv[1] if len(sys.argv) > 1 else "xs"
    epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder, fabric_up(scale) as fabric, store_running(Path(folder)) as store:
        pace = pace_for(fabric.plan, "fast")
        if len(sys.argv) > 3:
            cycle_s = float(sys.argv[3])
            pace = pace.model_copy(update={"epoch_s": cycle_s + pace.df_s, "cycle_s": cycle_s})
        started = time.monotonic()
        with collecting(fabric, store.socket_path, "fast"), pingmesh(fabric, store.socket_path, pace) as mesh:
            print(f"{scale}: prober ready after {time.monotonic() - started:.2f} s; epochs of {pace.epoch_s:.2f} s")
            mesh.wait_epochs(1, after_ns=0, timeout_s=20 * pace.epoch_s + 20)
            before, began = cpu_seconds(), time.monotonic()
            try:
                window = mesh.wait_epochs(epochs, after_ns=0, timeout_s=3 * epochs * pace.epoch_s + 20)
            finally:
                after, elapsed = cpu_seconds(), time.monotonic() - began
                show_epochs(mesh, pace, scale)
                for name, seconds in after.items():
                    print(f"{name}: {100 * (seconds - before.get(name, 0)) / elapsed:.1f} % of a core")
        show_round_trips(store)
        show_queries(store, window)
        print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
