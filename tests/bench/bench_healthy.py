"""How often a healthy mesh gives a formal anomaly: `python tests/bench/bench_healthy.py [SCALE] [WINDOWS] [EPOCHS]`.

Windows of whole epochs follow each other without a gap and each is compared with the one before. When none of n has
a false anomaly, the share of windows that have one is below 3/n (with 95 % confidence: the rule of three).
"""

import sys
import tempfile
from pathlib import Path

from bench_pingmesh import fabric_up

from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.collecting import collecting
from netopsbench.telemetry.detect import Anomaly, baseline_problems, detect
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.path_table import PathTable, measured
from netopsbench.telemetry.pingmesh import Pingmesh, expected_pairs, pingmesh
from netopsbench.telemetry.store import Store
from netopsbench.telemetry.store_client import store_running
from netopsbench.traffic.matrix import matrix_of
from netopsbench.traffic.run import own_share, traffic

PATIENCE = 20
"""A window may take so many times its length: epochs in which the prober was overloaded don't count."""


def next_window(mesh: Pingmesh, epochs: int, after_ns: int, epoch_s: float) -> Window:
    return mesh.wait_epochs(epochs, after_ns=after_ns, timeout_s=60 + PATIENCE * epochs * epoch_s)


def judge(before: PathTable, now: PathTable, number: int) -> tuple[Anomaly, ...]:
    found = detect(before, now)
    for anomaly in found[:5]:
        print(f"window {number}: {anomaly.kind} from {anomaly.src} to {anomaly.dst}: {anomaly}")
    return found


def watch(mesh: Pingmesh, store: Store, windows: int, epochs: int, epoch_s: float) -> int:
    """Number of windows with a false anomaly."""
    span = next_window(mesh, epochs, 0, epoch_s)
    before, false = measured(store, span), 0
    for number in range(1, windows + 1):
        # An epoch begins after the last one's end, or at it.
        span = next_window(mesh, epochs, span.until_ns - 1, epoch_s)
        now = measured(store, span)
        false += bool(judge(before, now, number))
        before = now
    return false


def main() -> None:
    scale = sys.argv[1] if len(sys.argv) > 1 else "xs"
    windows = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    epochs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder, fabric_up(scale) as fabric, store_running(Path(folder)) as store:
        pace, matrix = pace_for(fabric.plan, "fast"), matrix_of(fabric.plan)
        with (
            collecting(fabric, store.socket_path, "fast"),
            traffic(fabric, matrix, own_share(matrix)),
            pingmesh(fabric, store.socket_path, pace) as mesh,
        ):
            first = next_window(mesh, 1, 0, pace.epoch_s)
            problems = baseline_problems(measured(store, first), expected_pairs(fabric.plan))
            if problems:
                sys.exit(f"{scale} is not healthy: {'; '.join(problems[:5])}")
            false = watch(mesh, store, windows, epochs, pace.epoch_s)
            spoiled = sum(bool(report.trouble(report.rows)) for report in mesh.reports())
        print(f"{scale}: {false} of {windows} healthy windows of {epochs} epochs have a formal anomaly;", end=" ")
        print(f"{spoiled} of {len(mesh.reports())} epochs were left out as spoiled by the prober's host")
        if not false:
            print(f"so less than {min(3 / windows, 1):.1%} of such windows have one (95 % confidence, rule of three)")
    sys.exit(bool(false))


if __name__ == "__main__":
    main()
