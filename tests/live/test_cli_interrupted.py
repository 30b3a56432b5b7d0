"""A run that is killed or interrupted at any moment leaves nothing running, and keeps what it had."""

import math
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import traces
from case_runs import COMMAND, PHASES, UPLINK_SHUT, campaign_of, environment, phases_of, written

from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.handle import start_time
from netopsbench.scoring.run import score_run

pytestmark = pytest.mark.live

COLLECTED_S = 15.0
CHANCE = random.Random(20)
MOMENTS = [(phase, round(CHANCE.uniform(0, 0.5), 2)) for phase in CHANCE.sample(PHASES, 5)]
AGENTS = ("nop", "always-healthy", "always-faulty", "random", "oracle")
TRIALS = 4 * len(AGENTS)
"""More than a machine runs at once, so that some are over and some not begun when a run is cut short."""


@dataclass(frozen=True)
class Footprint:
    """What belongs to a command that runs."""

    processes: dict[int, int]
    """PID to start time."""
    namespaces: frozenset[str]
    """Network namespaces that are not the host's."""

    taken_ticks: float
    """When it was taken, in clock ticks since boot."""

    def left(self) -> list[str]:
        """What of it is still there; the kernel gives the number of a namespace that is gone to another one soon."""
        alive = [f"process {pid}" for pid, started in self.processes.items() if start_time(pid) == started]
        older = [pid for pid in all_pids() if (start_time(pid) or math.inf) <= self.taken_ticks]
        return alive + sorted(self.namespaces & set(_namespaces(older)))


def footprint(root: int) -> Footprint:
    family = _descendants(root)
    host = str(Path("/proc/self/ns/net").readlink())
    started = {pid: when for pid in family if (when := start_time(pid)) is not None}
    taken = time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")
    return Footprint(started, frozenset(_namespaces(family)) - {host}, taken)


def all_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def _descendants(root: int) -> list[int]:
    parent_of = {}
    for pid in all_pids():
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        parent_of[pid] = int(text[text.rindex(")") + 2 :].split()[1])
    found, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parent_of.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return sorted(found)


def _namespaces(pids: list[int]) -> list[str]:
    found = []
    for pid in pids:
        try:
            found.append(str(Path(f"/proc/{pid}/ns/net").readlink()))
        except OSError:
            continue
    return found


def nothing_left(before: Footprint) -> list[str]:
    """What is left when the kernel has had time to collect everything."""
    deadline = time.monotonic() + COLLECTED_S
    while (left := before.left()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def of_host() -> tuple[list[str], list[str]]:
    found = traces.of_fabrics()
    return found["links"], found["mounts"]


class Run:
    """A quickstart in a process group of its own, as a terminal would start it."""

    def __init__(self, folder: Path) -> None:
        campaign = written(campaign_of({**UPLINK_SHUT, "count": 2}, healthy=2), folder / "small.yaml")
        self.out = folder / "out"
        self._said = folder / "said"
        words = ["quickstart", "--campaign", str(campaign), "--out", str(self.out)]
        for agent in AGENTS:
            words += ["--agent", agent]
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [*COMMAND, *words], stdout=said, stderr=said, cwd=folder, env=environment(), start_new_session=True
            )

    def end(self) -> None:
        """Whatever has become of it, leave nothing."""
        self.process.kill()
        self.process.wait()

    @property
    def said(self) -> str:
        return self._said.read_text()

    def stopped_at(self, phase: str, delay_s: float) -> Footprint:
        """Halt the runner a moment after a later trial has come to `phase`, and look at all that it has started."""
        self._wait(lambda: f"[1/{TRIALS}]" in self.said)
        before = len(phases_of(self.out))
        self._wait(lambda: phase in phases_of(self.out)[before:])
        time.sleep(delay_s)
        self.process.send_signal(signal.SIGSTOP)
        return footprint(self.process.pid)

    def _wait(self, has_come: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 120
        while not has_come():
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.01)

    def kept(self) -> list[str]:
        """How the trials ended that can be read from the run's folder, which says that there are more to come."""
        scored = score_run(self.out)
        assert scored.records.problems == ()
        assert scored.records.info.finished_ns is None
        assert sum(agent.counts.missing for agent in scored.summary.agents) == TRIALS - len(scored.records.trials)
        return [trial.end for trial in scored.records.trials]


@pytest.fixture
def run(engine: NativeEngine, tmp_path: Path) -> Iterator[Run]:
    started = Run(tmp_path)
    yield started
    started.end()


@pytest.mark.parametrize(
    ("phase", "delay_s"),
    [*MOMENTS[:2], *(pytest.param(*moment, marks=pytest.mark.slow) for moment in MOMENTS[2:])],
    ids=[phase for phase, _ in MOMENTS],
)
def test_a_killed_run_leaves_nothing_and_keeps_its_earlier_trial(phase: str, delay_s: float, run: Run) -> None:
    host = of_host()
    before = run.stopped_at(phase, delay_s)
    run.process.kill()
    run.process.wait()
    assert nothing_left(before) == []
    assert of_host() == host
    assert "scored" in run.kept()
    assert "Traceback" not in run.said


@pytest.mark.parametrize(
    ("phase", "delay_s"),
    [*MOMENTS[:2], *(pytest.param(*moment, marks=pytest.mark.slow) for moment in MOMENTS[2:])],
    ids=[phase for phase, _ in MOMENTS],
)
def test_an_interrupted_run_cleans_up_says_so_and_keeps_its_earlier_trial(phase: str, delay_s: float, run: Run) -> None:
    # A terminal sends it to every process of the foreground.
    ends_cleanly(run, phase, delay_s, lambda: os.killpg(run.process.pid, signal.SIGINT), exit_code=130)


@pytest.mark.slow
@pytest.mark.parametrize(("phase", "delay_s"), MOMENTS[:3], ids=[phase for phase, _ in MOMENTS[:3]])
def test_a_closed_terminal_ends_a_run_as_an_interruption_does(phase: str, delay_s: float, run: Run) -> None:
    ends_cleanly(run, phase, delay_s, lambda: os.killpg(run.process.pid, signal.SIGHUP), exit_code=129)


@pytest.mark.slow
@pytest.mark.parametrize(("phase", "delay_s"), MOMENTS[:3], ids=[phase for phase, _ in MOMENTS[:3]])
def test_a_run_that_another_program_ends_does_so_as_after_an_interruption(phase: str, delay_s: float, run: Run) -> None:
    ends_cleanly(run, phase, delay_s, run.process.terminate, exit_code=143)


def ends_cleanly(run: Run, phase: str, delay_s: float, tell: Callable[[], None], *, exit_code: int) -> None:
    host = of_host()
    before = run.stopped_at(phase, delay_s)
    run.process.send_signal(signal.SIGCONT)
    tell()
    returncode = run.process.wait(60)
    assert nothing_left(before) == []
    assert of_host() == host
    assert "Traceback" not in run.said
    assert returncode == exit_code, run.said
    assert f"interrupted; the trials that were over are saved in {run.out}" in run.said
    assert "scored" in run.kept()
    assert not (run.out / "work").exists()
