"""VRRP and spanning tree on a running lab: hosts go by the master, keys and agents agree, the tree is as worked out."""

import json
from collections.abc import Iterator

import pytest

from netopsbench.campaign.rca_trial import run_tasks
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.spanning_tree import blocked_ports
from netopsbench.rca.breaking.holding import held
from netopsbench.rca.breaking.redundancy import without_vrrp
from netopsbench.rca.generate import NETWORKS, generate
from netopsbench.rca.model import PathTask
from netopsbench.rca.network.measuring import measured_paths, packet_nodes
from netopsbench.rca.network.proving import FLOW_PORTS, prove
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.records.answers import Budget

pytestmark = [pytest.mark.live, pytest.mark.slow]


@pytest.fixture(scope="module")
def office(engine: NativeEngine) -> Iterator[StandingNetwork]:
    with StandingNetwork("redundant_office", engine) as network:
        yield network


def test_the_kernels_block_the_ports_that_the_plan_says(office: StandingNetwork) -> None:
    assert office.plan.lab is not None
    blocked = set()
    for name in office.plan.lab.bridges:
        done = office.fabric.exec(name, ["ip", "-j", "-d", "link", "show", "master", "br0"])
        for port in json.loads(done.stdout):
            if port["linkinfo"]["info_slave_data"]["state"] == "blocking":
                blocked.add(f"{name}:{port['ifname']}")
    assert blocked == {str(port) for port in blocked_ports(office.plan)}


def test_packets_of_every_host_go_by_the_master_and_follow_it_to_the_other_router(office: StandingNetwork) -> None:
    masters = {"pc1": "gw1", "pc2": "gw2", "pc3": "gw1", "pc4": "gw2"}
    for broken in without_vrrp(office.plan):
        assert _routers(office) == masters
        left = next(name for name in ("gw1", "gw2") if name != broken.triple.node)
        with held(office.fabric, [broken]):
            assert _routers(office) == dict.fromkeys(masters, left)
            (path,) = measured_paths(office.fabric, "pc1", "files1")
            assert path.nodes == ("pc1", left, "core", "files1")
        assert office.restored([broken])


def _routers(office: StandingNetwork) -> dict[str, str]:
    """The first router that packets of each host meet."""
    hosts = ("pc1", "pc2", "pc3", "pc4")
    return {host: packet_nodes(office.fabric, host, "files1", FLOW_PORTS)[1] for host in hosts}


def test_paths_through_shared_gateways_are_true_and_the_tracer_finds_them(office: StandingNetwork) -> None:
    suite = generate({name: plan_fabric(load_spec(name)) for name in NETWORKS}, 1)
    tasks = [task for task in suite.paths if task.network == "redundant_office"]
    assert [(proof.task_id, proof.problems) for task in tasks if not (proof := prove(task, office)).is_valid] == []
    outwards: list[PathTask] = [task for task in tasks if task.source.startswith("pc")][:2]
    trials = list(run_tasks(outwards, ["tracer"], office, Budget(wall_time_s=300, tool_calls=60)))
    assert [trial.score.strict.accuracy for trial in trials if trial.score is not None] == [1.0, 1.0]
