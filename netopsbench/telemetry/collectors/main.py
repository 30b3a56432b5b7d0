"""Collectors inside the sandbox: `python -m netopsbench.telemetry.collectors.main`; standard library only.

One process holds BGP, counters and logs. It reads its configuration as one line of JSON on standard input, polls at
once for every further line, and ends when standard input ends. It reports on standard output, a line of JSON each:
`ready`; `poll` when a poll of all collectors is in the store; `failed` with a message.
"""

import json
import os
import resource
import select
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netopsbench.fabric.syslog import LINES_SOCKET
from netopsbench.telemetry.collectors import bgp, counters, logs
from netopsbench.telemetry.collectors.bgp import BgpCollector
from netopsbench.telemetry.collectors.counters import CounterCollector
from netopsbench.telemetry.collectors.logs import LogCollector
from netopsbench.telemetry.collectors.outbox import Outbox, StoreRefusedError, accounted
from netopsbench.telemetry.collectors.reports import report_uncaught, say
from netopsbench.telemetry.collectors.rows import Gap, Gathered

LONGEST_ANSWER_S = 2.0


@dataclass(frozen=True)
class Configuration:
    """What to collect, and how often."""

    pids: dict[str, int]
    """First process of every node."""
    routers: Sequence[str]
    """The nodes that run a BGP daemon."""
    store: Path
    poll_s: float
    log_s: float
    """Lines are fetched this often, between polls too."""
    snapshot_s: float
    is_reduced: bool
    """Whether healthy sessions are written once per `snapshot_s` only."""
    lines: str = LINES_SOCKET


def read_configuration(line: str) -> Configuration:
    """The configuration out of its line of JSON. Raises KeyError, TypeError or ValueError for another line."""
    said = json.loads(line)
    return Configuration(**{**said, "store": Path(said["store"])})


class Collectors:
    """All collectors of one fabric and where their records go."""

    def __init__(self, asked: Configuration) -> None:
        """Raises OSError when the store or a node can't be reached."""
        self._outbox = Outbox(asked.store)
        self._bgp = BgpCollector(
            {name: f"/proc/{asked.pids[name]}/root/run/frr/bgpd.vty" for name in asked.routers},
            is_reduced=asked.is_reduced,
            snapshot_ns=round(asked.snapshot_s * 1e9),
            deadline_s=min(LONGEST_ANSWER_S, asked.poll_s),
        )
        self._counters = CounterCollector(asked.pids)
        self._logs = LogCollector(asked.lines)
        self._polls = 0
        self._begun_ns = 0

    def poll(self, missed: int) -> None:
        """Poll everything once, store it and report; `missed` polls were due since the last one and not made."""
        self._polls += 1
        begun_ns, before_ns, self._begun_ns = time.time_ns(), self._begun_ns, time.time_ns()
        gathered = {
            bgp.COLLECTOR: self._bgp.poll(time.time_ns()),
            counters.COLLECTOR: self._counters.poll(time.time_ns()),
            logs.COLLECTOR: self._logs.poll(time.time_ns()),
        }
        if missed:
            for name in (bgp.COLLECTOR, counters.COLLECTOR):
                late = Gap(begun_ns, before_ns, name, None, missed, f"{missed} polls were missed: the machine is busy")
                gathered[name] = Gathered(gathered[name].rows, [*gathered[name].gaps, late])
        ended_ns = time.time_ns()
        written = self._outbox.send(accounted(self._polls, ended_ns, gathered))
        gaps = [gap for found in gathered.values() for gap in found.gaps]
        say(
            "poll",
            poll=self._polls,
            started_ns=begun_ns,
            ended_ns=ended_ns,
            rows=written,
            gaps=len(gaps),
            what="; ".join(f"{gap.collector} {gap.source or 'all nodes'}: {gap.what}" for gap in gaps[:5]),
        )

    def fetch_lines(self) -> None:
        """Store the lines that have come; a poll accounts for what is missing, unless lines were lost just now."""
        found = self._logs.poll(time.time_ns())
        self._outbox.send({**found.rows, "collector_gap": found.gaps})


def collect(collectors: Collectors, asked: Configuration) -> None:
    """Poll on a fixed beat until standard input ends."""
    next_poll = next_lines = time.monotonic()
    while True:
        now = time.monotonic()
        ready, _, _ = select.select([0], [], [], max(min(next_poll, next_lines) - now, 0))
        if ready and not os.read(0, 4096):
            return
        now = time.monotonic()
        if ready or now >= next_poll:
            late = max(int((now - next_poll) / asked.poll_s), 0)
            collectors.poll(late)
            next_poll += asked.poll_s * (late + 1) if now >= next_poll else 0
            next_lines = now + asked.log_s
        elif now >= next_lines:
            collectors.fetch_lines()
            next_lines = now + asked.log_s


def main() -> int:
    """Connect to everything, say so, and collect."""
    sys.excepthook = report_uncaught
    # Up to four open files per node; the usual limit of 1024 is reached at 300 nodes.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # A second reader of standard input must find nothing that a buffer holds.
    asked = read_configuration(_first_line())
    try:
        collectors = Collectors(asked)
        say("ready")
        collect(collectors, asked)
    except (OSError, StoreRefusedError) as failure:
        say("failed", message=f"the collectors ended: {failure}")
        return 1
    return 0


def _first_line() -> str:
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1)
        if not piece:
            break
        line += piece
    return line.decode()


if __name__ == "__main__":
    sys.exit(main())
