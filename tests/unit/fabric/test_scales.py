"""The seven published scales, to the letter."""

from collections import Counter
from ipaddress import IPv4Interface

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import clients, expected_sessions, interface, node
from netopsbench.fabric.routes import announced, expected_routes
from netopsbench.records.names import Port

PUBLISHED = {
    "xs": ({"spine": 2, "leaf": 2, "client": 2}, 4),
    "small": ({"spine": 2, "leaf": 4, "client": 8}, 8),
    "medium": ({"spine": 4, "leaf": 8, "client": 16}, 32),
    "large": ({"spine": 4, "leaf": 16, "client": 64}, 64),
    "xlarge": ({"spine": 16, "leaf": 128, "client": 128}, 2048),
    "fat-tree-k8": ({"core": 16, "agg": 32, "edge": 32, "client": 128}, 256),
    "fat-tree-k12": ({"core": 36, "agg": 72, "edge": 72, "client": 144}, 864),
}


def plan_of(scale: str) -> FabricPlan:
    return plan_fabric(load_spec(scale))


def address(plan: FabricPlan, port: str) -> IPv4Interface:
    return interface(plan, Port.model_validate(port)).address


def peer(plan: FabricPlan, port: str) -> str:
    return str(interface(plan, Port.model_validate(port)).peer)


@pytest.mark.parametrize("scale", PUBLISHED)
def test_counts_are_the_published_ones(scale: str) -> None:
    roles, links = PUBLISHED[scale]
    plan = plan_of(scale)
    assert Counter(each.role for each in plan.nodes) == roles
    assert sum(link.kind == "fabric" for link in plan.links) == links
    assert sum(map(len, expected_sessions(plan).values())) == 2 * links
    assert plan.mtu == 9100


@pytest.mark.parametrize("scale", PUBLISHED)
def test_the_plan_has_no_mistake(scale: str) -> None:
    assert check_plan(plan_of(scale)) == []


@pytest.mark.parametrize("scale", [*PUBLISHED, "custom-three-pods", "custom-4-byte-as"])
def test_every_switch_is_to_hold_every_remote_client_prefix(scale: str) -> None:
    plan = plan_of(scale)
    routes = expected_routes(plan)
    prefixes = {prefix for each in plan.nodes for prefix in each.announces}
    for switch, table in routes.items():
        assert prefixes - table.keys() == set(node(plan, switch).announces)
        assert not set(announced(node(plan, switch))) & table.keys()


def test_clos_ports_and_addresses() -> None:
    plan = plan_of("large")
    assert peer(plan, "spine3:eth16") == "leaf16:eth3"
    assert address(plan, "spine3:eth16") == IPv4Interface("10.3.16.1/30")
    assert address(plan, "leaf16:eth3") == IPv4Interface("10.3.16.2/30")
    assert peer(plan, "leaf2:eth5") == "client5:eth1"
    assert address(plan, "leaf2:eth8") == IPv4Interface("192.168.102.13/30")
    assert address(plan, "client8:eth1") == IPv4Interface("192.168.102.14/30")
    assert node(plan, "client8").gateway == address(plan, "leaf2:eth8").ip
    assert node(plan, "client8").attached_to == "leaf2"


def test_clos_as_numbers() -> None:
    plan = plan_of("xlarge")
    assert {each.asn for each in plan.nodes if each.role == "spine"} == {65001}
    assert node(plan, "leaf128").asn == 65138


def test_fat_tree_ports_and_addresses() -> None:
    plan = plan_of("fat-tree-k8")
    # Core j joins agg (j-1)//(k/2)+1 of every pod: core 7 the second of each.
    assert [peer(plan, f"core7:eth{pod}").split(":")[0] for pod in range(1, 9)] == [
        f"agg{4 * pod + 2}" for pod in range(8)
    ]
    assert peer(plan, "agg6:eth3") == "core7:eth2"
    assert peer(plan, "agg6:eth5") == "edge5:eth2"
    assert peer(plan, "edge5:eth5") == "client17:eth1"
    assert address(plan, "core1:eth1") == IPv4Interface("10.1.0.1/30")
    assert address(plan, "agg1:eth1") == IPv4Interface("10.1.0.2/30")
    assert address(plan, "edge1:eth1") == IPv4Interface("10.2.0.2/30")
    assert address(plan, "client128:eth1") == IPv4Interface("192.168.132.14/30")


def test_fat_tree_has_one_as_per_switch() -> None:
    asns = [each.asn for each in plan_of("fat-tree-k12").nodes if each.is_switch]
    assert len(set(asns)) == len(asns) == 180


def test_router_ids_are_unique_at_xlarge() -> None:
    loopbacks = [each.loopback for each in plan_of("xlarge").nodes if each.is_switch]
    assert len(set(loopbacks)) == 144


def test_k16_is_planned_without_mistakes() -> None:
    plan = plan_of("custom-fat-tree-k16")
    assert sum(each.is_switch for each in plan.nodes) == 320
    assert len(clients(plan)) == 1024
    assert check_plan(plan) == []


def test_uneven_pods_number_leaves_through() -> None:
    plan = plan_of("custom-three-pods")
    assert [len(each.announces) for each in plan.nodes if each.role == "leaf"] == [2, 2, 1, 2, 1, 3]
    assert peer(plan, "core2:eth7") == "spine7:eth2"
    assert peer(plan, "spine7:eth3") == "leaf6:eth3"
    assert peer(plan, "leaf6:eth4") == "client9:eth1"
    assert node(plan, "spine3").asn == node(plan, "spine4").asn == 65003


def test_four_byte_as_numbers_are_kept() -> None:
    plan = plan_of("custom-4-byte-as")
    assert node(plan, "leaf3").asn == 4_200_001_003
