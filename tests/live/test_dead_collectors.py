"""Whatever collects is killed while a fabric runs: every tool that reads what was collected tells it from quiet."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.collecting import COLLECTORS, Collecting, collecting
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.pingmesh import PROBER, Pingmesh, pingmesh
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool

pytestmark = pytest.mark.live

MESH_TOOLS = {"get_pingmesh_summary", "get_pingmesh_hotspots"}
BGP_TOOLS = {"get_bgp_neighbor", "query_bgp_events"}
COLLECTOR_TOOLS = {*BGP_TOOLS, "get_interface_metrics", "get_device_logs"}
READERS = [tool for tool in TOOLS if tool.name in MESH_TOOLS | COLLECTOR_TOOLS]
LATER_NS = 60 * 10**9
"""The tools are asked as if so much time had passed."""


class Watched:
    """A store that remembers whether it was asked."""

    def __init__(self, store: StoreClient) -> None:
        self._store = store
        self.was_asked = False

    def query(self, *asked: Any) -> Any:
        self.was_asked = True
        return self._store.query(*asked)

    def query_columns(self, *asked: Any) -> Any:
        self.was_asked = True
        return self._store.query_columns(*asked)


@dataclass(frozen=True)
class Measured:
    """A fabric that is probed and polled."""

    fabric: Fabric
    store: StoreClient
    collectors: Collecting
    mesh: Pingmesh
    baseline: Window

    def kill(self, module: str, *options: str) -> None:
        """End the process that runs the module, and wait until it is gone or a zombie."""
        (process, *_) = self.fabric.exec_wire(["pgrep", *options, "-f", module]).stdout.split()
        assert process != "1"
        kill = f"kill -KILL {process}; while grep -q '^State:.[^XZ]' /proc/{process}/status; do sleep 0.01; done"
        assert self.fabric.exec_wire(["sh", "-c", kill]).is_ok

    def complaints(self, until_ns: int, tools: Sequence[Tool] = READERS) -> dict[str, str]:
        """What each tool that reads the store says of the collector behind it, from the baseline's end on."""
        current = Window(since_ns=self.baseline.until_ns, until_ns=until_ns)
        found = {}
        for tool in tools:
            store = Watched(self.store)
            context = ToolContext(self.fabric.plan, self.fabric, store, self.baseline, current)
            arguments = tool.example() | ({"seconds": 1} if tool.name == "capture_summary" else {})
            result = tool.call(context, arguments).model_dump()
            if store.was_asked:
                view = result.get("current", result)["collector"]
                found[tool.name] = "; ".join(view["messages"]) if "messages" in view else view["message"]
        return found


@contextmanager
def running(engine: NativeEngine) -> Iterator[Fabric]:
    plan = plan_fabric(load_spec("xs"))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=120)
        yield fabric
    finally:
        fabric.destroy()


@contextmanager
def measured(fabric: Fabric, folder: Path) -> Iterator[Measured]:
    pace = pace_for(fabric.plan, "fast")
    with (
        store_running(folder) as store,
        collecting(fabric, store.socket_path, "fast") as collectors,
        pingmesh(fabric, store.socket_path, pace) as mesh,
    ):
        baseline = mesh.wait_epochs(2, after_ns=0, timeout_s=60)
        collectors.wait_polls(2, after_ns=baseline.until_ns)
        mesh.wait_epochs(2, after_ns=baseline.until_ns, timeout_s=60)
        yield Measured(fabric, store, collectors, mesh, baseline)


@pytest.fixture(scope="module")
def fabric(engine: NativeEngine) -> Iterator[Fabric]:
    with running(engine) as fabric:
        yield fabric


def test_a_quiet_network_is_called_quiet_by_every_tool_that_reads_the_store(fabric: Fabric, tmp_path: Path) -> None:
    with measured(fabric, tmp_path) as found:
        until_ns = found.collectors.poll_now().until_ns
        assert found.complaints(until_ns, TOOLS) == dict.fromkeys(MESH_TOOLS | COLLECTOR_TOOLS, "")


def test_a_killed_prober_is_told_by_the_tools_of_the_mesh(fabric: Fabric, tmp_path: Path) -> None:
    with measured(fabric, tmp_path) as found:
        found.kill(PROBER, "-o")
        with pytest.raises(InfraError, match="the prober failed: the process ended"):
            found.mesh.wait_epochs(10_000, after_ns=0, timeout_s=60)
        said = found.complaints(now_ns() + LATER_NS)
    assert names_with(said, "the pingmesh collector fell silent; whether paths were well is unknown") == MESH_TOOLS


def test_killed_collectors_are_told_by_the_tools_of_sessions_counters_and_logs(fabric: Fabric, tmp_path: Path) -> None:
    with measured(fabric, tmp_path) as found:
        found.kill(COLLECTORS)
        with pytest.raises(InfraError, match="the process ended"):
            found.collectors.wait_polls(10_000, timeout_s=60)
        said = found.complaints(now_ns() + LATER_NS)
    assert names_with(said, "the bgp collector fell silent") == BGP_TOOLS
    assert names_with(said, "the interfaces collector fell silent") == {"get_interface_metrics"}
    assert names_with(said, "the syslog collector fell silent") == {"get_device_logs"}


def test_a_bgp_daemon_that_hangs_is_told_by_the_tools_of_sessions(fabric: Fabric, tmp_path: Path) -> None:
    (bgpd,) = fabric.exec("spine2", ["pgrep", "-x", "bgpd"]).stdout.split()
    with measured(fabric, tmp_path) as found:
        assert fabric.exec("spine2", ["kill", "-STOP", bgpd]).is_ok
        try:
            until_ns = found.collectors.poll_now().until_ns
        finally:
            assert fabric.exec("spine2", ["kill", "-CONT", bgpd]).is_ok
        said = found.complaints(until_ns)
    # The other tool is asked about a session of another switch.
    assert names_with(said, "what is missing is unknown, not quiet") == {"query_bgp_events"}


def test_a_killed_log_reader_is_told_by_the_tool_of_logs_alone(engine: NativeEngine, tmp_path: Path) -> None:
    with running(engine) as fabric, measured(fabric, tmp_path) as found:
        found.kill("netopsbench.fabric.native.keeper", "-n")
        until_ns = found.collectors.poll_now().until_ns
        said = found.complaints(until_ns)
    assert names_with(said, "what is missing is unknown, not quiet") == {"get_device_logs"}
    assert {name for name, words in said.items() if words} == {"get_device_logs"}


def names_with(said: dict[str, str], words: str) -> set[str]:
    """The tools whose complaint holds these words."""
    return {name for name, complaint in said.items() if words in complaint}
