"""Spanning trees worked out by hand: which ports of rings stay open, and by which of 802.1D's tie-breaks."""

from collections.abc import Mapping

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.labs.spec import Lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spanning_tree import TreeBridge, TreePort, blocked_ports, port_roles, tree_bridges
from netopsbench.fabric.spec import FabricSpec
from netopsbench.records.names import Port

CableEnds = Mapping[str, str]
"""Interface to the name of its cable."""


def bridge(name: str, priority: int, cables: CableEnds, costs: Mapping[str, int] | None = None) -> TreeBridge:
    """A bridge whose address ends as its name does; ports are numbered as they are listed."""
    ports = tuple(
        TreePort(at=Port(node=name, interface=port), number=number, segment=cable, cost=(costs or {}).get(port, 2))
        for number, (port, cable) in enumerate(cables.items(), start=1)
    )
    return TreeBridge(priority=priority, mac=f"02:4e:00:00:00:0{name[-1]}", ports=ports)


def blocked(*bridges: TreeBridge) -> set[str]:
    return {str(port) for port, role in port_roles(bridges).items() if role == "blocked"}


def test_a_ring_of_three_is_opened_between_the_two_that_are_not_the_root() -> None:
    ring = (
        bridge("b1", 4096, {"e1": "x", "e2": "y"}),
        bridge("b2", 8192, {"e1": "x", "e2": "z"}),
        bridge("b3", 12288, {"e1": "y", "e2": "z"}),
    )
    roles = {str(port): role for port, role in port_roles(ring).items()}
    assert roles == {
        "b1:e1": "designated",
        "b1:e2": "designated",
        "b2:e1": "root",
        "b2:e2": "designated",
        "b3:e1": "root",
        "b3:e2": "blocked",
    }


def test_among_equal_priorities_the_smallest_address_decides() -> None:
    cables = ({"e1": "x", "e2": "y"}, {"e1": "x", "e2": "z"}, {"e1": "y", "e2": "z"})
    names = ("b3", "b1", "b2")
    # b1 is the root, and of the other two b2 speaks for their cable.
    assert blocked(*(bridge(name, 32768, ends) for name, ends in zip(names, cables, strict=True))) == {"b3:e2"}


def test_the_smaller_address_is_found_in_whatever_case_it_is_written() -> None:
    ring = [bridge(f"b{each}", 32768, {"e1": "x", "e2": "y"}) for each in (1, 2)]
    loud = ring[1].model_copy(update={"mac": "02:4E:00:00:00:0A"})
    quiet = ring[0].model_copy(update={"mac": "02:4e:00:00:00:0b"})
    assert blocked(loud, quiet) == {"b1:e2"}


def test_a_ring_of_four_with_two_equal_ways_to_the_root_takes_the_neighbor_with_the_smaller_id() -> None:
    ring = (
        bridge("b1", 4096, {"e1": "12", "e2": "13"}),
        bridge("b2", 8192, {"e1": "12", "e2": "24"}),
        bridge("b3", 12288, {"e1": "13", "e2": "34"}),
        bridge("b4", 0x8000, {"e1": "34", "e2": "24"}),
    )
    assert blocked(*ring) == {"b4:e1"}


def test_a_dear_cable_is_gone_round() -> None:
    dear = {"e1": 100}
    ring = (
        bridge("b1", 4096, {"e1": "12", "e2": "13"}),
        bridge("b2", 8192, {"e1": "12", "e2": "23"}, dear),
        bridge("b3", 12288, {"e1": "13", "e2": "23"}),
    )
    # 2 + 2 over b3 against 100: b3 speaks for the cable between them, and b2 keeps off the dear one.
    assert blocked(*ring) == {"b2:e1"}


def test_of_two_cables_between_two_bridges_the_root_speaks_for_both_and_its_lower_port_is_taken() -> None:
    pair = (bridge("b1", 4096, {"e1": "x", "e2": "y"}), bridge("b2", 8192, {"e1": "y", "e2": "x"}))
    # b1's first port is number 1: b2 takes the cable x, at its own second port.
    assert blocked(*pair) == {"b2:e1"}


def test_of_two_ports_on_one_segment_the_lower_one_speaks_for_it() -> None:
    looped = bridge("b1", 4096, {"e1": "x", "e2": "x", "e3": "y"})
    other = bridge("b2", 8192, {"e1": "y"})
    assert blocked(looped, other) == {"b1:e2"}
    preferred = looped.ports[1].model_copy(update={"priority": 64})
    assert blocked(looped.model_copy(update={"ports": (looped.ports[0], preferred)})) == {"b1:e1"}


def test_bridges_that_nothing_joins_have_roots_of_their_own() -> None:
    roles = port_roles((bridge("b1", 4096, {"e1": "x"}), bridge("b2", 8192, {"e1": "y"})))
    assert set(roles.values()) == {"designated"}


def test_the_office_blocks_one_port_of_its_ring() -> None:
    assert {str(port) for port in blocked_ports(plan_fabric(load_spec("redundant_office")))} == {"sw3:eth2"}


def _lab(middle: dict[str, object]) -> FabricPlan:
    """Three bridges in a ring; what the one in the middle is can be chosen."""
    ends = {"eth1": "10.0.0.{}1/24", "eth2": "10.0.0.{}2/24", "eth3": "10.0.0.{}3/24"}
    nodes: dict[str, object] = {
        f"sw{each}": {
            "kind": "router",
            "interfaces": {port: address.format(each) for port, address in list(ends.items())[: 3 if each == 1 else 2]},
            "bridge": {"ports": list(ends)[: 3 if each == 1 else 2], "priority": 4096 * each},
        }
        for each in (1, 2, 3)
    }
    nodes["sw2"] = {**nodes["sw2"], "bridge": middle}  # type: ignore[dict-item]
    nodes["pc"] = {"kind": "host", "interfaces": {"eth0": "10.0.0.9/24"}}
    cables = [["sw1:eth1", "sw2:eth1"], ["sw2:eth2", "sw3:eth1"], ["sw3:eth2", "sw1:eth2"], ["sw1:eth3", "pc:eth0"]]
    lab = Lab.model_validate({"nodes": nodes, "cabled": {"floor": cables}})
    return plan_fabric(FabricSpec(name="ring", topology=lab))


def test_a_bridge_without_spanning_tree_joins_its_cables_to_one_segment() -> None:
    through = _lab({"ports": ["eth1", "eth2"]})
    segments = {str(port.at): port.segment for each in tree_bridges(through) for port in each.ports}
    assert segments["sw1:eth1"] == segments["sw3:eth1"] != segments["sw1:eth2"] == segments["sw3:eth2"]
    assert {str(port) for port in blocked_ports(through)} == {"sw3:eth2"}
    whole = _lab({"ports": ["eth1", "eth2"], "priority": 8192})
    assert {str(port) for port in blocked_ports(whole)} == {"sw3:eth1"}
