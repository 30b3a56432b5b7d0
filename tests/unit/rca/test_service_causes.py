"""Root causes of queues, spanning tree, VRRP, IS-IS, VXLAN and EVPN: how they are made, and what shows them."""

import pytest

from netopsbench.core.model import Model
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan, Node
from netopsbench.rca.breaking.contract import Broken, facing
from netopsbench.rca.breaking.overlay import missing_vpns, wrong_l2vpns, wrong_vxlans
from netopsbench.rca.breaking.ports import full_ports
from netopsbench.rca.breaking.redundancy import ports_without_tree, without_tree, without_vrrp
from netopsbench.rca.solving.evidence import Look, alternatives, denials, gateways_beside, smallest
from netopsbench.rca.solving.services import service_claims
from netopsbench.vendors import facts as f
from netopsbench.vendors import layer2 as l2


@pytest.fixture(scope="module")
def office() -> FabricPlan:
    return plan_fabric(load_spec("redundant_office"))


@pytest.fixture(scope="module")
def metro() -> FabricPlan:
    return plan_fabric(load_spec("metro_overlay"))


def found(plan: FabricPlan, seen: dict[tuple[str, str], Model]) -> set[str]:
    return {str(claim.triple) for claim in service_claims(plan, seen)}  # type: ignore[arg-type]


def sights(made: list[Broken]) -> dict[str, tuple[str, str]]:
    return {str(each.triple).partition(";")[0]: (each.sights[0].node, each.sights[0].shows) for each in made}


def test_a_bridge_without_tree_is_seen_at_the_link_whose_speaker_changes(office: FabricPlan) -> None:
    made = list(without_tree(office))
    assert sights(made) == {
        "sw1": ("sw3", r"designated_bridge 1000\."),
        "sw2": ("sw3", r"designated_bridge 2000\."),
        "sw3": ("sw2", r"designated_bridge 2000\."),
    }
    # There is one tree for the whole LAN.
    assert all(set(each.touches) == {"sw1", "sw2", "sw3", "sw4", "sw5"} for each in made)


def test_ports_are_kept_out_of_the_tree_where_no_ring_closes(office: FabricPlan) -> None:
    made = {(each.triple.node, each.triple.object): each.sights[0].node for each in ports_without_tree(office)}
    assert made == {("sw2", "eth4"): "sw4", ("sw4", "eth1"): "sw4", ("sw3", "eth3"): "sw5", ("sw5", "eth1"): "sw5"}


def doubled(plan: FabricPlan, one: str, other: str) -> FabricPlan:
    """The plan with a second cable beside the one between two devices."""

    def added(node: Node, peer: str) -> Node:
        (port,) = (each for each in node.interfaces if each.peer.node == peer)
        far = port.peer.model_copy(update={"interface": "eth9"})
        return node.model_copy(
            update={"interfaces": (*node.interfaces, port.model_copy(update={"name": "eth9", "peer": far}))}
        )

    ends = {one: other, other: one}
    nodes = tuple(added(node, ends[node.name]) if node.name in ends else node for node in plan.nodes)
    return plan.model_copy(update={"nodes": nodes})


def test_two_cables_between_two_bridges_are_a_ring(office: FabricPlan) -> None:
    made = {each.triple.node for each in ports_without_tree(doubled(office, "sw2", "sw4"))}
    assert made == {"sw3", "sw5"}


def test_a_router_without_vrrp_leaves_its_groups_to_the_other_one(office: FabricPlan) -> None:
    made = list(without_vrrp(office))
    assert sights(made) == {
        "gw1": ("gw2", r"eth2\s+1\s+\d+\s+\d+\s+\d+\s+Master"),
        "gw2": ("gw1", r"eth2\s+2\s+\d+\s+\d+\s+\d+\s+Master"),
    }
    assert "no vrrp 2" in made[0].do[0].argv
    assert "vrrp 2 ip 10.70.0.254" in made[0].undo[1].argv


def test_ports_of_lans_are_no_place_for_other_causes(office: FabricPlan) -> None:
    assert not {each.node.name for each in facing(office)} & {"sw1", "sw2", "sw3", "sw4", "sw5"}


def test_load_comes_from_a_host_that_reaches_the_port_and_keeps_its_way_to_itself(office: FabricPlan) -> None:
    (first, _) = full_ports(office)
    assert (first.triple.node, first.triple.object) == ("core", "eth3")
    load = first.do[1]
    assert load.where in first.touches
    assert "10.72.1.10" in str(load.argv[2])
    assert {"core", "files1"} <= set(first.touches)


