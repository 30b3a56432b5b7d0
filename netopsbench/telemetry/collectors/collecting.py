"""The collectors beside a running fabric, as the trial sees them: start them, wait for polls, stop them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.pace import CollectorPace, collector_pace
from netopsbench.telemetry.following import Following, following
from netopsbench.telemetry.pace import Timing

COLLECTORS = "netopsbench.telemetry.collectors.main"
START_TIMEOUT_S = 60.0
_POLL_SLACK_S = 60.0
"""Longer than any store keeps the collectors waiting, so that they can say what it was waiting for."""


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

    def __init__(self, process: Following[PollReport], pace: CollectorPace) -> None:
        self.pace = pace
        self._process = process

    def wait_polls(self, count: int = 1, *, after_ns: int = 0, timeout_s: float | None = None) -> Window:
        """The time from the start of the first to the end of the last of the next `count` polls after `after_ns`.

        Polls with gaps count too: what is missing is in the store. Raises InfraError("telemetry_failed").
        """
        limit_s = count * self.pace.poll_s + _POLL_SLACK_S if timeout_s is None else timeout_s
        found = _since(self._process.wait(lambda polls: len(_since(polls, after_ns)) >= count, limit_s), after_ns)
        if len(found) < count:
            why = self._process.failure or f"within {limit_s:g} s"
            raise InfraError("telemetry_failed", f"{len(found)} of {count} polls of the collectors came: {why}")
        return Window(since_ns=found[0].started_ns, until_ns=found[count - 1].ended_ns)

    def poll_now(self) -> Window:
        """Have everything polled at once, off the beat, and wait until it is stored."""
        asked_ns = now_ns()
        self._process.tell(b"")
        return self.wait_polls(after_ns=asked_ns)

    def reports(self) -> tuple[PollReport, ...]:
        """Every poll stored so far."""
        return self._process.reports()

    def gaps(self) -> tuple[PollReport, ...]:
        """The polls so far in which something was missing."""
        return tuple(report for report in self.reports() if report.gaps)


def _since(polls: Sequence[PollReport], after_ns: int) -> list[PollReport]:
    return [report for report in polls if report.started_ns >= after_ns]


@contextmanager
def collecting(fabric: Fabric, store_socket: Path, timing: Timing) -> Iterator[Collecting]:
    """Collect BGP sessions, counters and logs for the block, into the store that listens at `store_socket`.

    The first poll is stored when the block begins. Raises InfraError("telemetry_failed").
    """
    pace = collector_pace(fabric.plan, timing)
    with collecting_as(fabric, configuration(fabric, store_socket, pace), pace) as running:
        running.wait_polls()
        yield running


@contextmanager
def collecting_as(fabric: Fabric, said: Mapping[str, Any], pace: CollectorPace) -> Iterator[Collecting]:
    """Collect as `configuration` says for the block, which begins when every node and the store are reached."""
    with following(fabric, COLLECTORS, said, who="the collectors", sort=PollReport) as process:
        process.wait_ready(START_TIMEOUT_S)
        yield Collecting(process, pace)


def configuration(fabric: Fabric, store_socket: Path, pace: CollectorPace) -> dict[str, Any]:
    """What the collectors are told: where the nodes are, and the pace."""
    nodes = fabric.plan.nodes
    return {
        "pids": {node.name: fabric.pid(node.name) for node in nodes},
        "routers": [node.name for node in nodes if "bgpd" in node.daemons],
        "store": str(store_socket.absolute()),
        **pace.model_dump(),
    }
