"""Fabrics of every scale: phases of `up`, memory and `down`, against the bounds. Prints; asserts nothing.

Run `python tests/bench/bench_fabric.py [SCALE …]` on a quiet machine, as root or as an ordinary user.
"""

import sys
import time
from dataclasses import dataclass

from machine import told_speed

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.native.usage import cpu_s, memory_mib
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files

BOUNDS = {
    "xs": (4.0, 300),
    "large": (6.0, 1024),
    "fat-tree-k8": (12.0, 3 * 1024),
    "fat-tree-k12": (20.0, 6 * 1024),
    "xlarge": (45.0, 7 * 1024),
}
"""Seconds until converged, and MiB."""
DOWN_BOUND_S = 2.0
SETTLE_S = 5.0
"""After a large fabric the kernel goes on freeing its memory."""


@dataclass
class Figures:
    """What one scale took."""

    plan: FabricPlan
    phases_s: dict[str, float]
    up_s: float
    memory: float
    cpu: dict[str, float]
    down_s: float


def measure(engine: NativeEngine, scale: str) -> Figures:
    start = time.monotonic()
    plan = plan_fabric(load_spec(scale))
    files = render_files(plan)
    ends = {"plan": time.monotonic() - start}
    fabric = engine.deploy(plan, files, lambda phase, *_: ends.__setitem__(phase, time.monotonic() - start))
    try:
        ends["handle"] = time.monotonic() - start
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=180)
        ends["converge"] = up_s = time.monotonic() - start
        cpu = cpu_s(fabric.handle)
        memory = sum(memory_mib(fabric.handle).values())
    finally:
        stop = time.monotonic()
        fabric.destroy()
        down_s = time.monotonic() - stop
    names = list(ends)
    phases = {name: ends[name] - (ends[names[at - 1]] if at else 0) for at, name in enumerate(names)}
    return Figures(plan, phases, up_s, memory, cpu, down_s)


def told(scale: str, figures: Figures) -> str:
    up_bound, memory_bound = BOUNDS[scale]
    phases = " ".join(f"{name} {seconds:.2f}" for name, seconds in figures.phases_s.items())
    sessions = sum(link.kind == "fabric" for link in figures.plan.links)
    spent = sorted(figures.cpu.items(), key=lambda item: -item[1])[:4]
    cpu = ", ".join(f"{name} {seconds:.1f}" for name, seconds in spent)
    longest = max(figures.phases_s, key=lambda name: figures.phases_s[name])
    return (
        f"{scale:13} up {figures.up_s:5.1f} s ({figures.up_s / up_bound:4.0%} of {up_bound:g}), "
        f"{figures.memory:6.0f} MiB ({figures.memory / memory_bound:4.0%}), "
        f"down {figures.down_s:4.2f} s ({figures.down_s / DOWN_BOUND_S:4.0%}), "
        f"{1000 * figures.up_s / sessions:5.1f} ms a session, "
        f"{1000 * figures.up_s / len(figures.plan.links):5.1f} ms a link"
        f"\n{'':13} {phases}; longest: {longest}; CPU seconds: {cpu}"
    )


def main() -> None:
    engine = NativeEngine(fetch_software(print))
    for scale in sys.argv[1:] or BOUNDS:
        print(told_speed(), flush=True)
        print(told(scale, measure(engine, scale)), flush=True)
        time.sleep(SETTLE_S)


if __name__ == "__main__":
    main()
