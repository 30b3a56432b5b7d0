"""Ports on LANs, whose other end is a bridge and no node: whatever asks who faces a port gets along with them."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import known_labs, load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import equal_cost_paths, facing, lans, links_of, node
from netopsbench.traffic.matrix import matrix_of


@pytest.fixture(scope="module")
def office() -> FabricPlan:
    return plan_fabric(load_spec("rip_office"))


def test_a_port_on_a_lan_faces_everybody_else_there(office: FabricPlan) -> None:
    depot = node(office, "depot")
    cable, lan = (facing(depot, port, lans(office)) for port in depot.interfaces)
    assert [str(port) for port in cable] == ["hq:eth2"]
    assert [str(port) for port in lan] == ["pc19:eth0", "pc20:eth0"]


def test_paths_lead_over_lans(office: FabricPlan) -> None:
    paths = equal_cost_paths(office, "pc1", "pc19")
    assert [[str(port) for port in path] for path in paths] == [["pc1:eth0", "office1:eth0", "hq:eth2", "depot:eth1"]]
    assert len(links_of(office, next(iter(paths)))) == 4
    assert [list(map(str, path)) for path in equal_cost_paths(office, "pc1", "pc2")] == [["pc1:eth0"]]


@pytest.mark.parametrize("name", known_labs())
def test_background_traffic_is_worked_out_for_every_lab(name: str) -> None:
    plan = plan_fabric(load_spec(name))
    found = matrix_of(plan)
    attached = [each.name for each in plan.nodes if each.attached_to is not None]
    assert {flow.src for flow in found.flows} == (set(attached) if len(attached) > 1 else set())
    assert found.packets_per_s > 0 or not found.flows
