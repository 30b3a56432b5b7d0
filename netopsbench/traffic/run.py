"""Background traffic over a running fabric, as the trial sees it: start it, watch it, stop it."""

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Span:
    """Two readings; packets of every flow between them, in the order of the matrix."""

    before: Counts
    after: Counts

    @property
    def sent(self) -> tuple[int, ...]:
        return _risen(self.before.sent, self.after.sent)

    @property
    def received(self) -> tuple[int, ...]:
        return _risen(self.before.received, self.after.received)

    @property
    def refused(self) -> tuple[int, ...]:
        return _risen(self.before.refused, self.after.refused)


def machine_share(matrix: Matrix, cores: float) -> float:
    """Which share of the matrix's rate a machine of so many cores sends, at most 1; the same for all cases."""
    if not matrix.crossings_per_s:
        return 1.0
    return min(1.0, cores * CROSSINGS_PER_S_PER_CORE / matrix.crossings_per_s)


def own_share(matrix: Matrix) -> float:
    """`machine_share` of this machine."""
    return machine_share(matrix, read_limits(Path("/")).cores)


def stopped(matrix: Matrix, span: Span) -> tuple[str, ...]:
    """Flows that did not run in a span, in words."""
    return tuple(
        f"{flow}: {received} of {sent} packets arrived"
        for flow, sent, received in zip(matrix.flows, span.sent, span.received, strict=True)
        if not sent or received < ARRIVING_SHARE * sent - UNDER_WAY
    )


def unsent(matrix: Matrix, span: Span) -> tuple[str, ...]:
    """Flows that the generator left out in a span, in words."""
    return tuple(
        f"{flow}: no packet was sent"
        for flow, sent, refused in zip(matrix.flows, span.sent, span.refused, strict=True)
        if not sent and not refused
    )


class Traffic:
    """A running generator, watched over a baseline and then over a case.

    When it fails, InfraError("telemetry_failed"); when flows are missing, InfraError("traffic_incomplete").
    """

    def __init__(self, process: "subprocess.Popen[bytes]", matrix: Matrix, share: float) -> None:
        self.matrix = matrix
        self.share = share
        self._process = process

    def counts(self) -> Counts:
        """Everything counted so far."""
        self.tell(b"\n")
        return Counts.model_validate(self.answer("counts", ANSWER_TIMEOUT_S))

    def since(self, before: Counts, *, may_be_cut: bool = False) -> Span:
        """The span from `before` to now, in which every flow must have run.

        With `may_be_cut`, every flow must at least have tried to send: a fault may cut what it cuts.
        """
        span = Span(before=before, after=self.counts())
        idle = unsent(self.matrix, span) if may_be_cut else stopped(self.matrix, span)
        if idle:
            shown = "; ".join(idle[:3])
            raise InfraError(
                "traffic_incomplete", f"{len(idle)} of {len(self.matrix.flows)} flows did not run: {shown}"
            )
        return span

    def view(self, baseline: Span, case: Span) -> TrafficView:
        """What a trial's record keeps."""
        return TrafficView(
            flows=len(self.matrix.flows),
            packets_per_s=self.matrix.packets_per_s * self.share,
            machine_share=self.share,
            baseline_sent=sum(baseline.sent),
            baseline_received=sum(baseline.received),
            case_sent=sum(case.sent),
            case_received=sum(case.received),
            flows_cut=len(stopped(self.matrix, case)),
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


def _risen(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(now - then for then, now in zip(before, after, strict=True))
