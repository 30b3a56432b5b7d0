"""A fabric that nobody measures: devices answer, and tools of measurements say what is missing."""

from dataclasses import replace
from pathlib import Path

import pytest
from printing import PrintingFabric

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.desk import Desk
from netopsbench.tools.live import unmeasured
from netopsbench.tools.meter import Meter

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


def test_the_design_is_known_without_measurements(fabric: PrintingFabric, tmp_path: Path) -> None:
    desk = Desk(unmeasured(fabric), TOOLS, Meter(tmp_path / "calls", 5), 100_000)
    assert len(desk.call("get_topology", {})["links"]) == 8


def test_a_view_that_moves_on_is_looked_at_anew_for_each_call(
    context: ToolContext, plan: FabricPlan, tmp_path: Path
) -> None:
    views = iter([context, replace(context, plan=plan.model_copy(update={"links": ()}))])
    desk = Desk(lambda: next(views), TOOLS, Meter(tmp_path / "calls", 5), 100_000)
    assert [len(desk.call("get_topology", {})["links"]) for _ in range(2)] == [8, 0]
