"""Ways by a plan lead to the gateway, over what spanning tree leaves open, and through tunnels."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.ways import equal_cost_paths, steps_of


def written(network: str, src: str, dst: str) -> set[str]:
    return {" ".join(map(str, path)) for path in equal_cost_paths(plan_fabric(load_spec(network)), src, dst)}


def test_no_way_leads_over_a_port_that_spanning_tree_blocks() -> None:
    # The short way from sw3 to sw2 is the one that the tree blocks.
    assert written("redundant_office", "pc1", "pc2") == {"pc1:eth0 sw3:eth1 sw1:eth1 sw2:eth4 sw4:eth2"}
    assert written("redundant_office", "pc3", "pc4") == {"pc3:eth0 sw5:eth1 sw3:eth1 sw1:eth4"}


def test_a_host_sends_to_the_gateway_that_answers_for_its_address_and_not_to_the_nearest() -> None:
    assert written("redundant_office", "pc1", "files1") == {"pc1:eth0 sw3:eth1 sw1:eth3 gw1:eth1 core:eth3"}
    # gw1 is plugged into pc4's own switch, but the group's master is gw2.
    assert written("redundant_office", "pc4", "files1") == {"pc4:eth0 sw1:eth1 sw2:eth3 gw2:eth1 core:eth3"}


def test_routers_of_equal_cost_share_however_many_bridges_are_behind_them() -> None:
    assert written("redundant_office", "files1", "pc4") == {
        "files1:eth0 core:eth1 gw1:eth2 sw1:eth4",
        "files1:eth0 core:eth2 gw2:eth2 sw2:eth1 sw1:eth4",
    }


def test_who_has_no_gateway_reaches_its_own_lan_alone() -> None:
    assert written("metro_overlay", "shop1", "site1") == set()
    assert len(written("metro_overlay", "shop1", "shop3")) == 2


def test_a_way_to_itself_is_empty_and_unknown_nodes_are_errors() -> None:
    plan = plan_fabric(load_spec("xs"))
    assert equal_cost_paths(plan, "client1", "client1") == {()}
    for ends in (("client1", "nobody"), ("nobody", "client1")):
        with pytest.raises(KeyError):
            equal_cost_paths(plan, *ends)


def test_bridges_are_on_the_way_and_no_step_ends_at_them() -> None:
    steps = steps_of(plan_fabric(load_spec("redundant_office")))
    assert {step.to for own in steps.values() for step in own}.isdisjoint({"sw1", "sw2", "sw3", "sw4", "sw5"})
    assert {step.to: step.between for step in steps["gw1"]} == {
        "core": (),
        "gw2": ("sw1", "sw2"),
        "pc1": ("sw1", "sw3"),
        "pc2": ("sw1", "sw2", "sw4"),
        "pc3": ("sw1", "sw3", "sw5"),
        "pc4": ("sw1",),
    }
