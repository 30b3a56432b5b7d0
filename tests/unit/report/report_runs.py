"""Run folders as a real run leaves them, with trials that look like real ones."""

import json
from collections.abc import Sequence
from pathlib import Path

from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.records.telemetry import BgpEvent, Window
from netopsbench.records.trial import (
    MeshCell,
    MeshView,
    Phase,
    Receipt,
    Timelines,
    ToolCall,
    Trace,
    Trial,
    TrialError,
    TrialLink,
    TrialNode,
)
from netopsbench.records.truth import FaultTruth, Truth

SECOND = 1_000_000_000
START = 1_750_000_000 * SECOND

PHASES = (
    ("deploy", 2.4),
    ("converge", 1.1),
    ("baseline", 2.0),
    ("inject", 0.3),
    ("effect_gate", 0.5),
    ("observe", 3.1),
    ("agent", 1.8),
    ("effect_gate_after", 0.2),
    ("undo", 0.2),
    ("restore_gate", 1.2),
)


def clos(spines: int, leaves: int, clients_per_leaf: int) -> tuple[tuple[TrialNode, ...], tuple[TrialLink, ...]]:
    """Nodes and links of a CLOS, ports numbered as the fabric does."""
    nodes = [TrialNode(name=f"spine{n}", role="spine") for n in range(1, spines + 1)]
    links = []
    client = 0
    for leaf in range(1, leaves + 1):
        nodes.append(TrialNode(name=f"leaf{leaf}", role="leaf"))
        links += [TrialLink(a=f"spine{n}:eth{leaf}", b=f"leaf{leaf}:eth{n}") for n in range(1, spines + 1)]
        for port in range(spines + 1, spines + clients_per_leaf + 1):
            client += 1
            nodes.append(TrialNode(name=f"client{client}", role="client"))
            links.append(TrialLink(a=f"leaf{leaf}:eth{port}", b=f"client{client}:eth1"))
    return tuple(nodes), tuple(links)


def mesh_view(
    nodes: Sequence[TrialNode],
    *,
    dead: str = "",
    lost_pct: float = 0,
    slow_ms: float = 0,
    unmeasured: str = "",
) -> MeshView:
    """A full mesh; pairs with the client `dead` lose `lost_pct`, those from `unmeasured` have no row."""
    clients = [node.name for node in nodes if node.role == "client"]
    cells = []
    for row, src in enumerate(clients):
        for column, dst in enumerate(clients):
            if src in (dst, unmeasured):
                continue
            lost = round(48 * lost_pct / 100) if dead in (src, dst) else 0
            median = None if lost == 48 else 0.12 + 0.01 * ((row + column) % 4) + slow_ms * (dead == src)
            cells.append(MeshCell(src=src, dst=dst, packets_sent=48, packets_lost=lost, rtt_median_ms=median))
    return MeshView(window=Window(since_ns=START, until_ns=START + 3 * SECOND), cells=tuple(cells))


def timelines(*traces: Trace, events: Sequence[BgpEvent] = ()) -> Timelines:
    """Traces with a step each second from the start of the trial."""
    return Timelines(since_ns=START, step_s=1.0, traces=traces, events=tuple(events), events_in_all=len(events))


def finding(fault_type: str, device: str, interface: str | None = None, *evidence: str) -> Finding:
    return Finding(fault_type=fault_type, location=Location(device=device, interface=interface), evidence=evidence)


def faulty(fault_type: str, *accepted: tuple[str, str | None]) -> Truth:
    locations = tuple(Location(device=device, interface=interface) for device, interface in accepted)
    return Truth(faults=(FaultTruth(fault_type=fault_type, accepted=locations),))


def call(tool: str, result: str, *, at_s: float = 10, is_error: bool = False, **arguments: object) -> ToolCall:
    return ToolCall(
        tool=tool,
        arguments=dict(arguments),
        started_ns=START + round(at_s * SECOND),
        elapsed_s=0.034,
        is_error=is_error,
        result=result,
    )


def usual_calls() -> tuple[ToolCall, ...]:
    topology = json.dumps({"links": [{"a": "spine1:eth1", "b": "leaf1:eth1"}, {"a": "spine2:eth1", "b": "leaf1:eth2"}]})
    down = json.dumps(
        {"device": "leaf1", "interfaces": [{"name": "eth1", "is_up": False}, {"name": "eth2", "is_up": True}]}
    )
    return (
        call("get_topology", topology, at_s=9.6),
        call("get_pingmesh_summary", json.dumps({"unreachable": [["client1", "client2"]]}), at_s=9.7),
        call("get_device_interfaces", down, at_s=9.9, device="leaf1"),
        call(
            "ping_test",
            '{"error": "no such destination: client9"}',
            at_s=10.2,
            is_error=True,
            src="client1",
            dst="client9",
        ),
    )


