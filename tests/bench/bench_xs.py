"""How quick and how small the smallest fabric and its cases are: `python tests/bench/bench_xs.py [RUNS]`.

Every figure is shown with its share of the bound that it should stay below.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.run import Terms, run
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.trial import Trial

RUNS = 5
UP_S, DOWN_S, CASE_S, QUICKSTART_S, MEMORY_MIB = 4.0, 0.5, 15.0, 180.0, 500.0
CONVERGE_DEADLINE_S = 60.0
_MIB = 1 << 20


def show(what: str, unit: str, figures: Sequence[float], bound: float) -> None:
    """Median, worst, and how much of the bound the median takes."""
    median = statistics.median(figures)
    print(f"{what}: median {median:.2f} {unit}, worst {max(figures):.2f}; {median / bound:.0%} of {bound:g} {unit}")


def measure_life(engine: NativeEngine, runs: int) -> None:
    """Up and converged, and down."""
    plan = plan_fabric(load_spec("xs"))
    ups, downs = [], []
    for _ in range(runs):
        started = time.perf_counter()
        fabric = engine.deploy(plan, render_files(plan))
        try:
            with observing(fabric) as eyes:
                converge(eyes, deadline_s=CONVERGE_DEADLINE_S)
                ups.append(time.perf_counter() - started)
        finally:
            started = time.perf_counter()
            fabric.destroy()
            downs.append(time.perf_counter() - started)
    show("up and converged", "s", ups, UP_S)
    show("down", "s", downs, DOWN_S)


class Scales:
    """Listens to a run, and weighs all that it has started when the question is put."""

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}

    def phase(self, trial_id: str, phase: str) -> None:
        if phase == "agent":
            self.sizes = {pid: proportional_size(pid) for pid in descendants(os.getpid())}

    def finished(self, trial: Trial) -> None:
        pass


def measure_memory(engine: NativeEngine) -> None:
    """A fabric with everything that watches it, in one case; shared pages count in parts."""
    scales = Scales()
    whole = plan_run(RunRequest(source="quickstart", agents=("nop",)))
    one = plan_run(RunRequest(source="quickstart", agents=("nop",), cases=(whole.info.planned[0].case_id,)))
    with tempfile.TemporaryDirectory() as folder:
        run(one, engine, Path(folder) / "run", scales, Terms(workers=1))
    show(f"memory of {len(scales.sizes)} processes", "MiB", [sum(scales.sizes.values()) / _MIB], MEMORY_MIB)


def proportional_size(pid: int) -> int:
    """Bytes of memory, each page divided by the number of its users; 0 for a process that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def descendants(root: int) -> set[int]:
    """All processes below one."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        children.setdefault(int(text[text.rindex(")") + 2 :].split()[1]), []).append(int(stat.parent.name))
    found: set[int] = set()
    new = children.get(root, [])
    while new:
        found.update(new)
        new = [child for pid in new for child in children.get(pid, [])]
    return found


def measure_quickstart() -> None:
    """The whole command with the baseline agent, and what its cases took."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        argv = [sys.executable, "-m", "netopsbench.cli.main", "quickstart", "--out", str(out)]
        started = time.perf_counter()
        subprocess.run(argv, check=False, capture_output=True, cwd=folder)
        elapsed = time.perf_counter() - started
        trials = [Trial.model_validate_json(path.read_bytes()) for path in sorted((out / "trials").iterdir())]
    show("quickstart", "s", [elapsed], QUICKSTART_S)
    for trial in trials:
        if trial.error is not None:
            print(f"not scored: {trial.error.reason}: {trial.error.message}")
    show(f"infrastructure time of {len(trials)} cases", "s", [trial.infra_time_s for trial in trials], CASE_S)
    show_phases(trials)


def show_phases(trials: Iterable[Trial]) -> None:
    """Median of each phase over the cases."""
    times: dict[str, list[float]] = {}
    for trial in trials:
        for phase in trial.phases:
            times.setdefault(phase.name, []).append(phase.elapsed_s)
    print("phases: " + ", ".join(f"{name} {statistics.median(found):.2f} s" for name, found in times.items()))


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    engine = NativeEngine(fetch_software(print))
    measure_life(engine, runs)
    measure_memory(engine)
    measure_quickstart()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load}")


if __name__ == "__main__":
    main()
