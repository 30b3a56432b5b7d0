"""A network of one device of each vendor, and what is true of any of them."""

import pytest
from known_facts import KnownDevice

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec


@pytest.fixture
def device() -> KnownDevice:
    return KnownDevice()


@pytest.fixture
def plan() -> FabricPlan:
    return plan_fabric(FabricSpec(name="lab", topology=Clos(spines=4, leaves=8, clients_per_leaf=1)))
