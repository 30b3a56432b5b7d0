"""One case, from its fabric to its record."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from netopsbench.agent.run import Examination, examine
from netopsbench.agent.trajectory import written_down
from netopsbench.campaign.contestants import Entry, secret_variables
from netopsbench.campaign.exposure import Spans, exposed_in
from netopsbench.campaign.record import PhaseListener, TrialOrder, TrialRecord
from netopsbench.campaign.timelines import timelines_of
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.files import write_atomic
from netopsbench.core.redact import secrets_of_environment
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine, Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.faults.benign import draw_events
from netopsbench.faults.benign_play import play
from netopsbench.faults.catalog import change_of
from netopsbench.faults.combine import combined
from netopsbench.faults.housekeeping import gathered
from netopsbench.faults.inject import Injection, injected, sham
from netopsbench.faults.snapshot import Snapshot, take, wait_restored
from netopsbench.faults.witness import Witness, watching
from netopsbench.records.answers import Question
from netopsbench.records.telemetry import BgpEvent, Window
from netopsbench.records.trial import ToolCall, Trial
from netopsbench.replay.bundle import write_case
from netopsbench.replay.record import record_case
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.truth import truth_of
from netopsbench.telemetry.collectors.collecting import collecting
from netopsbench.telemetry.delivery import prove_delivery
from netopsbench.telemetry.detect import baseline_problems
from netopsbench.telemetry.pace import Timing, pace_for
from netopsbench.telemetry.path_table import measured
from netopsbench.telemetry.pingmesh import Pingmesh, expected_pairs, pingmesh
from netopsbench.telemetry.store import Store
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.tools.context import ToolContext
from netopsbench.tools.serving.process import read_calls, serving
from netopsbench.tools.serving.server import ServerConfig
from netopsbench.traffic.matrix import matrix_of
from netopsbench.traffic.run import Traffic, own_share, traffic
from netopsbench.vendors.lines import CommandLineRules, vendors_by_seed

CONVERGE_DEADLINE_S = 120.0
WARM_UP_S: Mapping[Timing, float] = {"fast": 0.3, "paper": 60.0}
"""How long traffic runs before the baseline."""
_EPOCH_SLACK = 4
"""An epoch may take so many times its nominal length on a busy machine before telemetry counts as failed."""


CALLS = "calls.jsonl"
TRAJECTORY = "trajectory.jsonl"
"""In a trial's folder: what the agent said and did."""

Examiner = Callable[[Question, Path], Examination]
"""Puts the question to somebody who finds the tools at a socket."""


def run_trial(
    order: TrialOrder, entry: Entry, question: Question, engine: Engine, folder: Path, hear: PhaseListener
) -> Trial:
    """Run one case with one agent; `folder` is an empty one of its own, whose path an agent may learn."""

    def examined(question: Question, socket: Path) -> Examination:
        return examine(entry.agent, question, socket, options=entry.options)

    return conduct(order, examined, question, engine, folder, hear)


def conduct(
    order: TrialOrder, examiner: Examiner, question: Question, engine: Engine, folder: Path, hear: PhaseListener
) -> Trial:
    """Run one case, whoever is asked.

    Always returns a whole record, also when it is invalid. KeyboardInterrupt passes through as a record too: the
    caller finds `interrupted` in it.
    """
    record = TrialRecord(order, hear)
    try:
        _run(order, examiner, question, engine, folder, record)
    except (Exception, KeyboardInterrupt) as failure:  # noqa: BLE001 - whatever it was, it belongs in the record
        return record.finished(failure)
    return record.finished()


def _run(
    order: TrialOrder, examiner: Examiner, question: Question, engine: Engine, folder: Path, record: TrialRecord
) -> None:
    case = order.scenario
    plan = plan_fabric(load_spec(case.fabric))
    changes = [change_of(fault, plan) for fault in case.faults]
    record.plan(plan, truth_of(case.faults, plan))
    pace = pace_for(plan, case.timeline.timing)
    # Store and witness start while the routers do.
    with (
        _deployed(engine, plan, record) as fabric,
        store_running(folder, order.telemetry) as store,
        watching(fabric) as witness,
    ):
        with record.phase("converge"), observing(fabric) as eyes:
            converge(eyes, deadline_s=CONVERGE_DEADLINE_S)
        with (
            collecting(fabric, store.socket_path, case.timeline.timing) as collectors,
            _loaded(fabric, case.timeline.timing, record) as flows,
            pingmesh(fabric, store.socket_path, pace) as mesh,
        ):
            with record.phase("baseline"):
                before = take(witness.eyes, plan)
                counted = flows.counts()
                baseline = _epochs(mesh, case.timeline.baseline_count(pace.epoch_s), 0, pace.epoch_s, store)
                _gate_healthy(store, baseline, plan, record)
                collectors.poll_now()
                _gate_steady(store, baseline)
                steady = flows.since(counted)
            with _disturbed(fabric, case, witness, before, record) as injection:
                with record.phase("observe"):
                    counted = flows.counts()
                    epochs = case.timeline.fault_count(pace.epoch_s)
                    if case.timeline.timing == "fast":
                        mesh.begin_anew()
                    current = _epochs(mesh, epochs, injection.since_ns, pace.epoch_s, store)
                    record.mesh("fault", current, measured(store, current))
                    # Lines and counters of the window's last moments must be in the store before anybody asks for them.
                    collectors.poll_now()
                    spans = Spans(baseline, current, injection.commanded_ns)
                    record.exposed(exposed_in(store, spans, changes, plan))
                with record.phase("agent"):
                    _ask(examiner, question, fabric, store, (baseline, current), record)
                if order.recording is not None:
                    with record.phase("record"):
                        seen = ToolContext(plan, fabric, store, baseline, current)
                        calls = read_calls(folder / CALLS)
                        write_case(
                            order.recording, record_case(case.id, seen, calls, rules=command_lines_of(order, plan))
                        )
                with record.phase("recheck"):
                    record.receipts([injection.recheck()])
                    record.traffic(flows.view(steady, flows.since(counted, may_be_cut=bool(case.faults))))
            with record.phase("restore"):
                paths = combined(changes, plan).paths if changes else ()
                record.receipts([wait_restored(witness, before, plan, paths)])
                record.timelines(timelines_of(store, spans, collectors.pace, now_ns()))
                windows = {"baseline": baseline, "fault": current}
                prove_delivery(store, mesh.reports(), collectors.reports(), windows)


