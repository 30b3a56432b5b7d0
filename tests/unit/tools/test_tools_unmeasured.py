"""A fabric that nobody measures: devices answer, and tools of measurements say what is missing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from printing import PrintingFabric

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.live import unmeasured
from netopsbench.tools.published.profile import PUBLISHED
from netopsbench.tools.serving import server
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter

MEASUREMENTS = [
    ("get_pingmesh_summary", {}),
    ("get_pingmesh_hotspots", {}),
    ("get_interface_metrics", {"device": "leaf1"}),
    ("get_device_logs", {"device": "leaf1"}),
    ("query_bgp_events", {}),
]


@pytest.mark.parametrize(("name", "arguments"), MEASUREMENTS)
def test_tools_of_measurements_say_that_there_is_none(
    name: str, arguments: dict[str, str], fabric: PrintingFabric, tmp_path: Path
) -> None:
    desk = Desk(unmeasured(fabric), TOOLS, Meter(tmp_path / "calls", 5), 10_000)
    with pytest.raises(ToolError, match="--measure") as refused:
        desk.call(name, arguments)
    assert refused.value.kind == "not_measured"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("influx_list_buckets", {}),
        ("influx_get_measurements", {}),
        ("influx_count_measurements", {"measurement": "interfaces"}),
        ("influx_query_measurement", {"measurement": "interfaces"}),
    ],
)
def test_a_store_that_nobody_fills_is_not_shown_as_an_empty_one(
    name: str, arguments: dict[str, str], fabric: PrintingFabric, tmp_path: Path
) -> None:
    desk = Desk(unmeasured(fabric), PUBLISHED, Meter(tmp_path / "calls", 5), 10_000)
    with pytest.raises(ToolError, match="there is no measurement") as refused:
        desk.call(name, arguments)
    assert refused.value.kind == "not_measured"


def test_the_present_state_of_a_session_needs_no_measurements(fabric: PrintingFabric, tmp_path: Path) -> None:
    fabric.printed = json.dumps({"10.1.1.1": {"bgpState": "Established", "remoteAs": 65001}})
    desk = Desk(unmeasured(fabric), TOOLS, Meter(tmp_path / "calls", 5), 10_000)
    found = desk.call("get_bgp_neighbor", {"device": "leaf1", "neighbor": "10.1.1.1"})
    assert found["detail"]["state"] == "Established"
    assert found["collector"]["message"].startswith("there is no measurement")


@pytest.fixture
def config(fabric: PrintingFabric, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> server.ServerConfig:
    """Of a server of the fabric, which isn't measured."""
    (tmp_path / "plan").write_text(fabric.plan.model_dump_json())
    monkeypatch.setattr(server, "attach", lambda path: fabric)
    return server.ServerConfig(
        plan=tmp_path / "plan",
        fabric=tmp_path / "handle",
        store=None,
        tool_calls=5,
        socket=tmp_path / "s",
        calls=tmp_path / "calls",
        secret_variables=("MINE",),
    )


def test_a_server_without_a_store_says_that_its_network_is_not_measured(config: server.ServerConfig) -> None:
    with pytest.raises(ToolError, match="this network is not measured; ask its devices themselves"):
        server._desk(config).call("get_device_logs", {"device": "leaf1"})


def test_a_server_writes_down_no_value_of_the_variables_it_is_told_of(
    config: server.ServerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "plain-words")
    monkeypatch.setenv("PGPASSWORD", "other-words")
    with pytest.raises(ToolError, match="plain-words"):
        server._desk(config).call("get_fib", {"device": "plain-words other-words"})
    kept = config.calls.read_text()
    assert "[redacted]" in kept
    assert "words" not in kept


def test_the_design_is_known_without_measurements(fabric: PrintingFabric, tmp_path: Path) -> None:
    desk = Desk(unmeasured(fabric), TOOLS, Meter(tmp_path / "calls", 5), 100_000)
    assert len(desk.call("get_topology", {})["links"]) == 8


def test_a_view_that_moves_on_is_looked_at_anew_for_each_call(
    context: ToolContext, plan: FabricPlan, tmp_path: Path
) -> None:
    views = iter([context, replace(context, plan=plan.model_copy(update={"links": ()}))])
    desk = Desk(lambda: next(views), TOOLS, Meter(tmp_path / "calls", 5), 100_000)
    assert [len(desk.call("get_topology", {})["links"]) for _ in range(2)] == [8, 0]
