"""Readings of the counters, what they must show, and what is said when the generator fails."""

import subprocess
import sys

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.traffic.matrix import Matrix, matrix_of
from netopsbench.traffic.run import Counts, Span, Traffic, configuration, machine_share, stopped, traffic, unsent


def lab(clients: int = 1) -> FabricPlan:
    topology = Clos(spines=2, leaves=2, clients_per_leaf=clients)
    return plan_fabric(FabricSpec(name="lab", topology=topology))


MATRIX = matrix_of(lab())


def counts(sent: tuple[int, int], received: tuple[int, int], refused: tuple[int, int] = (0, 0)) -> Counts:
    return Counts(t_ns=1, sent=sent, received=received, refused=refused)


ZERO = counts((0, 0), (0, 0))


def saying(*lines: str) -> "subprocess.Popen[bytes]":
    """A generator that says these lines, whatever it hears, and then waits for the end of its input."""
    program = f"import sys; print({chr(10).join(lines)!r}, flush=True); sys.stdin.read()"
    return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


class Sandbox:
    """A fabric whose every process is the given one."""

    def __init__(self, process: "subprocess.Popen[bytes]", plan: FabricPlan) -> None:
        self.plan = plan
        self.process = process

    def pid(self, node: str) -> int:
        return 100 + [each.name for each in self.plan.nodes].index(node)

    def spawn(self, argv: list[str], *, stderr: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        return self.process


def test_flows_that_deliver_what_they_send_run():
    assert stopped(MATRIX, Span(counts((10, 10), (10, 9)), counts((110, 60), (110, 58)))) == ()


@pytest.mark.parametrize("after", [counts((0, 50), (0, 50)), counts((50, 50), (0, 50)), counts((50, 50), (25, 50))])
def test_a_flow_that_sends_nothing_or_delivers_too_little_is_named(after):
    (found,) = stopped(MATRIX, Span(ZERO, after))
    assert str(MATRIX.flows[0]) in found


def test_packets_under_way_are_not_missed():
    assert stopped(MATRIX, Span(ZERO, counts((5, 5), (2, 5)))) == ()


def test_a_flow_that_a_fault_cut_was_still_sent_but_one_that_was_left_out_was_not():
    assert unsent(MATRIX, Span(ZERO, counts((0, 20), (0, 0), (20, 0)))) == ()
    assert len(unsent(MATRIX, Span(ZERO, counts((0, 20), (0, 20))))) == 1


def test_the_machines_share_depends_on_its_cores_and_never_exceeds_the_whole():
    heavy = MATRIX.model_copy(update={"crossings_per_s": 100_000.0})
    assert machine_share(heavy, 2) == 2 * machine_share(heavy, 1) < 1
    assert machine_share(heavy, 64) == 1
    assert machine_share(Matrix(flows=(), packets_per_s=0, crossings_per_s=0), 1) == 1


def test_the_generator_is_told_both_ends_and_the_pace_of_all_flows_together():
    plan = lab(clients=2)
    matrix, sandbox = matrix_of(plan), Sandbox(saying(), plan)
    told = configuration(sandbox, matrix, 0.5)
    sandbox.process.communicate()
    first = told["flows"][0]
    assert (first["src_pid"], first["dst_pid"]) == tuple(
        sandbox.pid(name) for name in (matrix.flows[0].src, matrix.flows[0].dst)
    )
    assert {first["src"], first["dst"]} <= {str(port.address.ip) for node in plan.nodes for port in node.interfaces}
    per_s = 1e9 / told["interval_ns"]
    assert per_s == pytest.approx(0.5 * matrix.packets_per_s * len(matrix.flows), rel=1e-3)


def test_a_span_in_which_all_flows_ran_is_summed_up_for_the_record():
    flows = Traffic(
        saying('{"event": "counts", "t_ns": 5, "sent": [30, 40], "received": [30, 10], "refused": [0, 0]}'), MATRIX, 0.5
    )
    span = flows.since(ZERO, may_be_cut=True)
    flows.stop()
    view = flows.view(Span(ZERO, counts((7, 7), (7, 7))), span)
    assert (view.flows, view.baseline_sent, view.case_sent, view.case_received, view.flows_cut) == (2, 14, 70, 40, 1)
    assert view.packets_per_s == MATRIX.packets_per_s / 2
    assert view.machine_share == 0.5


def test_missing_flows_end_the_trial_unless_a_fault_may_have_cut_them():
    said = '{"event": "counts", "t_ns": 5, "sent": [30, 40], "received": [30, 0], "refused": [0, 0]}'
    flows = Traffic(saying(said), MATRIX, 1)
    with pytest.raises(InfraError, match="1 of 2 flows did not run") as incomplete:
        flows.since(ZERO)
    flows.stop()
    assert incomplete.value.reason == "traffic_incomplete"


def test_a_generator_that_says_why_it_failed_is_quoted():
    sandbox = Sandbox(saying('{"event": "failed", "message": "no way in"}'), lab())
    with pytest.raises(InfraError, match="no way in") as failed, traffic(sandbox, MATRIX, 1):
        pytest.fail("it never ran")
    assert failed.value.reason == "telemetry_failed"
    assert sandbox.process.poll() is not None


def test_a_generator_that_ends_without_a_word_is_noticed():
    gone = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    gone.wait()
    with pytest.raises(InfraError, match="its process ended"), traffic(Sandbox(gone, lab()), MATRIX, 1):
        pytest.fail("it never ran")


def test_a_fabric_without_flows_is_refused_by_name():
    plan = plan_fabric(FabricSpec(name="lonely", topology=Clos(spines=1, leaves=1, clients_per_leaf=1)))
    process = saying()
    with pytest.raises(InfraError, match="lonely"), traffic(Sandbox(process, plan), matrix_of(plan), 1):
        pytest.fail("there is nothing to run")
    process.communicate()