@contextmanager
def _deployed(engine: Engine, plan: FabricPlan, record: TrialRecord) -> Iterator[Fabric]:
    with record.phase("deploy"):
        fabric = engine.deploy(plan, render_files(plan))
    try:
        record.versions(fabric.versions)
        yield fabric
    except Exception as failure:
        if fabric.is_running:
            raise
        # Whatever failed first when all processes were gone says little.
        raise InfraError("fabric_died", f"the fabric ended before the case did: {failure}") from failure
    finally:
        with record.phase("destroy"):
            fabric.destroy()


@contextmanager
def _loaded(fabric: Fabric, timing: Timing, record: TrialRecord) -> Iterator[Traffic]:
    """Background traffic for the block, which begins when all flows have run for a while."""
    matrix = matrix_of(fabric.plan)
    with traffic(fabric, matrix, own_share(matrix)) as flows:
        with record.phase("traffic"):
            time.sleep(WARM_UP_S[timing])
        yield flows


@contextmanager
def _disturbed(
    fabric: Fabric, case: Scenario, witness: Witness, before: Snapshot, record: TrialRecord
) -> Iterator[Injection]:
    """Play the case's harmless events, hold its fault, or nothing that looks as long, and undo it."""
    seed = case.seed
    with record.phase("benign"):
        events = (*gathered(fabric.plan, seed), *draw_events(fabric.plan, seed))
        record.receipts(play(fabric, events, witness, before))
    held = (
        injected(fabric, case.faults, witness, seed=seed)
        if case.faults
        else sham(fabric, witness, before, seed=seed, faults=case.pretended_faults)
    )
    with ExitStack() as undoing:
        with record.phase("inject"):
            injection = undoing.enter_context(held)
        record.receipts(injection.receipts)
        yield injection
        with record.phase("undo"):
            undoing.close()
        record.receipts(injection.undone)


def _epochs(mesh: Pingmesh, count: int, after_ns: int, epoch_s: float, store: StoreClient) -> Window:
    timeout_s = 10 + _EPOCH_SLACK * count * epoch_s + store.patience_s
    return mesh.wait_epochs(count, after_ns=after_ns, timeout_s=timeout_s)


def _gate_healthy(store: Store, baseline: Window, plan: FabricPlan, record: TrialRecord) -> None:
    table = measured(store, baseline)
    record.mesh("baseline", baseline, table)
    problems = baseline_problems(table, expected_pairs(plan))
    if problems:
        raise InfraError("baseline_unhealthy", "; ".join(problems[:5]))


def _gate_steady(store: Store, baseline: Window) -> None:
    """Nobody may find changes of sessions in the baseline that no fault and no harmless event has made."""
    since = Window(since_ns=baseline.since_ns, until_ns=now_ns())
    found = [event for event in store.query("bgp_event", since) if isinstance(event, BgpEvent)]
    if found:
        shown = "; ".join(
            f"{event.source} to {event.neighbor_address}: {event.from_state} to {event.to_state}" for event in found[:5]
        )
        raise InfraError("baseline_unhealthy", f"sessions changed by themselves: {shown}")


def command_lines_of(order: TrialOrder, plan: FabricPlan) -> CommandLineRules | None:
    """Vendors are drawn anew for each case; nothing is denied."""
    if not order.has_command_lines:
        return None
    # A recording holds the rules; the seed in them would let an agent check its guess of the case against the id.
    return CommandLineRules(vendors=vendors_by_seed(plan, order.scenario.seed))


def _ask(
    examiner: Examiner,
    question: Question,
    fabric: Fabric,
    store: StoreClient,
    windows: tuple[Window, Window],
    record: TrialRecord,
) -> None:
    """Put the question, with a tool server that knows the plan, the fabric and the store, and nothing else."""
    folder = store.socket_path.parent
    plan_path, handle_path = folder / "plan.json", folder / "fabric.json"
    write_atomic(plan_path, fabric.plan.model_dump_json())
    write_atomic(handle_path, fabric.handle.model_dump_json())
    # The agent's list of mounts shows where the socket lies: not in the run's folder, whose name may tell.
    with TemporaryDirectory(prefix="") as neutral:
        config = ServerConfig(
            plan=plan_path,
            fabric=handle_path,
            store=store.reading_path,
            baseline=windows[0],
            current=windows[1],
            tool_calls=question.budget.tool_calls,
            socket=Path(neutral) / "tools",
            calls=folder / CALLS,
            has_shell=record.order.has_shell,
            command_lines=command_lines_of(record.order, fabric.plan),
            secret_variables=secret_variables(record.order.contestant),
        )
        with serving(config) as server:
            record.asked()
            since_ns = now_ns()
            examination = examiner(question, server.socket)
    # Only when the server has ended are those calls written down that nobody waited for.
    calls = server.calls()
    secrets = secrets_of_environment(os.environ, secret_variables(record.order.contestant))
    examination, told = written_down(question, examination, calls, since_ns, secrets)
    record.answered(examination, tuple(ToolCall.model_validate(call) for call in calls))
    write_atomic(folder / TRAJECTORY, told)
