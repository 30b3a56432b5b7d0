from pathlib import Path

import pytest

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import known_data
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree, Pod, PodClos, Pools


def problems_in(path: Path) -> list[Problem]:
    with pytest.raises(SpecError) as caught:
        load_spec(str(path))
    return list(caught.value.problems)


def written(folder: Path, text: str) -> Path:
    path = folder / "lab.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", known_data("fabrics"))
def test_every_shipped_fabric_is_called_like_its_file(name: str) -> None:
    assert load_spec(name).name == name


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(SpecError, match=r"'huge'.*fat-tree-k12.*xs"):
        load_spec("huge")


def test_three_mistakes_are_three_problems(tmp_path: Path) -> None:
    path = written(tmp_path, "name: lab\ntopology: {kind: clos, spines: 0, leafs: 4}\nmtu: big\n")
    found = {problem.key: problem.wanted for problem in problems_in(path)}
    assert found["topology.spines"] == "at least 1"
    assert found["topology.leafs"].startswith("there is no such key; did you mean leaves?")
    assert found["topology.leaves"] == "this key is required"
    assert found["mtu"] == "a whole number"
    assert all(problem.source == str(path) for problem in problems_in(path))


def test_client_counts_must_match_the_leaves(tmp_path: Path) -> None:
    path = written(tmp_path, "name: lab\ntopology: {kind: clos, spines: 1, leaves: 3, clients_per_leaf: [1, 2]}\n")
    (problem,) = problems_in(path)
    assert problem.key == "topology"
    assert problem.wanted.startswith("clients_per_leaf lists 2 numbers for 3 leaves")


def test_an_odd_fat_tree_is_refused(tmp_path: Path) -> None:
    (problem,) = problems_in(written(tmp_path, "name: lab\ntopology: {kind: fat_tree, k: 5}\n"))
    assert (problem.key, problem.wanted) == ("topology.k", "a multiple of 2")


def test_a_hold_time_below_the_keepalive_is_refused(tmp_path: Path) -> None:
    text = "name: lab\ntopology: {kind: fat_tree, k: 4}\ntimers: {keepalive_s: 9, hold_s: 9}\n"
    (problem,) = problems_in(written(tmp_path, text))
    assert problem.key == "timers"
    assert "hold_s must be longer" in problem.wanted


def test_a_pool_of_the_wrong_size_is_refused(tmp_path: Path) -> None:
    text = "name: lab\ntopology: {kind: fat_tree, k: 4}\npools: {fabric_links: 10.0.0.0/16}\n"
    (problem,) = problems_in(written(tmp_path, text))
    assert "fabric_links must be a /8" in problem.wanted


def pool_keys(spec: FabricSpec) -> set[str]:
    with pytest.raises(SpecError) as caught:
        plan_fabric(spec)
    return {problem.key for problem in caught.value.problems}


def test_all_pools_that_run_out_are_named_together() -> None:
    spec = FabricSpec(
        name="lab",
        topology=Clos(spines=300, leaves=300, clients_per_leaf=65),
        pools=Pools.model_validate({"loopbacks": "10.255.0.0/28", "more_clients": "172.16.0.0/24"}),
    )
    assert pool_keys(spec) == {
        "topology.spines",
        "topology.leaves",
        "topology.clients_per_leaf",
        "pools.loopbacks",
        "pools.more_clients",
    }


def test_a_fat_tree_too_large_for_its_links_is_refused() -> None:
    assert "topology.k" in pool_keys(FabricSpec(name="lab", topology=FatTree(k=42)))


def test_pods_too_large_for_their_links_are_refused() -> None:
    pods = (Pod(spines=129, leaves=129, clients_per_leaf=1),)
    spec = FabricSpec(name="lab", topology=PodClos(cores=129, pods=pods))
    assert pool_keys(spec) == {"topology.cores", "topology.pods"}


def test_racks_past_the_first_pool_go_on_in_the_second() -> None:
    plan = plan_fabric(FabricSpec(name="lab", topology=Clos(spines=1, leaves=157)))
    by_name = {node.name: node for node in plan.nodes}
    assert [str(by_name[f"leaf{n}"].announces[0]) for n in (155, 156, 157)] == [
        "192.168.255.0/30",
        "172.16.0.0/30",
        "172.16.1.0/30",
    ]
