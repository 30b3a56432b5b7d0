"""Record the examples of the fault pages: `python scripts/record_examples.py [KIND …]`.

Each variant of each fault is brought up on the smallest fabric by the steps of a trial (a quarter of a minute each).
The rule-based agent answers, then some tools are asked. What was seen goes into `docs/faults/recorded/KIND.json`;
`python scripts/docs_reference.py` puts it into the pages.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recording import Call, Recording, Recordings, SeenReceipt

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.campaign.cases import Cases
from netopsbench.campaign.visit import visit_case
from netopsbench.core.errors import InfraError
from netopsbench.core.files import write_atomic
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.faults.catalog import KINDS, FaultKind
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.trial import MeshCell, Trial
from netopsbench.scenario.model import Scenario, Timeline
from netopsbench.scoring.grade import grade_answer
from netopsbench.tools.client import ToolClient

RECORDED_IN = Path(__file__).resolve().parents[1] / "docs" / "faults" / "recorded"
_BUDGET = Budget(wall_time_s=300, tool_calls=200)
_TIMELINE = Timeline(baseline_epochs=3, fault_epochs=3, fault_s=6)
_SEED = 1
_TRIES = 4


@dataclass(frozen=True)
class Look:
    """A tool call whose result tells of the fault, and which part of it does."""

    tool: str
    arguments: Mapping[str, str]
    part: str = ""
    """Path of the list in the result; empty for the result itself."""
    keys: tuple[str, ...] = ()
    only: Mapping[str, str] | None = None
    """Rows of the list that hold these values."""


_PORT = ("name", "is_admin_up", "has_carrier", "mtu_bytes", "peer")
_SESSION = ("address", "state", "remote_asn", "prefixes_received", "peer")
_PING = ("method", "packets_sent", "packets_answered", "loss_pct", "rtt_avg_ms")
_PATH = ("src", "dst", "state", "current")
_ROUTE = ("prefix", "kind", "protocol", "next_hops")
_MESH = Look("get_pingmesh_summary", {}, "paths", _PATH)
_OVER_LINK = Look("ping_test", {"device": "leaf1", "target": "10.1.1.1", "source_ports": "64"}, "", _PING)
_SESSIONS = Look("get_bgp_neighbors", {"device": "leaf1"}, "neighbors", _SESSION)
_STATIC = Look("get_device_config", {"device": "leaf1", "section": "ip route"}, "sections", ("lines",))
_TO_CLIENT2 = Look("get_fib", {"device": "leaf1", "address": "192.168.102.2"}, "routes", _ROUTE)

LOOKS: Mapping[str, tuple[Look, ...]] = {
    "link_down": (
        Look("get_device_interfaces", {"device": "leaf1"}, "interfaces", _PORT, {"name": "eth1"}),
        _SESSIONS,
    ),
    "link_flapping": (
        Look(
            "query_bgp_events",
            {"device": "leaf1"},
            "events",
            ("at_s", "device", "neighbor", "from_state", "to_state", "times_lost"),
        ),
        _MESH,
    ),
    "packet_loss": (_MESH, _OVER_LINK),
    "packet_corruption": (
        _MESH,
        _OVER_LINK,
        Look("get_interface_metrics", {"device": "client2"}, "current", ("kernel",)),
    ),
    "high_latency": (_MESH, _OVER_LINK),
    "mtu_mismatch": (
        Look("get_device_interfaces", {"device": "spine1"}, "interfaces", _PORT, {"name": "eth1"}),
        _MESH,
    ),
    "blackhole_route": (_TO_CLIENT2, _STATIC),
    "static_route_misconfig": (_TO_CLIENT2, _STATIC),
    "bgp_neighbor_misconfig": (
        _SESSIONS,
        Look("get_device_config", {"device": "leaf1", "section": "router bgp"}, "sections", ("title", "lines")),
    ),
    "route_policy_misconfig": (
        Look("get_route_table", {"device": "leaf2", "prefix": "192.168.101.0/30"}, "", ("device", "routes")),
        Look("get_device_config", {"device": "leaf1", "section": "router bgp"}, "sections", ("lines",)),
        Look("get_device_config", {"device": "leaf1", "section": "ip prefix-list"}, "sections", ("lines",)),
    ),
    "device_down": (
        Look("get_device_interfaces", {"device": "leaf1"}, "interfaces", _PORT),
        Look("get_bgp_neighbors", {"device": "leaf1"}, "", ("device", "is_running", "message")),
    ),
    "acl_misconfig": (
        Look(
            "get_device_acl",
            {"device": "leaf1", "interface": "eth3"},
            "rules",
            ("chain", "in_interfaces", "out_interfaces", "sources", "destinations", "action", "packets"),
        ),
        _MESH,
    ),
}


class Noting:
    """The tools, with the calls that were made."""

    def __init__(self, tools: ToolClient) -> None:
        self._tools = tools
        self.calls: list[Call] = []

    def list_tools(self) -> list[dict[str, Any]]:
        return self._tools.list_tools()

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        self.calls.append(Call(tool=name, arguments={key: str(value) for key, value in arguments.items()}))
        return self._tools.call(name, **arguments)


class Visitor:
    """Lets the baseline answer, then looks at what shows the fault."""

    def __init__(self, looks: tuple[Look, ...]) -> None:
        self._looks = looks
        self.answer: Answer | None = None
        self.calls: tuple[Call, ...] = ()
        self.seen: tuple[Call, ...] = ()

    def __call__(self, question: Question, socket: Path) -> None:
        tools = ToolClient(socket)
        try:
            noting = Noting(tools)
            self.answer = Baseline().answer(question, noting)
            self.calls = tuple(noting.calls)
            self.seen = tuple(_looked(look, tools.call(look.tool, **look.arguments)) for look in self._looks)
        finally:
            tools.close()


def _looked(look: Look, result: dict[str, Any]) -> Call:
    part: Any = result[look.part] if look.part else result
    rows: list[dict[str, Any]] = part if isinstance(part, list) else [part]
    wanted = [row for row in rows if all(row[key] == value for key, value in (look.only or {}).items())]
    shown = tuple({key: row[key] for key in look.keys if key in row} for row in wanted)
    return Call(tool=look.tool, arguments=dict(look.arguments), part=look.part, shown=shown)


def record(kind: FaultKind, variant: Mapping[str, str], engine: NativeEngine) -> Recording:
    """Bring up one variant of a fault and keep what was seen of it."""
    fault = kind.parse({**kind.example, **variant}, "example")
    scenario = Scenario(fabric="xs", scale="xs", seed=_SEED, faults=(fault,), timeline=_TIMELINE)
    visitor = Visitor(LOOKS[kind.name])
    cases = Cases(name="examples", seed=_SEED, budget=_BUDGET, scenarios=(scenario,))
    trial = visit_case(cases, visitor, engine, lambda phase: None)
    assert visitor.answer is not None
    return Recording(
        variant=variant.get("variant", ""),
        fault={key: str(value) for key, value in fault.model_dump(mode="json").items()},
        recorded_with=_versions(trial),
        exposed_in=trial.exposed_in,
        receipts=_receipts(trial),
        mesh=_mesh(trial),
        looks=visitor.seen,
        baseline_calls=visitor.calls,
        baseline_answer=json.loads(visitor.answer.model_dump_json(exclude_defaults=True)),
        was_right=grade_answer(trial.truth, visitor.answer).strict == 1,
    )


def _versions(trial: Trial) -> dict[str, str]:
    """Of what outputs depend on; a kernel's own build is nobody's business."""
    frr, kernel = (trial.versions.get(name, "unknown") for name in ("frr", "kernel"))
    return {"FRR": frr, "Linux": ".".join(kernel.split(".")[:2])}


def _receipts(trial: Trial) -> tuple[SeenReceipt, ...]:
    told = [each for each in trial.receipts if each.step != "benign"]
    began_ns = min(each.t_ns for each in told if each.step == "inject")
    return tuple(
        SeenReceipt(
            step=each.step, at_s=round((each.t_ns - began_ns) / 1e9, 2), what=each.what, seen=each.counted or each.seen
        )
        for each in told
    )


def _mesh(trial: Trial) -> tuple[str, ...]:
    if trial.baseline_mesh is None or trial.fault_mesh is None:
        return ()
    before = {(cell.src, cell.dst): cell for cell in trial.baseline_mesh.cells}
    return tuple(
        f"{cell.src} to {cell.dst}: before {_in_words(before[cell.src, cell.dst])}; during {_in_words(cell)}"
        for cell in trial.fault_mesh.cells
    )


def _in_words(cell: MeshCell) -> str:
    lost = f"{cell.packets_lost} of {cell.packets_sent} probes lost"
    return lost if cell.rtt_median_ms is None else f"{lost}, median round trip {cell.rtt_median_ms:.2f} ms"


def _tried(kind: FaultKind, variant: Mapping[str, str], engine: NativeEngine) -> Recording:
    """A recording, at the fourth try at the latest: a busy machine makes cases invalid."""
    for _ in range(_TRIES - 1):
        try:
            return record(kind, variant, engine)
        except InfraError as invalid:
            print(f"  again, because {invalid}", flush=True)
    return record(kind, variant, engine)


def main() -> None:
    engine = NativeEngine(fetch_software(print))
    for name in sys.argv[1:] or KINDS:
        kind = KINDS[name]
        recorded = []
        for variant in kind.variant_keys:
            print(name, *variant.values(), flush=True)
            recorded.append(_tried(kind, variant, engine))
        path = RECORDED_IN / f"{name}.json"
        write_atomic(path, Recordings(kind=name, variants=tuple(recorded)).model_dump_json(indent=1) + "\n")
        path.chmod(0o644)


if __name__ == "__main__":
    main()
