"""The mesh of probes over a running fabric, as the trial sees it: start it, wait for whole epochs, stop it."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import client_address, clients
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.datagram import IP_AND_UDP
from netopsbench.telemetry.pace import Pace
from netopsbench.telemetry.schedule import ordered_pairs

PROBER = "netopsbench.telemetry.prober"
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 5.0


class EpochReport(Model):
    """What the prober says of an epoch that the store acknowledged."""

    epoch: int
    slot: int
    started_ns: int
    ended_ns: int
    wall_minus_monotonic_ns: int
    rows: int
    unsent: int
    overload_drops: int
    stalls: int
    late_replies: int
    unmatched_replies: int
    scheduled: int
    """Probes that the epoch should have sent."""

    def trouble(self, pairs: int) -> str:
        """Why the epoch says nothing about the network; empty when it does."""
        found = []
        if self.rows != pairs:
            found.append(f"{self.rows} of {pairs} pairs stored")
        if self.unsent:
            found.append(f"{self.unsent} probes not sent")
        if self.overload_drops:
            found.append(f"prober overload: {self.overload_drops} datagrams found a full buffer")
        if self.stalls:
            found.append(f"prober overload: held up {self.stalls} times")
        return f"epoch {self.epoch}: {', '.join(found)}" if found else ""


def expected_pairs(plan: FabricPlan) -> list[tuple[str, str]]:
    """Every (source, destination) that each epoch must have a row for."""
    return ordered_pairs([client.name for client in clients(plan)])


class Pingmesh:
    """A running prober. All waiting has a deadline, and all failure is InfraError("telemetry_failed")."""

    def __init__(self, process: "subprocess.Popen[bytes]", pairs: int) -> None:
        self._process = process
        self._pairs = pairs
        self._changed = threading.Condition()
        self._is_ready = False
        self._epochs: list[EpochReport] = []
        self._failure = ""
        self._reader = threading.Thread(target=self._read, name="pingmesh reports", daemon=True)
        self._reader.start()

    def wait_ready(self, timeout_s: float) -> None:
        """Return once the prober has all its sockets and begins to probe."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_ready or self._failure, timeout_s)
            if not self._is_ready:
                why = self._failure or f"it is not ready after {timeout_s:g} s"
                raise InfraError("telemetry_failed", f"the prober did not start: {why}")

    def wait_epochs(self, count: int, *, after_ns: int, timeout_s: float) -> Window:
        """The window of the next `count` epochs in a row that started after `after_ns` and are whole and stored.

        An epoch in which the prober was overloaded, or that has gaps, says nothing about the network: the window
        begins after it. Raises InfraError("telemetry_failed") when the prober ends, or when there is no such window
        within `timeout_s`, and says what spoiled it.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._whole(count, after_ns) or self._failure, timeout_s)
            found = self._whole(count, after_ns)
            if not found:
                raise InfraError("telemetry_failed", self._missing(count, after_ns, timeout_s))
        return Window(since_ns=found[0].started_ns, until_ns=found[-1].ended_ns)

    def reports(self) -> tuple[EpochReport, ...]:
        """Every epoch stored so far."""
        with self._changed:
            return tuple(self._epochs)

    def stop(self) -> None:
        """End the prober; the epoch that is being stored is finished first."""
        if self._process.stdin is not None:
            # It may have died with its configuration unread; the reader has the reason.
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_TIMEOUT_S)

    def _whole(self, count: int, after_ns: int) -> list[EpochReport]:
        """The first `count` good epochs in a row; empty while there are fewer."""
        row: list[EpochReport] = []
        for report in self._epochs:
            if report.started_ns > after_ns:
                row = [] if report.trouble(self._pairs) else [*row, report]
                if len(row) == count:
                    return row
        return []

    def _missing(self, count: int, after_ns: int, timeout_s: float) -> str:
        since = [report for report in self._epochs if report.started_ns > after_ns]
        troubles = "".join(f"; {trouble}" for report in since if (trouble := report.trouble(self._pairs)))
        if self._failure:
            return f"{len(since)} of {count} epochs came before the prober failed: {self._failure}{troubles}"
        last = self._epochs[-1].epoch if self._epochs else 0
        missing = f"no {count} whole epochs in a row within {timeout_s:g} s"
        return f"{missing}: {len(since)} came, the last one stored is epoch {last}{troubles}"

    def _read(self) -> None:
        """Follow the prober's reports until its output ends."""
        output = self._process.stdout
        if output is not None:
            with output:
                for line in output:
                    self._take(json.loads(line))
        with self._changed:
            self._failure = self._failure or "its process ended"
            self._changed.notify_all()

    def _take(self, said: dict[str, Any]) -> None:
        event = said.pop("event")
        with self._changed:
            if event == "ready":
                self._is_ready = True
            elif event == "epoch":
                self._epochs.append(EpochReport.model_validate(said))
            else:
                self._failure = self._failure or str(said["message"])
            self._changed.notify_all()


@contextmanager
def pingmesh(fabric: Fabric, store_socket: Path, pace: Pace) -> Iterator[Pingmesh]:
    """Probe the full mesh of the fabric's clients for the block, into the store that listens at `store_socket`.

    Raises InfraError("telemetry_failed") when the prober can't start, or has nothing to probe.
    """
    pairs = expected_pairs(fabric.plan)
    if not pairs:
        raise InfraError(
            "telemetry_failed", f"{fabric.plan.name} has fewer than two clients: there is nothing to probe"
        )
    process = fabric.spawn([sys.executable, "-P", "-m", PROBER])
    mesh = Pingmesh(process, len(pairs))
    try:
        _configure(process, configuration(fabric, store_socket, pace))
        mesh.wait_ready(START_TIMEOUT_S)
        yield mesh
    finally:
        mesh.stop()


def configuration(fabric: Fabric, store_socket: Path, pace: Pace) -> dict[str, Any]:
    """What the prober is told: where the clients are, and the pace."""
    ends = [
        {
            "name": client.name,
            "ip": str(client_address(client)),
            "leaf": client.attached_to,
            "netns": f"/proc/{fabric.pid(client.name)}/ns/net",
        }
        for client in clients(fabric.plan)
    ]
    longest = fabric.plan.mtu - IP_AND_UDP
    return {"clients": ends, "store": str(store_socket.absolute()), "df_bytes": longest, **pace.model_dump()}


def _configure(process: "subprocess.Popen[bytes]", said: dict[str, Any]) -> None:
    if process.stdin is None:
        raise InfraError("telemetry_failed", "the prober was started without a standard input")
    try:
        process.stdin.write(json.dumps(said).encode() + b"\n")
        process.stdin.flush()
    except BrokenPipeError as error:
        raise InfraError("telemetry_failed", "the prober ended before it was told what to probe") from error
