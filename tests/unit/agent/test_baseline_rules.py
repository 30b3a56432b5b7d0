"""Each rule of the baseline agent finds its fault, over the real tools and a simulated fabric."""

from pathlib import Path

import pytest
from simulated import Desked, SimulatedFabric, clos

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.labels import LABELS

SMALL = clos(2, 4, 2)
PREFIX = {node.name: str(node.interfaces[0].address.network) for node in SMALL.nodes if not node.is_switch}


def diagnosed(fabric: SimulatedFabric, tmp_path: Path) -> Answer:
    question = Question(text="?", labels=LABELS, budget=Budget(wall_time_s=60, tool_calls=300), answer_schema={})
    return Baseline(wait=lambda seconds: None).answer(question, Desked(fabric, tmp_path / "calls"))


def found(fabric: SimulatedFabric, tmp_path: Path) -> tuple[str, str]:
    answer = diagnosed(fabric, tmp_path)
    assert answer.verdict == "fault_detected"
    assert len(answer.findings) == 1
    assert answer.findings[0].evidence
    return answer.findings[0].fault_type, str(answer.findings[0].location)


@pytest.mark.parametrize("port", ["leaf1:eth1", "leaf3:eth2"])
def test_an_uplink_that_loses_is_told_from_the_one_beside_it(port: str, tmp_path: Path) -> None:
    assert found(SimulatedFabric(SMALL, lossy={port: 30}), tmp_path) == ("packet_loss", port)


@pytest.mark.parametrize("port", ["leaf2:eth1", "leaf4:eth2"])
def test_an_uplink_that_delays_is_found(port: str, tmp_path: Path) -> None:
    assert found(SimulatedFabric(SMALL, slow={port: 120}), tmp_path) == ("high_latency", port)


@pytest.mark.parametrize("port", ["spine1:eth2", "spine2:eth4"])
def test_a_port_with_a_small_mtu_is_found_on_the_far_side_of_the_leaf_that_suffers(port: str, tmp_path: Path) -> None:
    assert found(SimulatedFabric(SMALL, small={port: 1400}), tmp_path) == ("mtu_mismatch", port)


@pytest.mark.parametrize(("port", "way"), [("leaf2:eth3", "saddr"), ("leaf3:eth4", "daddr"), ("leaf2:eth1", "daddr")])
def test_the_rule_that_drops_a_client_is_named_by_its_port(port: str, way: str, tmp_path: Path) -> None:
    client = {"leaf2:eth3": "client3", "leaf3:eth4": "client6", "leaf2:eth1": "client3"}[port]
    fabric = SimulatedFabric(SMALL, drops={port: (way, PREFIX[client])})
    assert found(fabric, tmp_path) == ("acl_misconfig", port)


def test_a_rule_for_prefixes_that_nobody_has_is_no_fault(tmp_path: Path) -> None:
    fabric = SimulatedFabric(SMALL, drops={"leaf1:eth3": ("saddr", "198.51.100.0/24")}, lossy={"leaf1:eth1": 30})
    assert found(fabric, tmp_path) == ("packet_loss", "leaf1:eth1")


def test_a_link_that_comes_and_goes_is_flapping_and_not_down(tmp_path: Path) -> None:
    assert found(SimulatedFabric(SMALL, flapping={"leaf3:eth1"}), tmp_path) == ("link_flapping", "leaf3:eth1")


@pytest.mark.parametrize("port", ["leaf1:eth2", "spine2:eth3"])
def test_the_end_that_expects_a_wrong_as_is_blamed_for_the_session(port: str, tmp_path: Path) -> None:
    fabric = SimulatedFabric(SMALL, wrong_as={port: 64999})
    assert found(fabric, tmp_path) == ("bgp_neighbor_misconfig", port.partition(":")[0])


def test_a_switch_whose_routing_has_stopped_is_down_although_its_ports_are_up(tmp_path: Path) -> None:
    assert found(SimulatedFabric(SMALL, stopped={"leaf4"}), tmp_path) == ("device_down", "leaf4")
