"""Paths of hosts behind a gateway address that routers share: the key, and what running routers say."""

import json
from types import SimpleNamespace

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.rca.generate import NETWORKS, generate
from netopsbench.rca.network.design import Design
from netopsbench.rca.network.measuring import measured_paths

OFFICE = plan_fabric(load_spec("redundant_office"))
BY_GW1 = "pc1_eth0->gw1_eth1->core_eth3->files1"
BY_GW2 = "pc1_eth0->gw2_eth1->core_eth3->files1"


def _written(paths: object) -> set[str]:
    return {str(path) for path in paths}  # type: ignore[attr-defined]


def test_a_host_leaves_by_its_own_gateway_and_packets_come_back_by_both_routers() -> None:
    design = Design(OFFICE)
    assert _written(design.paths("pc1", "files1")) == {BY_GW1}
    assert _written(design.paths("pc2", "files1")) == {"pc2_eth0->gw2_eth1->core_eth3->files1"}
    assert _written(design.paths("files1", "pc1")) == {
        "files1_eth0->core_eth1->gw1_eth2->pc1",
        "files1_eth0->core_eth2->gw2_eth2->pc1",
    }
    assert _written(design.paths("pc1", "pc2")) == {"pc1_eth0->pc2"}


_ROUTES = {
    "pc1": [{"dst": "default", "gateway": "10.70.0.1", "dev": "eth0"}],
    "gw1": [{"dst": "10.72.1.0/24", "gateway": "10.71.1.1", "dev": "eth1"}],
    "gw2": [{"dst": "10.72.1.0/24", "gateway": "10.71.2.1", "dev": "eth1"}],
    "core": [{"dst": "10.72.1.0/24", "dev": "eth3"}],
}


class _Office:
    """The office while a router of one's choice is master."""

    plan = OFFICE

    def __init__(self, master: str) -> None:
        self._master = master

    def exec(self, node: str, argv: list[str]) -> SimpleNamespace:
        if "addr" in argv:
            flags = ["UP", "LOWER_UP"] if node == self._master else ["NO-CARRIER", "UP"]
            shown: object = [{}, {"ifname": "vrrp1-eth2", "flags": flags}]
        else:
            shown = _ROUTES[node]
        return SimpleNamespace(is_ok=True, stdout=json.dumps(shown), stderr="")


@pytest.mark.parametrize(("master", "way"), [("gw1", BY_GW1), ("gw2", BY_GW2)])
def test_what_is_measured_goes_by_the_router_that_is_master_now(master: str, way: str) -> None:
    assert _written(measured_paths(_Office(master), "pc1", "files1")) == {way}  # type: ignore[arg-type]


def test_where_no_router_is_master_the_way_ends() -> None:
    with pytest.raises(InfraError, match=r"10\.70\.0\.1, which nobody has"):
        measured_paths(_Office("nobody"), "pc1", "files1")  # type: ignore[arg-type]


def test_path_tasks_lead_through_shared_gateways_and_ask_who_is_master() -> None:
    suite = generate({name: plan_fabric(load_spec(name)) for name in NETWORKS}, 1)
    office = [task for task in suite.paths if task.network == "redundant_office"]
    assert {len(task.paths) for task in office} == {1, 2}
    assert any(task.network == "metro_overlay" and len(task.paths) == 3 for task in suite.paths)
    masters = {"pc1": "gw1", "pc2": "gw2", "pc3": "gw1", "pc4": "gw2"}
    for task in office:
        asked = {look.device for look in task.golden if look.need == "vrrp"}
        assert asked == ({masters[task.source]} if task.source in masters else set())
