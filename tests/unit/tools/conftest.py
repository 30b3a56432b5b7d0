"""A small fabric to ask things of."""

import pytest
from printing import SECOND_NS, PrintingFabric

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.context import ToolContext


@pytest.fixture
def plan() -> FabricPlan:
    return plan_fabric(FabricSpec(name="lab", topology=Clos(spines=2, leaves=2, clients_per_leaf=2)))


@pytest.fixture
def fabric(plan: FabricPlan) -> PrintingFabric:
    return PrintingFabric(plan)


@pytest.fixture
def context(plan: FabricPlan, fabric: PrintingFabric) -> ToolContext:
    return ToolContext(
        plan=plan,
        fabric=fabric,
        store=MemoryStore(),
        baseline=Window(since_ns=0, until_ns=10 * SECOND_NS),
        current=Window(since_ns=20 * SECOND_NS, until_ns=30 * SECOND_NS),
    )
