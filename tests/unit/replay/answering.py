"""A fabric of two leaves whose devices print what the test says, and whose probes all come back."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from netopsbench.core.errors import ToolError
from netopsbench.core.process import Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.records.telemetry import BgpEvent, InterfaceCounters, LogLine, Record, Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.context import ToolContext

SECOND_NS = 1_000_000_000
BASELINE = Window(since_ns=100 * SECOND_NS, until_ns=110 * SECOND_NS)
CURRENT = Window(since_ns=120 * SECOND_NS, until_ns=130 * SECOND_NS)
ROUTES = {
    "10.9.0.0/24": [{"prefix": "10.9.0.0/24", "protocol": "bgp", "selected": True, "installed": True, "nexthops": []}],
    "10.9.0.0/16": [{"prefix": "10.9.0.0/16", "protocol": "bgp", "selected": True, "installed": True, "nexthops": []}],
}

# Says for each flow that it never leaves its client.
_TRACER = """
import json, sys
layout = json.loads(sys.stdin.readline())
for line in sys.stdin:
    print(json.dumps([[layout["attached"][flow[0]]] for flow in json.loads(line)]), flush=True)
"""


class AnsweredProbe:
    """A probing process whose packets all come back at once."""

    def communicate(self, request: bytes, timeout: float) -> tuple[bytes, bytes]:
        asked = json.loads(request)
        sweeps = [
            {"source_port": port, "packets_sent": 1, "answered_by": None, "rtt_ms": [1.0], "error": None}
            for port in asked.get("source_ports", ())
        ]
        return json.dumps(sweeps).encode(), b""

    def kill(self) -> None: ...

    def wait(self) -> None: ...


@dataclass
class AnsweringFabric:
    """Prints `printed`, by device and command line, and nothing else."""

    plan: FabricPlan
    printed: dict[tuple[str, tuple[str, ...]], list[str]] = field(default_factory=dict)
    """Looks in the order in which they are given; the last one stays."""
    has_tracer: bool = True
    versions: dict[str, str] = field(default_factory=lambda: {"frr": "8.4.4"})
    is_running: bool = True

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        looks = self.printed.get((node, tuple(argv)))
        if not looks:
            return Completed(tuple(argv), 1, "", "unknown command")
        return Completed(("nsenter", *argv), 0, looks.pop(0) if len(looks) > 1 else looks[0], "")

    def pid(self, node: str) -> int:
        return 1

    def spawn(self, argv: Sequence[str], *, stderr: int = subprocess.DEVNULL) -> object:
        if argv[-1].endswith("tracer") and self.has_tracer:
            program = [sys.executable, "-c", _TRACER]
            return subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if argv[-1].endswith("ping_probe"):
            return AnsweredProbe()
        raise ToolError("no such probe here")


def small_plan() -> FabricPlan:
    return plan_fabric(FabricSpec(name="lab", topology=Clos(spines=1, leaves=2, clients_per_leaf=1)))


def context_of(fabric: AnsweringFabric, records: Sequence[Record] = ()) -> ToolContext:
    store = MemoryStore()
    store.append(records)
    return ToolContext(plan=fabric.plan, fabric=fabric, store=store, baseline=BASELINE, current=CURRENT)


def some_records() -> list[Record]:
    """Of three kinds, at three moments."""
    found: list[Record] = []
    for second in (95, 105, 125):
        t_ns = second * SECOND_NS
        counted = dict.fromkeys(
            ("in_octets", "in_packets", "in_discards", "in_errors", "out_octets", "out_packets"), second
        )
        found.append(
            InterfaceCounters(t_ns=t_ns, source="leaf1", interface="eth1", out_discards=0, out_errors=0, **counted)
        )
        found.append(
            LogLine(
                t_ns=t_ns,
                source="leaf1" if second != 105 else "leaf2",
                severity="info",
                facility="daemon",
                program="bgpd",
                pid=None if second == 95 else second,
                message=f"line {second}",
            )
        )
    found.append(
        BgpEvent(
            t_ns=126 * SECOND_NS,
            source="leaf1",
            neighbor_address="10.0.0.1",
            from_state="Established",
            to_state=None,
            times_lost=1,
        )
    )
    return found
