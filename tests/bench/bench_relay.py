"""What a delay on a cable costs and how exact it is: `python tests/bench/bench_relay.py [DELAY_MS]`.

Each line is one load on one link, first without and then with the delay; the relay's processor time and memory come
with it. The sender and the receiver share the machine with the relay.
"""

import json
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import faults_in_turn
import wire_blast

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.native.software import fetch_software
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.faults.commands import said
from netopsbench.faults.inject import clear, inject

LOADS = ((1_500, 300, 64), (100_000, 20_000, 64), (100_000, 20_000, 1_400), (10_000, 2_000, 9_072))
"""Packets, packets a second, bytes of payload."""


def blast(fabric: NativeFabric, count: int, rate: int, size: int) -> dict[str, float]:
    words = [fabric.pid("leaf1"), "10.1.1.2", fabric.pid("spine1"), "eth1", "10.1.1.1", count, rate, size]
    running = fabric.spawn([sys.executable, "-P", str(Path(wire_blast.__file__).resolve()), *map(str, words)])
    told: dict[str, float] = json.loads(running.communicate()[0])
    return told


def relay_cost(fabric: NativeFabric) -> tuple[float, float]:
    """Processor seconds and resident MiB of the relay; zeros when none runs."""
    find = "for p in /proc/[0-9]*; do grep -aqs faults.wire_relay $p/cmdline && cat $p/stat; done; true"
    fields = [line.rpartition(")")[2].split() for line in fabric.exec_wire(["sh", "-c", find]).stdout.splitlines()]
    relays = [each for each in fields if int(each[21]) > 1_000]
    ticks = sum(int(each[11]) + int(each[12]) for each in relays)
    pages = sum(int(each[21]) for each in relays)
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """One fabric, every load, without and with the delay."""
    delay_ms = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    print(f"{os.cpu_count()} cores, kernel {platform.release()}, delay {delay_ms:g} ms")
    late = parse_fault("high_latency", {"at": "leaf1:eth1", "delay_ms": delay_ms}, "bench")
    with faults_in_turn.watched_fabric(NativeEngine(fetch_software(print))) as (fabric, _):
        for load in LOADS:
            print("without", json.dumps(blast(fabric, *load)), flush=True)
        inject(fabric, late)
        for load in LOADS:
            before_s, _ = relay_cost(fabric)
            told = blast(fabric, *load)
            after_s, memory_mib = relay_cost(fabric)
            share = (after_s - before_s) * told["rate"] / told["sent"]
            print("delayed", json.dumps(told), f"relay: {share:.0%} of a core, {memory_mib:.0f} MiB", flush=True)
        print(said(fabric, change_of(late, fabric.plan).counters, "bench")[0])
        clear(fabric, late)


if __name__ == "__main__":
    main()