def test_every_end_of_a_vxlan_can_be_wrong_in_two_ways_and_every_session_lack_evpn(metro: FabricPlan) -> None:
    wrong = list(wrong_vxlans(metro))
    assert [each.triple.node for each in wrong] == ["pe1", "pe1", "pe2", "pe2", "pe3", "pe3"]
    assert [("11" in each.do[1].argv, "8472" in each.do[1].argv) for each in wrong[:2]] == [
        (True, False),
        (False, True),
    ]
    assert len({str(each.do) for each in wrong_l2vpns(metro)}) == 6


def test_of_a_vxlan_one_end_alone_is_wrong_in_a_task(metro: FabricPlan) -> None:
    everything = {"pe1", "pe2", "pe3", "shop1", "shop2", "shop3"}
    for each in (*wrong_vxlans(metro), *missing_vpns(metro)):
        assert set(each.touches) == everything


def queue(limit_kbps: int | None, dropped: int) -> l2.PortQueues:
    told = l2.PortQueue(interface="eth3", limit_kbps=limit_kbps, packets=9, octets=9, dropped=dropped, waiting_octets=0)
    return l2.PortQueues(queues=(told,))


def test_a_port_is_full_when_it_has_a_limit_and_drops(office: FabricPlan) -> None:
    full = found(office, {("core", "queues"): queue(1000, 7)})
    assert full == {"core;eth3;traffic congestion occupying port bandwidth"}
    assert found(office, {("core", "queues"): queue(1000, 0)}) == set()
    assert found(office, {("core", "queues"): queue(None, 7)}) == set()


def bridges(*, has_tree: bool, is_filtered: bool = False) -> l2.Bridges:
    port = l2.BridgePort(
        interface="eth4", number=1, state="forwarding", role="designated", cost=2, priority=32, designated_bridge="1.2",
        root="1.2", is_filtered=is_filtered,
    )  # fmt: skip
    told = l2.Bridge(name="br0", has_spanning_tree=has_tree, id="1.2", root="1.2", root_cost=0, ports=(port,))
    return l2.Bridges(bridges=(told,))


def test_a_bridge_lacks_spanning_tree_where_others_run_it(office: FabricPlan) -> None:
    off, on = bridges(has_tree=False), bridges(has_tree=True)
    assert found(office, {("sw1", "spanning_tree"): off, ("sw2", "spanning_tree"): on}) == {
        "sw1;br0;global STP not enabled"
    }
    assert found(office, {("sw1", "spanning_tree"): off, ("sw2", "spanning_tree"): off}) == set()
    filtered = bridges(has_tree=True, is_filtered=True)
    assert found(office, {("sw2", "spanning_tree"): filtered}) == {"sw2;eth4;port STP not enabled"}


def dropping(family: str, address: str) -> f.PacketFilter:
    rule = f.FilterRule(
        family=family, table="tree", chain="said", action="drop", out_interfaces=("eth4",),
        others=(f"ether daddr {address}",),
    )  # fmt: skip
    return f.PacketFilter(defaults={}, rules=(rule,))


def test_a_port_is_kept_out_of_the_tree_by_a_filter_of_its_frames(office: FabricPlan) -> None:
    tree = "01:80:c2:00:00:00"
    assert found(office, {("sw2", "acl"): dropping("bridge", tree)}) == {"sw2;eth4;port STP not enabled"}
    assert found(office, {("sw2", "acl"): dropping("bridge", "ff:ff:ff:ff:ff:ff")}) == set()
    assert found(office, {("sw2", "acl"): dropping("ip", tree)}) == set()


def test_frr_is_asked_for_its_packet_filter_where_others_show_the_port_in_spanning_tree(office: FabricPlan) -> None:
    triple = next(ports_without_tree(office)).triple
    asked = {vendor: alternatives(triple, office, {triple.node: vendor}) for vendor in ("cisco", "frr")}
    assert asked == {
        "cisco": (frozenset({Look(device=triple.node, need="spanning_tree")}),),
        "frr": (frozenset({Look(device=triple.node, need="acl")}),),
    }


def groups(*names: int) -> l2.StandbyGroups:
    told = [
        l2.StandbyGroup(
            interface="eth2", group=each, addresses=(), state="Master", priority=100, own_address="", every_ms=500
        )
        for each in names
    ]
    return l2.StandbyGroups(is_running=True, groups=tuple(told))


