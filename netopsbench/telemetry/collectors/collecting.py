"""The collectors beside a running fabric, as the trial sees them: start them, wait for polls, stop them."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.pace import CollectorPace, collector_pace
from netopsbench.telemetry.pace import Timing

COLLECTORS = "netopsbench.telemetry.collectors.main"
START_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 5.0
_POLL_SLACK_S = 20.0


class PollReport(Model):
    """What the collectors say of a poll that the store acknowledged."""

    poll: int
    started_ns: int
    ended_ns: int
    rows: int
    gaps: int
    """Nodes that didn't answer, polls that were missed, losses of lines."""
    what: str
    """The first gaps in words."""


class Collecting:
    """Running collectors. All waiting has a deadline, and all failure is InfraError("telemetry_failed")."""

    def __init__(self, process: "subprocess.Popen[bytes]", pace: CollectorPace) -> None:
        self.pace = pace
        self._process = process
        self._changed = threading.Condition()
        self._is_ready = False
        self._polls: list[PollReport] = []
        self._failure = ""
        self._reader = threading.Thread(target=self._read, name="collector reports", daemon=True)
        self._reader.start()

    def wait_ready(self, timeout_s: float) -> None:
        """Return once every node and the store are reached."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_ready or self._failure, timeout_s)
            if not self._is_ready:
                why = self._failure or f"they are not ready after {timeout_s:g} s"
                raise InfraError("telemetry_failed", f"the collectors did not start: {why}")

    def wait_polls(self, count: int = 1, *, after_ns: int = 0, timeout_s: float | None = None) -> Window:
        """The time from the start of the first to the end of the last of the next `count` polls after `after_ns`.

        Polls with gaps count too: what is missing is in the store. Raises InfraError("telemetry_failed").
        """
        limit_s = count * self.pace.poll_s + _POLL_SLACK_S if timeout_s is None else timeout_s
        with self._changed:
            self._changed.wait_for(lambda: len(self._since(after_ns)) >= count or self._failure, limit_s)
            found = self._since(after_ns)
            if len(found) < count:
                why = self._failure or f"within {limit_s:g} s"
                raise InfraError("telemetry_failed", f"{len(found)} of {count} polls came: {why}")
        return Window(since_ns=found[0].started_ns, until_ns=found[count - 1].ended_ns)

    def poll_now(self) -> Window:
        """Have everything polled at once, off the beat, and wait until it is stored."""
        asked_ns = now_ns()
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        return self.wait_polls(after_ns=asked_ns)

    def reports(self) -> tuple[PollReport, ...]:
        """Every poll stored so far."""
        with self._changed:
            return tuple(self._polls)

    def gaps(self) -> tuple[PollReport, ...]:
        """The polls so far in which something was missing."""
        return tuple(report for report in self.reports() if report.gaps)

    def stop(self) -> None:
        """End the collectors."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_TIMEOUT_S)

    def _since(self, after_ns: int) -> list[PollReport]:
        return [report for report in self._polls if report.started_ns >= after_ns]

    def _read(self) -> None:
        """Follow the reports until the output ends."""
        output = self._process.stdout
        if output is not None:
            with output:
                for line in output:
                    self._take(json.loads(line))
        with self._changed:
            self._failure = self._failure or "their process ended"
            self._changed.notify_all()

    def _take(self, said: dict[str, Any]) -> None:
        event = said.pop("event")
        with self._changed:
            if event == "ready":
                self._is_ready = True
            elif event == "poll":
                self._polls.append(PollReport.model_validate(said))
            else:
                self._failure = self._failure or str(said["message"])
            self._changed.notify_all()


@contextmanager
def collecting(fabric: Fabric, store_socket: Path, timing: Timing) -> Iterator[Collecting]:
    """Collect BGP sessions, counters and logs for the block, into the store that listens at `store_socket`.

    The first poll is stored when the block begins. Raises InfraError("telemetry_failed").
    """
    pace = collector_pace(fabric.plan, timing)
    running = Collecting(fabric.spawn([sys.executable, "-m", COLLECTORS]), pace)
    try:
        _configure(running, configuration(fabric, store_socket, pace))
        running.wait_ready(START_TIMEOUT_S)
        running.wait_polls()
        yield running
    finally:
        running.stop()


def configuration(fabric: Fabric, store_socket: Path, pace: CollectorPace) -> dict[str, Any]:
    """What the collectors are told: where the nodes are, and the pace."""
    nodes = fabric.plan.nodes
    return {
        "pids": {node.name: fabric.pid(node.name) for node in nodes},
        "routers": [node.name for node in nodes if "bgpd" in node.daemons],
        "store": str(store_socket.absolute()),
        **pace.model_dump(),
    }


def _configure(running: Collecting, said: dict[str, Any]) -> None:
    stdin = running._process.stdin
    assert stdin is not None
    with suppress(BrokenPipeError):
        # If it has ended already, its reports say why.
        stdin.write(json.dumps(said).encode() + b"\n")
        stdin.flush()
