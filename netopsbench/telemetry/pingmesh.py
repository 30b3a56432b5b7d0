"""The mesh of probes over a running fabric, as the trial sees it: start it, wait for whole epochs, stop it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import client_address, clients
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.datagram import IP_AND_UDP
from netopsbench.telemetry.following import Following, following
from netopsbench.telemetry.pace import Pace
from netopsbench.telemetry.schedule import ordered_pairs

PROBER = "netopsbench.telemetry.prober"
START_TIMEOUT_S = 60.0


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

    def __init__(self, process: Following[EpochReport], pairs: int) -> None:
        self._process = process
        self._pairs = pairs

    def begin_anew(self) -> None:
        """Give up the epoch under way and begin another, so that nobody waits for the end of one that he can't use."""
        self._process.tell(b"anew")

    def wait_epochs(self, count: int, *, after_ns: int, timeout_s: float) -> Window:
        """The window of the next `count` epochs in a row that started after `after_ns` and are whole and stored.

        An epoch in which the prober was overloaded, or that has gaps, says nothing about the network: the window
        begins after it. Raises InfraError("telemetry_failed") when the prober ends, or when there is no such window
        within `timeout_s`, and says what spoiled it.
        """
        reports = self._process.wait(lambda so_far: bool(self._whole(so_far, count, after_ns)), timeout_s)
        found = self._whole(reports, count, after_ns)
        if not found:
            raise InfraError("telemetry_failed", self._missing(reports, count, after_ns, timeout_s))
        return Window(since_ns=found[0].started_ns, until_ns=found[-1].ended_ns)

    def reports(self) -> tuple[EpochReport, ...]:
        """Every epoch stored so far."""
        return self._process.reports()

    def _whole(self, reports: Sequence[EpochReport], count: int, after_ns: int) -> list[EpochReport]:
        """The first `count` good epochs in a row; empty while there are fewer."""
        row: list[EpochReport] = []
        for report in reports:
            if report.started_ns > after_ns:
                row = [] if report.trouble(self._pairs) else [*row, report]
                if len(row) == count:
                    return row
        return []

    def _missing(self, reports: Sequence[EpochReport], count: int, after_ns: int, timeout_s: float) -> str:
        since = [report for report in reports if report.started_ns > after_ns]
        troubles = "".join(f"; {trouble}" for report in since if (trouble := report.trouble(self._pairs)))
        if self._process.failure:
            return f"{len(since)} of {count} epochs came before the prober failed: {self._process.failure}{troubles}"
        last = reports[-1].epoch if reports else 0
        missing = f"no {count} whole epochs in a row within {timeout_s:g} s"
        return f"{missing}: {len(since)} came, the last one stored is epoch {last}{troubles}"


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
    said = configuration(fabric, store_socket, pace)
    with following(fabric, PROBER, said, who="the prober", sort=EpochReport) as process:
        process.wait_ready(START_TIMEOUT_S)
        yield Pingmesh(process, len(pairs))


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