def test_a_router_lacks_vrrp_where_the_one_beside_it_stands_by(office: FabricPlan) -> None:
    cause = "gw1;vrrp;global VRRP hot standby redundancy protocol not enabled"
    assert gateways_beside(office, "gw1") == ["gw2"]
    assert gateways_beside(office, "sw1") == []
    assert found(office, {("gw1", "vrrp"): groups(), ("gw2", "vrrp"): groups(1, 2)}) == {cause}
    assert found(office, {("gw1", "vrrp"): groups(1, 2), ("gw2", "vrrp"): groups(1, 2)}) == set()
    assert found(office, {("gw1", "vrrp"): groups(), ("gw2", "vrrp"): groups()}) == set()
    silent = f.Configuration(lines=("interface eth2", " ip address 10.70.0.2/24", "exit"))
    assert found(office, {("gw1", "running_config"): silent, ("gw2", "vrrp"): groups(1)}) == {cause}


def test_without_all_that_shows_its_groups_the_router_beside_and_the_switch_tell(office: FabricPlan) -> None:
    triple = next(without_vrrp(office)).triple
    vendors = dict.fromkeys(("gw1", "gw2", "sw1"), "huawei")
    denied = denials(triple, office, vendors)
    assert denied is not None
    assert {look.need for look in denied} >= {"vrrp", "running_config", "saved_config", "interface_brief"}
    assert smallest([alternatives(triple, office, vendors)], denied) == {
        Look(device="gw2", need="vrrp"),
        Look(device="sw1", need="interface_brief"),
    }


CABLE = (" ip router isis METRO", " isis network point-to-point", "exit")


def test_isis_is_wrong_where_it_is_passive_or_takes_a_cable_for_a_lan(metro: FabricPlan) -> None:
    healthy = ("interface eth1", *CABLE, "interface eth2", *CABLE, "interface eth4", " ip router isis METRO")
    assert found(metro, {("p1", "running_config"): f.Configuration(lines=(*healthy, " isis passive", "exit"))}) == set()
    passive = ("interface eth1", " ip router isis METRO", " isis passive", *CABLE[1:], "interface eth2", *CABLE)
    lan = ("interface eth1", " ip router isis METRO", "exit", "interface eth2", *CABLE)
    for lines in (passive, lan):
        assert found(metro, {("p1", "running_config"): f.Configuration(lines=lines)}) == {
            "p1;eth1;ISIS configuration error"
        }


def evpn(*lines: str) -> f.Configuration:
    head = ("router bgp 65080", " neighbor 10.255.80.4 remote-as 65080", " neighbor 10.255.80.5 remote-as 65080", " !")
    family = (" address-family l2vpn evpn", *(f"  {line}" for line in lines), " exit-address-family", "exit")
    return f.Configuration(lines=(*head, *family))


def test_evpn_lacks_a_neighbor_or_the_networks_to_tell_of(metro: FabricPlan) -> None:
    both = ("neighbor 10.255.80.4 activate", "neighbor 10.255.80.5 activate")
    assert found(metro, {("pe1", "running_config"): evpn(*both, "advertise-all-vni")}) == set()
    assert found(metro, {("pe1", "running_config"): evpn(*both)}) == {"pe1;evpn;VPN configuration missing"}
    assert found(metro, {("pe1", "running_config"): evpn(both[0], "advertise-all-vni")}) == {
        "pe1;evpn;L2VPN configuration error"
    }


def end(vni: int, port: int = 4789) -> l2.Tunnels:
    told = l2.Tunnel(interface="vxlan10", vni=vni, local="10.255.80.3", port=port, bridge="br0", remotes=())
    return l2.Tunnels(tunnels=(told,))


@pytest.mark.parametrize("wrong", [end(11), end(10, 8472)])
def test_the_end_of_a_vxlan_that_is_not_like_the_others_is_wrong(metro: FabricPlan, wrong: l2.Tunnels) -> None:
    seen: dict[tuple[str, str], Model] = {(name, "vxlan"): end(10) for name in ("pe1", "pe2", "pe3")}
    assert found(metro, seen) == set()
    assert found(metro, seen | {("pe2", "vxlan"): wrong}) == {"pe2;vxlan10;VXLAN configuration error"}


def test_which_end_is_wrong_is_told_by_most_ends_alone(metro: FabricPlan) -> None:
    seen: dict[tuple[str, str], Model] = {(name, "vxlan"): end(10) for name in ("pe1", "pe2", "pe3")}
    assert found(metro, seen | {("pe1", "vxlan"): end(11), ("pe3", "vxlan"): end(10, 8472)}) == {
        "pe1;vxlan10;VXLAN configuration error",
        "pe3;vxlan10;VXLAN configuration error",
    }
    # Of two ends, or of three with three numbers, nobody knows which one is right.
    assert found(metro, {("pe1", "vxlan"): end(11), ("pe2", "vxlan"): end(10)}) == set()
    assert found(metro, seen | {("pe1", "vxlan"): end(11), ("pe2", "vxlan"): end(12)}) == set()
