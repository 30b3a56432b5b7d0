"""The rule-based agent over the real tools and a simulated fabric."""

from pathlib import Path

import pytest
from simulated import BENIGN_PREFIX, Desked, SimulatedFabric, clos

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import FabricSpec, FatTree
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.labels import LABELS

XS = clos(2, 2, 1)
SMALL = clos(2, 4, 2)
FAT_TREE = plan_fabric(FabricSpec(name="sim", topology=FatTree(k=4, clients_per_edge=1)))


def question(calls: int = 300) -> Question:
    return Question(text="?", labels=LABELS, budget=Budget(wall_time_s=60, tool_calls=calls), answer_schema={})


def diagnosed(fabric: SimulatedFabric, tmp_path: Path, calls: int = 300) -> Answer:
    return patient().answer(question(calls), Desked(fabric, tmp_path / "calls", calls))


def patient() -> Baseline:
    """The agent where waiting costs no time, since nothing changes meanwhile."""
    return Baseline(wait=lambda seconds: None)


def found(answer: Answer) -> tuple[str, str]:
    assert answer.verdict == "fault_detected"
    assert len(answer.findings) == 1
    assert answer.findings[0].evidence
    assert answer.reasoning
    return answer.findings[0].fault_type, str(answer.findings[0].location)


def every_port(plan: FabricPlan, roles: tuple[str, ...]) -> list[str]:
    return [f"{node.name}:{port.name}" for node in plan.nodes if node.role in roles for port in node.interfaces]


@pytest.mark.parametrize("plan", [XS, SMALL, FAT_TREE], ids=["xs", "small", "fat-tree"])
def test_a_healthy_network_is_called_healthy(plan: FabricPlan, tmp_path: Path) -> None:
    answer = diagnosed(SimulatedFabric(plan), tmp_path)
    assert answer.verdict == "network_healthy"
    assert answer.findings == ()


def test_a_static_route_away_from_all_clients_is_no_fault(tmp_path: Path) -> None:
    harmless = [("100.64.30.0/24", "blackhole"), (BENIGN_PREFIX, "unicast")]
    fabric = SimulatedFabric(SMALL, statics={node.name: harmless for node in SMALL.nodes if node.role == "leaf"})
    assert diagnosed(fabric, tmp_path).verdict == "network_healthy"


@pytest.mark.parametrize("port", [*every_port(XS, ("leaf",)), *every_port(XS, ("spine",))])
def test_the_end_that_was_switched_off_is_named(port: str, tmp_path: Path) -> None:
    assert found(diagnosed(SimulatedFabric(XS, admin_down={port}), tmp_path)) == ("link_down", port)


@pytest.mark.parametrize("port", every_port(SMALL, ("leaf",)))
def test_a_cut_cable_is_named_by_its_lower_switch(port: str, tmp_path: Path) -> None:
    assert found(diagnosed(SimulatedFabric(SMALL, cut={port}), tmp_path)) == ("link_down", port)


@pytest.mark.parametrize("port", every_port(FAT_TREE, ("edge", "agg"))[::3])
def test_links_of_three_tiers_are_found(port: str, tmp_path: Path) -> None:
    label, location = found(diagnosed(SimulatedFabric(FAT_TREE, admin_down={port}), tmp_path))
    assert (label, location) == ("link_down", port)


def test_a_client_that_lost_its_cable_is_answered_with_the_switch_port(tmp_path: Path) -> None:
    fabric = SimulatedFabric(XS, admin_down={"client2:eth1"})
    assert found(diagnosed(fabric, tmp_path)) == ("link_down", "leaf2:eth3")


@pytest.mark.parametrize("kind", ["blackhole", "reject"])
@pytest.mark.parametrize(("switch", "client"), [("leaf1", "client2"), ("leaf2", "client1")])
def test_the_switch_that_discards_is_told_from_the_one_that_is_cut_off(
    switch: str, client: str, kind: str, tmp_path: Path
) -> None:
    prefix = next(str(node.interfaces[0].address.network) for node in XS.nodes if node.name == client)
    fabric = SimulatedFabric(XS, statics={switch: [(prefix, kind)]})  # type: ignore[list-item]
    assert found(diagnosed(fabric, tmp_path)) == ("blackhole_route", switch)


def test_a_blackhole_in_a_rack_of_many_clients_is_found(tmp_path: Path) -> None:
    prefix = next(str(node.interfaces[0].address.network) for node in SMALL.nodes if node.name == "client7")
    fabric = SimulatedFabric(SMALL, statics={"leaf2": [(prefix, "blackhole")]})
    assert found(diagnosed(fabric, tmp_path)) == ("blackhole_route", "leaf2")


def test_a_switch_with_all_ports_down_is_down_itself(tmp_path: Path) -> None:
    ports = {port for port in every_port(SMALL, ("leaf",)) if port.startswith("leaf3:")}
    assert found(diagnosed(SimulatedFabric(SMALL, admin_down=ports), tmp_path)) == ("device_down", "leaf3")


def test_a_session_that_is_down_on_a_live_link_is_a_neighbor_mistake(tmp_path: Path) -> None:
    fabric = SimulatedFabric(SMALL, sessions_down={"leaf3:eth2"})
    assert found(diagnosed(fabric, tmp_path)) == ("bgp_neighbor_misconfig", "leaf3")


def test_devices_that_do_not_answer_lower_the_confidence_and_are_named(tmp_path: Path) -> None:
    answer = diagnosed(SimulatedFabric(XS, quiet={"spine1", "leaf1"}), tmp_path)
    assert answer.verdict == "network_healthy"
    assert answer.confidence == 0.5
    assert "did not answer" in answer.reasoning


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_a_small_budget_is_never_exceeded(calls: int, tmp_path: Path) -> None:
    tools = Desked(SimulatedFabric(XS, admin_down={"leaf2:eth1"}), tmp_path / "calls", calls)
    answer = patient().answer(question(calls), tools)
    assert tools.desk.status() == {"calls": calls, "budget": calls, "is_exceeded": False, "unrecorded": 0}
    assert "budget" in answer.reasoning