def trial(
    trial_id: str,
    *,
    case_id: str,
    agent: str = "baseline",
    truth: Truth | None = None,
    answer: Answer | None = None,
    **changes: object,
) -> Trial:
    """A scored xs trial; `changes` replaces any of its fields."""
    nodes, links = clos(2, 2, 1)
    phases, at = [], START
    for name, elapsed_s in PHASES:
        phases.append(Phase(name=name, started_ns=at, elapsed_s=elapsed_s))
        at += round(elapsed_s * SECOND)
    fields: dict[str, object] = {
        "trial_id": trial_id,
        "case_id": case_id,
        "agent": agent,
        "fabric": "xs",
        "scale": "xs",
        "difficulty": "easy",
        "seed": 4711,
        "started_ns": START,
        "end": "scored",
        "was_question_asked": True,
        "truth": truth or Truth(),
        "answer": answer,
        "phases": tuple(phases),
        "calls": usual_calls(),
        "receipts": (
            Receipt(
                step="inject",
                t_ns=START + 6 * SECOND,
                what="vtysh on leaf1: interface eth1, shutdown",
                seen="",
                is_as_expected=True,
            ),
            Receipt(
                step="effect_before",
                t_ns=START + 7 * SECOND,
                what="state of spine1:eth1",
                seen="NO-CARRIER",
                is_as_expected=True,
            ),
            Receipt(
                step="restored",
                t_ns=START + 12 * SECOND,
                what="sessions, routes and mesh",
                seen="4 of 4 sessions, mesh complete",
                is_as_expected=True,
            ),
        ),
        "baseline_mesh": mesh_view(nodes),
        "fault_mesh": mesh_view(nodes),
        "nodes": nodes,
        "links": links,
        "agent_time_s": 1.42,
        "tool_time_s": 0.38,
        "infra_time_s": 11.0,
        "versions": {"netopsbench": "0.1.0"},
    }
    return Trial.model_validate(fields | changes)


def run_info(trials: Sequence[Trial], **changes: object) -> RunInfo:
    """The plan that gives exactly these trials; `changes` replaces any of its fields."""
    fields: dict[str, object] = {
        "run_id": "20250615-1506-7f3a",
        "campaign": "quickstart",
        "fabrics": ("xs",),
        "agents": tuple(dict.fromkeys(each.agent for each in trials)),
        "seed_kind": "practice",
        "started_ns": START,
        "finished_ns": START + 95 * SECOND,
        "planned": tuple(
            PlannedTrial(trial_id=each.trial_id, case_id=each.case_id, agent=each.agent) for each in trials
        ),
        "versions": {"netopsbench": "0.1.0", "FRR": "8.4.4", "kernel": "6.18", "Python": "3.11.2"},
    }
    return RunInfo.model_validate(fields | changes)


def write_run(folder: Path, trials: Sequence[Trial], run: RunInfo | None = None) -> Path:
    (folder / "trials").mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text((run or run_info(trials)).model_dump_json())
    for each in trials:
        (folder / "trials" / f"{each.trial_id}.json").write_text(each.model_dump_json())
    return folder


def usual_run() -> list[Trial]:
    """Six cases for two agents: right, half right, wrong, failed, invalid and healthy."""
    nodes, _ = clos(2, 2, 1)
    link = faulty("link_down", ("leaf1", "eth1"), ("spine1", "eth1"))
    client_port = faulty("link_down", ("leaf2", "eth3"))
    route = faulty("blackhole_route", ("leaf2", None))
    dead = mesh_view(nodes, dead="client2", lost_pct=100)
    said = Answer(
        verdict="fault_detected",
        findings=(finding("link_down", "spine1", "eth1", "spine1:eth1 has no carrier", "leaf1:eth1 is down"),),
        confidence=0.9,
        reasoning="Both ends of the link report that it is down; all other ports are up.",
    )
    half = said.model_copy(update={"findings": (finding("link_down", "leaf2", "eth1"),)})
    wrong = said.model_copy(update={"findings": (finding("blackhole_route", "leaf1"),)})
    healthy = Answer(verdict="network_healthy", confidence=0.8)
    crash = TrialError(side="agent", reason="crashed", message="exit code 1", traceback="Traceback …")
    gate = TrialError(side="infra", reason="effect_not_seen", message="leaf1:eth1 stayed up for 8 s")
    always = said.model_copy(update={"findings": (finding("link_down", "leaf2", "eth3"),)})
    return [
        trial("t-01", case_id="c-1", truth=link, answer=said),
        trial("t-02", case_id="c-2", truth=client_port, answer=half, fault_mesh=dead),
        trial("t-03", case_id="c-3", truth=route, answer=wrong, fault_mesh=dead, difficulty="hard"),
        trial("t-04", case_id="c-4", answer=healthy, receipts=()),
        trial("t-05", case_id="c-5", error=crash, agent_stderr="boom\n", receipts=(), difficulty="hard"),
        trial(
            "t-06",
            case_id="c-6",
            truth=link,
            end="invalid",
            error=gate,
            was_question_asked=False,
            calls=(),
            fault_mesh=None,
        ),
        trial("t-11", case_id="c-1", agent="always-faulty", truth=link, answer=always),
        trial("t-12", case_id="c-2", agent="always-faulty", truth=client_port, answer=always, fault_mesh=dead),
        trial("t-13", case_id="c-3", agent="always-faulty", truth=route, answer=always, fault_mesh=dead),
        trial("t-14", case_id="c-4", agent="always-faulty", answer=always),
        trial("t-15", case_id="c-5", agent="always-faulty", answer=always),
        trial("t-16", case_id="c-6", agent="always-faulty", truth=link, answer=always),
    ]
