"""Background traffic over a running fabric, as the trial sees it: start it, watch it, stop it."""

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.native.limits import read_limits
from netopsbench.fabric.queries import client_address, nodes_by_name
from netopsbench.records.trial import TrafficView
from netopsbench.traffic.matrix import PAYLOAD_BYTES, Matrix

GENERATOR = "netopsbench.traffic.generator"
START_TIMEOUT_S = 30.0
ANSWER_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 5.0
CROSSINGS_PER_S_PER_CORE = 20_000
"""At 4 µs each, a twelfth of a core: the rest is for probes and routing."""
ARRIVING_SHARE = 0.9
"""A flow that runs delivers at least so much of what it sends."""
UNDER_WAY = 3
"""Packets that may be on their way when the counters are read."""


class Counts(Model):
    """Packets of every flow since the traffic started, in the order of the matrix."""

    t_ns: int
    sent: tuple[int, ...]
    received: tuple[int, ...]
    refused: tuple[int, ...]
    """Packets that their own host would not take, because the way was cut."""


def machine_share(matrix: Matrix, cores: float) -> float:
    """Which share of the matrix's rate a machine of so many cores sends, at most 1; the same for all cases."""
    if not matrix.crossings_per_s:
        return 1.0
    return min(1.0, cores * CROSSINGS_PER_S_PER_CORE / matrix.crossings_per_s)


def own_share(matrix: Matrix) -> float:
    """`machine_share` of this machine."""
    return machine_share(matrix, read_limits(Path("/")).cores)


def stopped(matrix: Matrix, before: Counts, after: Counts) -> tuple[str, ...]:
    """Flows that did not run between two readings, in words."""
    found = []
    for number, flow in enumerate(matrix.flows):
        sent = after.sent[number] - before.sent[number]
        received = after.received[number] - before.received[number]
        if not sent or received < ARRIVING_SHARE * sent - UNDER_WAY:
            found.append(f"{flow}: {received} of {sent} packets arrived")
    return tuple(found)


class Traffic:
    """A running generator. All failure is InfraError("telemetry_failed")."""

    def __init__(self, process: "subprocess.Popen[bytes]", matrix: Matrix, share: float) -> None:
        self.matrix = matrix
        self.share = share
        self._process = process

    def counts(self) -> Counts:
        """Everything counted so far."""
        self.tell(b"\n")
        return Counts.model_validate(self.answer("counts", ANSWER_TIMEOUT_S))

    def require_running(self, before: Counts) -> Counts:
        """The counts now, once every flow has run since `before`.

        Raises InfraError("traffic_incomplete") naming flows that have not.
        """
        now = self.counts()
        idle = stopped(self.matrix, before, now)
        if idle:
            shown = "; ".join(idle[:3])
            raise InfraError(
                "traffic_incomplete", f"{len(idle)} of {len(self.matrix.flows)} flows did not run: {shown}"
            )
        return now

    def require_sending(self, before: Counts) -> Counts:
        """The counts now, once every flow has at least tried to send since `before`: a fault may cut what it cuts.

        Raises InfraError("traffic_incomplete") naming flows that have not.
        """
        now = self.counts()
        idle = [
            str(flow)
            for number, flow in enumerate(self.matrix.flows)
            if now.sent[number] + now.refused[number] == before.sent[number] + before.refused[number]
        ]
        if idle:
            raise InfraError("traffic_incomplete", f"{len(idle)} flows sent nothing: {'; '.join(idle[:3])}")
        return now

    def view(self, baseline: tuple[Counts, Counts], case: tuple[Counts, Counts]) -> TrafficView:
        """What a trial's record keeps, from the readings around its baseline and around its case."""
        return TrafficView(
            flows=len(self.matrix.flows),
            packets_per_s=self.matrix.packets_per_s * self.share,
            machine_share=self.share,
            baseline_sent=sum(baseline[1].sent) - sum(baseline[0].sent),
            baseline_received=sum(baseline[1].received) - sum(baseline[0].received),
            case_sent=sum(case[1].sent) - sum(case[0].sent),
            case_received=sum(case[1].received) - sum(case[0].received),
            flows_cut=len(stopped(self.matrix, *case)),
        )

    def tell(self, line: bytes) -> None:
        """Hand the generator one line."""
        assert self._process.stdin is not None
        # What a dead generator had to say is read next.
        with suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def answer(self, event: str, timeout_s: float) -> dict[str, object]:
        """The generator's next line, which must be this event."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], timeout_s)
        line = self._process.stdout.readline() if ready else b""
        said: dict[str, object] = json.loads(line) if line else {}
        if said.pop("event", "") == event:
            return said
        why = said.get("message") or ("its process ended" if ready else f"no answer after {timeout_s:g} s")
        raise InfraError("telemetry_failed", f"the background traffic failed: {why}")

    def stop(self) -> None:
        """End the generator, and with it all flows."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


@contextmanager
def traffic(fabric: Fabric, matrix: Matrix, share: float) -> Iterator[Traffic]:
    """Run all flows of the matrix for the block, each at `share` of the matrix's rate.

    Raises InfraError("telemetry_failed") when a flow can't be started, or there is none.
    """
    if not matrix.flows:
        raise InfraError("telemetry_failed", f"{fabric.plan.name} has fewer than two clients: no traffic can flow")
    flows = Traffic(fabric.spawn([sys.executable, "-P", "-m", GENERATOR]), matrix, share)
    try:
        flows.tell(json.dumps(configuration(fabric, matrix, share)).encode() + b"\n")
        flows.answer("ready", START_TIMEOUT_S)
        yield flows
    finally:
        flows.stop()


def configuration(fabric: Fabric, matrix: Matrix, share: float) -> dict[str, object]:
    """What the generator is told: where both ends of every flow are, and the pace."""
    address = {name: str(client_address(node)) for name, node in nodes_by_name(fabric.plan).items()}
    ends = [
        {
            "protocol": flow.protocol,
            "src": address[flow.src],
            "src_port": flow.src_port,
            "src_pid": fabric.pid(flow.src),
            "dst": address[flow.dst],
            "dst_port": flow.dst_port,
            "dst_pid": fabric.pid(flow.dst),
        }
        for flow in matrix.flows
    ]
    packets_per_s = matrix.packets_per_s * share * len(matrix.flows)
    return {"flows": ends, "payload_bytes": PAYLOAD_BYTES, "interval_ns": max(1, round(1e9 / packets_per_s))}
