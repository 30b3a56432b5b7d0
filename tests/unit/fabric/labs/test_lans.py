"""Ports on LANs, whose other end is a bridge and no node: whatever asks who faces a port gets along with them."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import known_labs, load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import facing, lans, node, stations
from netopsbench.fabric.ways import equal_cost_paths, links_of
from netopsbench.records.names import Port
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


def _faced(plan: FabricPlan, name: str) -> dict[str, list[str]]:
    """A node's ports with what they face."""
    here = node(plan, name)
    return {port.name: [str(far) for far in facing(here, port, lans(plan))] for port in here.interfaces}


def test_ports_of_a_lan_made_of_cables_face_the_other_end_of_their_cable() -> None:
    ring, metro = (plan_fabric(load_spec(name)) for name in ("redundant_office", "metro_overlay"))
    assert _faced(ring, "sw1") == {
        "eth1": ["sw2:eth1"],
        "eth2": ["sw3:eth1"],
        "eth3": ["gw1:eth2"],
        "eth4": ["pc4:eth0"],
    }
    assert _faced(ring, "gw1") == {"eth1": ["core:eth1"], "eth2": ["sw1:eth3"]}
    assert _faced(ring, "core")["eth1"] == ["gw1:eth1"]
    assert _faced(metro, "pe1") == {"eth1": ["p1:eth1"], "eth2": ["p2:eth1"], "eth3": ["shop1:eth0"]}
    assert _faced(metro, "shop1") == {"eth0": ["pe1:eth3"]}
    assert (lans(ring), lans(metro)) == ({}, {})


def test_paths_lead_through_the_bridges_of_a_lan_made_of_cables() -> None:
    ring, metro = (plan_fabric(load_spec(name)) for name in ("redundant_office", "metro_overlay"))
    inside = equal_cost_paths(ring, "pc1", "pc4")
    assert [[str(port) for port in path] for path in inside] == [["pc1:eth0", "sw3:eth1", "sw1:eth4"]]
    over = {tuple(str(port) for port in path) for path in equal_cost_paths(metro, "shop1", "shop2")}
    assert over == {
        ("shop1:eth0", "pe1:eth1", "p1:eth2", "pe2:eth3"),
        ("shop1:eth0", "pe1:eth2", "p2:eth2", "pe2:eth3"),
    }


def test_who_speaks_ip_on_a_lan_are_all_but_the_ports_of_bridges(office: FabricPlan) -> None:
    ring, metro = (plan_fabric(load_spec(name)) for name in ("redundant_office", "metro_overlay"))
    gateway = stations(ring)[Port(node="gw1", interface="eth2")]
    assert sorted(map(str, gateway)) == ["gw2:eth2", "pc1:eth0", "pc2:eth0", "pc3:eth0", "pc4:eth0"]
    assert {port.node for port in stations(ring)} == {"gw1", "gw2", "pc1", "pc2", "pc3", "pc4"}
    shop = stations(metro)[Port(node="shop1", interface="eth0")]
    assert sorted(map(str, shop)) == ["shop2:eth0", "shop3:eth0"]
    depot = stations(office)[Port(node="depot", interface="eth1")]
    assert sorted(map(str, depot)) == ["pc19:eth0", "pc20:eth0"]


@pytest.mark.parametrize("name", known_labs())
def test_background_traffic_is_worked_out_for_every_lab(name: str) -> None:
    plan = plan_fabric(load_spec(name))
    found = matrix_of(plan)
    attached = [each.name for each in plan.nodes if each.attached_to is not None]
    assert {flow.src for flow in found.flows} == (set(attached) if len(attached) > 1 else set())
    assert found.packets_per_s > 0 or not found.flows
