from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from random import Random

import networkx as nx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import (
    clients,
    expected_sessions,
    graph,
    link_at,
    link_between,
    neighbours,
    node,
    owner_of,
    switches,
)
from netopsbench.fabric.routes import announced, expected_routes
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree, Pod, PodClos, Topology
from netopsbench.fabric.ways import equal_cost_paths, links_of
from netopsbench.records.names import Port


def plan_of(topology: Topology, seed: int = 1) -> FabricPlan:
    return plan_fabric(FabricSpec(name="lab", topology=topology, seed=seed))


def hops_by_graph(plan: FabricPlan, src: str, dst: str) -> frozenset[IPv4Address]:
    """Next hops on any shortest path through the switches, as networkx sees them."""
    fabric = graph(plan).subgraph([each.name for each in switches(plan)])
    far = nx.shortest_path_length(fabric, target=dst)
    return frozenset(
        next(port.address.ip for port in node(plan, peer.node).interfaces if port.name == peer.interface)
        for peer in neighbours(plan, src).values()
        if peer.node in far and far[peer.node] == far[src] - 1
    )


pods = st.builds(Pod, spines=st.integers(1, 3), leaves=st.integers(1, 3), clients_per_leaf=st.integers(0, 3))
topologies = st.one_of(
    st.builds(Clos, spines=st.integers(1, 5), leaves=st.integers(1, 6), clients_per_leaf=st.integers(0, 3)),
    st.builds(FatTree, k=st.sampled_from([2, 4, 6]), clients_per_edge=st.integers(1, 3)),
    st.builds(PodClos, cores=st.integers(1, 3), pods=st.lists(pods, min_size=1, max_size=3).map(tuple)),
)


@settings(deadline=None, max_examples=40)
@given(topologies)
def test_any_topology_gives_a_plan_without_mistakes(topology: Topology) -> None:
    assert check_plan(plan_of(topology)) == []


@settings(deadline=None, max_examples=15)
@given(topologies)
def test_the_same_spec_gives_the_same_plan(topology: Topology) -> None:
    assert plan_of(topology) == plan_of(topology)
    assert plan_of(topology).digest != plan_of(topology, seed=2).digest


@settings(deadline=None, max_examples=15)
@given(topologies)
def test_a_plan_survives_json(topology: Topology) -> None:
    plan = plan_of(topology)
    assert FabricPlan.model_validate_json(plan.model_dump_json()) == plan


@settings(deadline=None, max_examples=15)
@given(topologies)
def test_client_prefixes_take_every_shortest_path(topology: Topology) -> None:
    plan = plan_of(topology)
    routes = expected_routes(plan)
    for origin in switches(plan):
        for receiver in switches(plan):
            if origin != receiver:
                for prefix in origin.announces:
                    assert routes[receiver.name][prefix] == hops_by_graph(plan, receiver.name, origin.name)


@settings(deadline=None, max_examples=10)
@given(topologies, st.randoms(use_true_random=False))
def test_equal_cost_paths_are_all_shortest_paths(topology: Topology, random: Random) -> None:
    plan = plan_of(topology)
    assume(len(clients(plan)) >= 2)
    src, dst = random.sample([each.name for each in clients(plan)], 2)
    walked = {(*(port.node for port in path), dst) for path in equal_cost_paths(plan, src, dst)}
    assert walked == set(map(tuple, nx.all_shortest_paths(nx.Graph(graph(plan)), src, dst)))


def loopback_routes(plan: FabricPlan, name: str) -> set[str]:
    by_prefix: Mapping[IPv4Network, str] = {announced(each)[0]: each.name for each in switches(plan) if each.loopback}
    return {by_prefix[prefix] for prefix in expected_routes(plan)[name] if prefix in by_prefix}


def test_spines_that_share_an_as_lack_each_others_loopbacks() -> None:
    plan = plan_of(Clos(spines=3, leaves=2))
    assert loopback_routes(plan, "spine1") == {"leaf1", "leaf2"}
    assert loopback_routes(plan, "leaf1") == {"spine1", "spine2", "spine3", "leaf2"}


def test_fat_tree_switches_have_every_loopback() -> None:
    plan = plan_of(FatTree(k=4))
    names = {each.name for each in switches(plan)}
    assert all(loopback_routes(plan, name) == names - {name} for name in names)


def test_sessions_name_the_neighbours_address_and_as() -> None:
    sessions = expected_sessions(plan_of(Clos(spines=2, leaves=2)))
    assert sessions["leaf2"] == {IPv4Address("10.1.2.1"): 65001, IPv4Address("10.2.2.1"): 65001}
    assert sessions["spine1"] == {IPv4Address("10.1.1.2"): 65011, IPv4Address("10.1.2.2"): 65012}


def test_paths_between_clients_of_one_leaf_stay_there() -> None:
    plan = plan_of(Clos(spines=2, leaves=1, clients_per_leaf=2))
    (path,) = equal_cost_paths(plan, "client1", "client2")
    assert path == (Port.model_validate("client1:eth1"), Port.model_validate("leaf1:eth4"))
    assert [link_at(plan, port).id for port in path] == list(links_of(plan, path))


def test_fat_tree_pods_are_joined_by_a_path_per_core() -> None:
    plan = plan_of(FatTree(k=6, clients_per_edge=1))
    assert len(equal_cost_paths(plan, "client1", "client2")) == 3
    assert len(equal_cost_paths(plan, "client1", "client18")) == 9


def test_links_and_owners_are_found() -> None:
    plan = plan_of(Clos(spines=2, leaves=2))
    between = link_between(plan, "leaf2", "spine1")
    assert between is not None
    assert {str(between.a), str(between.b)} == {"spine1:eth2", "leaf2:eth1"}
    assert link_between(plan, "leaf1", "leaf2") is None
    owner = owner_of(plan, IPv4Address("10.2.1.2"))
    assert owner is not None
    assert owner.name == "leaf1"
    assert owner_of(plan, IPv4Address("10.9.9.9")) is None
