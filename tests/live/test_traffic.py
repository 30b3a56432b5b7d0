"""Background traffic on real namespaces: all of it runs, a fault cuts its own share, and it ends without a trace."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import faults_in_turn
import pytest

from netopsbench.core.errors import InfraError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.native.software import fetch_software
from netopsbench.faults.inject import clear, inject
from netopsbench.faults.witness import Witness, poll
from netopsbench.records.faults import LinkDown
from netopsbench.traffic.matrix import matrix_of
from netopsbench.traffic.run import Span, Traffic, stopped, traffic

pytestmark = pytest.mark.live

SHARE = 0.3
"""Enough for every flow to be seen, on a machine that others use too."""


@pytest.fixture(scope="module")
def watched(engine: NativeEngine) -> Iterator[tuple[NativeFabric, Witness]]:
    with faults_in_turn.watched_fabric(engine, "small") as both:
        yield both


def when(flows: Traffic, is_reached: Callable[[Span], bool]) -> Span:
    """The span from now until something is so."""
    before = flows.counts()
    reached: list[Span] = []

    def look() -> tuple[str, ...]:
        reached[:] = [Span(before, flows.counts())]
        return () if is_reached(reached[0]) else ("not yet",)

    assert poll(look, 30) == ()
    return reached[0]


def each_sent(packets: int) -> Callable[[Span], bool]:
    return lambda span: min(span.sent) >= packets


def test_all_flows_run_and_lose_nothing(watched):
    fabric, _ = watched
    matrix = matrix_of(fabric.plan)
    with traffic(fabric, matrix, SHARE) as flows:
        span = when(flows, each_sent(20))
        assert stopped(matrix, span) == ()
        assert sum(span.received) >= sum(span.sent) - len(matrix.flows)
        assert sum(span.refused) == 0
        assert isinstance(flows.since(span.before), Span)


def test_a_second_run_finds_every_port_free_again(watched):
    fabric, _ = watched
    matrix = matrix_of(fabric.plan)
    for _ in range(2):
        with traffic(fabric, matrix, SHARE) as flows:
            assert stopped(matrix, when(flows, each_sent(1))) == ()


def test_nothing_of_it_stays_on_the_clients(watched):
    fabric, _ = watched

    def sockets() -> list[int]:
        tables = [fabric.exec("client1", ["cat", f"/proc/net/{table}"]).stdout for table in ("udp", "tcp")]
        return [len(table.splitlines()) - 1 for table in tables]

    with traffic(fabric, matrix_of(fabric.plan), SHARE):
        assert min(sockets()) > 0
    assert sockets() == [0, 0]


def test_a_fault_cuts_the_flows_of_its_client_and_no_others_and_they_come_back(watched):
    fabric, _ = watched
    matrix = matrix_of(fabric.plan)
    victim = next(node for node in fabric.plan.nodes if node.name == "client3")
    fault = LinkDown(at=victim.interfaces[0].peer)
    with traffic(fabric, matrix, SHARE) as flows:
        inject(fabric, fault)
        try:
            span = when(flows, lambda span: min(map(sum, zip(span.sent, span.refused, strict=True))) >= 40)
            cut = {str(flow) for flow in matrix.flows if victim.name in (flow.src, flow.dst)}
            assert {words.split(": ")[0] for words in stopped(matrix, span)} == cut
            assert flows.view(span, span).flows_cut == len(cut)
            assert flows.since(span.before, may_be_cut=True).sent
            with pytest.raises(InfraError) as incomplete:
                flows.since(span.before)
            assert incomplete.value.reason == "traffic_incomplete"
        finally:
            clear(fabric, fault)
        when(flows, lambda span: min(span.received) >= 5)


def test_a_port_that_is_taken_is_an_infrastructure_failure_and_named(watched):
    fabric, _ = watched
    matrix = matrix_of(fabric.plan)
    one_flow = matrix.model_copy(update={"flows": matrix.flows[:1]})
    with (
        traffic(fabric, one_flow, SHARE),
        pytest.raises(InfraError) as failed,
        traffic(fabric, matrix, SHARE),
    ):
        pytest.fail("two generators hold the same port")
    assert failed.value.reason == "telemetry_failed"
    assert "in use" in str(failed.value)


def run_once() -> None:
    """On the smallest fabric: all flows run."""
    with (
        faults_in_turn.watched_fabric(NativeEngine(fetch_software(print))) as (fabric, _),
        traffic(fabric, matrix_of(fabric.plan), SHARE) as flows,
    ):
        span = when(flows, each_sent(20))
        print("idle:", len(stopped(flows.matrix, span)))


def test_an_ordinary_user_can_run_it_too(as_ordinary_user):
    done = as_ordinary_user([sys.executable, str(Path(__file__).resolve())])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "idle: 0"


if __name__ == "__main__":
    run_once()
