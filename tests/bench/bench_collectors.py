"""What collecting costs: `python tests/bench/bench_collectors.py SCALE SECONDS`; needs a machine that runs fabrics.

Prints CPU shares of the collectors, the store and the routing daemons, these also while nobody asks them.
"""

import os
import platform
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from netopsbench.core.clock import now_ns
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.telemetry.collectors.collecting import collecting
from netopsbench.telemetry.store_client import store_running

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
WATCHED = ("bgpd", "netopsbench.telemetry.collectors.main", "netopsbench.telemetry.store_owner")


@contextmanager
def fabric_up(scale: str) -> Iterator[Fabric]:
    plan = plan_fabric(load_spec(scale))
    fabric = NativeEngine().deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=180)
        yield fabric
    finally:
        fabric.destroy()


def own_processes() -> Iterator[tuple[list[str], list[str]]]:
    """Command line and state of every process below this one; other fabrics may be running too."""
    seen: dict[int, tuple[list[str], list[str]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            seen[int(folder.name)] = words, (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
    for words, fields in seen.values():
        parent = int(fields[1])
        while parent in seen and parent != os.getpid():
            parent = int(seen[parent][1][1])
        if parent == os.getpid():
            yield words, fields


def cpu_seconds() -> dict[str, float]:
    """CPU time so far by program, all processes of a program together; `keeper` includes the syslog reader."""
    found: dict[str, float] = defaultdict(float)
    for words, fields in own_processes():
        if words[0] == "nsenter":
            continue
        for name in (*WATCHED, "netopsbench.fabric.native.keeper"):
            if name in (words[0].rpartition("/")[2], *words[1:]):
                found[name.removeprefix("netopsbench.")] += (int(fields[11]) + int(fields[12])) / TICKS_PER_S
    return found


def shares(label: str, seconds: float) -> None:
    before, began = cpu_seconds(), time.monotonic()
    time.sleep(seconds)
    after, elapsed = cpu_seconds(), time.monotonic() - began
    parts = [f"{name} {100 * (after[name] - before[name]) / elapsed:.1f} %" for name in after]
    print(f"{label}, share of a core: {', '.join(parts)}")


def main() -> None:
    scale = sys.argv[1] if len(sys.argv) > 1 else "xs"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as folder, fabric_up(scale) as fabric, store_running(Path(folder)) as store:
        time.sleep(5)
        shares("without collectors", seconds)
        began = time.monotonic()
        with collecting(fabric, store.socket_path, "fast") as collectors:
            print(f"{scale}: first poll stored after {time.monotonic() - began:.2f} s; {collectors.pace}")
            collectors.wait_polls(after_ns=now_ns())
            shares("with collectors", seconds)
            spans_ms = [(report.ended_ns - report.started_ns) / 1e6 for report in collectors.reports()]
            asked = time.monotonic()
            collectors.poll_now()
            print(
                f"polls took {min(spans_ms):.0f} to {max(spans_ms):.0f} ms; on demand {time.monotonic() - asked:.2f} s"
            )
            print(
                f"polls {len(spans_ms)}, with gaps {len(collectors.gaps())}: {[gap.what for gap in collectors.gaps()]}"
            )
        print(store.counts())
        print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
