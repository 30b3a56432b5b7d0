"""The traffic matrix is the fabric's own, even, and within the caps of clients and switches."""

from collections import Counter

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree
from netopsbench.traffic.matrix import Flow, client_loads, matrix_of, switch_loads

SCALES = ("xs", "small", "medium", "large", "xlarge", "fat-tree-k8", "fat-tree-k12")
CLIENT_CAP = {
    "xs": 1250,
    "small": 1250,
    "medium": 1000,
    "large": 750,
    "xlarge": 500,
    "fat-tree-k8": 500,
    "fat-tree-k12": 250,
}


def clos(spines: int, leaves: int, clients: int, seed: int = 1) -> FabricPlan:
    topology = Clos(spines=spines, leaves=leaves, clients_per_leaf=clients)
    return plan_fabric(FabricSpec(name="lab", topology=topology, seed=seed))


def flow(src: str, dst: str, protocol: str = "udp") -> Flow:
    return Flow.model_validate({"protocol": protocol, "src": src, "dst": dst, "src_port": 40000, "dst_port": 5201})


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_stays_within_the_caps_and_reaches_one_of_them(scale):
    plan = plan_fabric(load_spec(scale))
    matrix = matrix_of(plan)
    at_client = matrix.packets_per_s * max(client_loads(matrix.flows).values())
    at_switch = matrix.packets_per_s * max(switch_loads(plan, matrix.flows).values())
    assert at_client <= CLIENT_CAP[scale] * 1.000001
    assert at_switch <= 5000 * 1.000001
    assert at_client == pytest.approx(CLIENT_CAP[scale]) or at_switch == pytest.approx(5000)


@pytest.mark.parametrize("scale", SCALES)
def test_every_client_sends_and_gets_equally_many_flows_of_both_protocols(scale):
    plan = plan_fabric(load_spec(scale))
    flows = matrix_of(plan).flows
    names = [node.name for node in plan.nodes if not node.is_switch]
    each_way = min(4, len(names) - 1)
    assert Counter(each.src for each in flows) == Counter(each.dst for each in flows) == dict.fromkeys(names, each_way)
    assert Counter(each.protocol for each in flows) == {"udp": len(flows) / 2, "tcp": len(flows) / 2}
    assert all(each.src != each.dst for each in flows)
    assert len({(each.src, each.dst) for each in flows}) == len(flows)


def test_no_two_flows_share_a_socket():
    flows = matrix_of(clos(2, 4, 2)).flows
    assert len({(each.src, each.src_port) for each in flows}) == len(flows)
    assert len({(each.dst, each.dst_port) for each in flows}) == len(flows)


def test_the_same_fabric_has_the_same_matrix_and_another_seed_another():
    assert matrix_of(clos(2, 4, 2, seed=5)) == matrix_of(clos(2, 4, 2, seed=5))
    assert matrix_of(clos(2, 4, 2, seed=5)).flows != matrix_of(clos(2, 4, 2, seed=6)).flows


@pytest.mark.parametrize("clients", [0, 1])
def test_a_fabric_without_two_clients_has_no_flows(clients):
    matrix = matrix_of(clos(2, 1, clients))
    assert matrix.flows == ()
    assert matrix.packets_per_s == 0


def test_equal_cost_paths_share_what_passes():
    loads = switch_loads(clos(4, 2, 1), [flow("client1", "client2")])
    assert loads == {"leaf1": 1, "leaf2": 1, **{f"spine{number}": 0.25 for number in range(1, 5)}}


def test_an_acknowledged_stream_counts_both_ways():
    loads = switch_loads(clos(2, 2, 1), [flow("client1", "client2", "tcp")])
    assert loads == {"leaf1": 2, "leaf2": 2, "spine1": 1, "spine2": 1}
    assert client_loads([flow("client1", "client2", "tcp")]) == {"client1": 2, "client2": 2}


def test_traffic_between_two_clients_of_a_leaf_meets_no_other_switch():
    plan = clos(2, 2, 2)
    mine = [node.name for node in plan.nodes if node.attached_to == "leaf1"]
    assert switch_loads(plan, [flow(*mine)]) == {"leaf1": 1, "leaf2": 0, "spine1": 0, "spine2": 0}


def test_on_three_tiers_every_core_carries_its_share():
    plan = plan_fabric(FabricSpec(name="tree", topology=FatTree(k=4, clients_per_edge=1)))
    pod_of = {node.name: node.attached_to for node in plan.nodes if node.attached_to}
    src, dst = next(name for name in pod_of if pod_of[name] == "edge1"), next(n for n in pod_of if pod_of[n] == "edge8")
    loads = switch_loads(plan, [flow(src, dst)])
    assert {loads[f"core{number}"] for number in range(1, 5)} == {0.25}
    assert sum(load for name, load in loads.items() if name.startswith("agg")) == pytest.approx(2)
    assert loads["edge1"] == loads["edge8"] == 1


def test_the_work_is_every_link_that_a_packet_crosses():
    matrix = matrix_of(clos(1, 2, 1))
    # One datagram there, one segment with its acknowledgement: three packets over four links each.
    assert matrix.crossings_per_s == pytest.approx(12 * matrix.packets_per_s)


def test_bridges_carry_what_passes_them_on_the_way_that_spanning_tree_leaves():
    office = plan_fabric(load_spec("redundant_office"))
    on_the_lan = switch_loads(office, [flow("pc1", "pc2")])
    assert {name: load for name, load in on_the_lan.items() if load} == {"sw1": 1, "sw2": 1, "sw3": 1, "sw4": 1}
    outwards = switch_loads(office, [flow("pc4", "files1")])
    assert {name: load for name, load in outwards.items() if load} == {"sw1": 1, "sw2": 1, "gw2": 1, "core": 1}


def test_packets_to_a_lan_with_two_routers_come_over_both():
    loads = switch_loads(plan_fabric(load_spec("redundant_office")), [flow("files1", "pc4")])
    assert {name: load for name, load in loads.items() if load} == {
        "core": 1,
        "gw1": 0.5,
        "gw2": 0.5,
        "sw1": 1,
        "sw2": 0.5,
    }


def test_clients_of_one_lan_load_no_router():
    office = plan_fabric(load_spec("rip_office"))
    assert not any(switch_loads(office, [flow("pc1", "pc2")]).values())
