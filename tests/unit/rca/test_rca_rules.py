"""Rules that find root causes in what devices show, on facts made up in the test."""

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.design import Design
from netopsbench.rca.rules import claims
from netopsbench.vendors import facts as f
from netopsbench.vendors.sessions import BgpPeer, BgpSummary


@pytest.fixture(scope="module")
def xs() -> FabricPlan:
    return plan_fabric(load_spec("xs"))


def shown(plan: FabricPlan, device: str, **changed: dict[str, object]) -> f.Interfaces:
    """A device's interfaces as designed, but for what is changed by interface."""
    node = next(each for each in plan.nodes if each.name == device)
    ports = [
        f.Interface(
            name=port.name,
            is_admin_up=True,
            has_carrier=True,
            mtu_bytes=port.mtu,
            mac=port.mac,
            addresses=(str(port.address),),
        ).model_copy(update=changed.get(port.name, {}))
        for port in node.interfaces
    ]
    return f.Interfaces(interfaces=tuple(ports))


def found(plan: FabricPlan, seen: dict) -> set[str]:
    return {str(claim.triple) for claim in claims(plan, seen)}


def test_a_healthy_device_gives_no_claim(xs: FabricPlan) -> None:
    for need in ("interface_brief", "interface_detail"):
        assert found(xs, {("leaf1", need): shown(xs, "leaf1")}) == set()


def test_a_port_switched_off_is_seen_at_itself_and_from_the_other_end(xs: FabricPlan) -> None:
    here = shown(xs, "leaf1", eth1={"is_admin_up": False, "has_carrier": False})
    there = shown(xs, "spine1", eth1={"has_carrier": False})
    assert found(xs, {("leaf1", "interface_brief"): here}) == {"leaf1;eth1;shutdown"}
    assert found(xs, {("spine1", "interface_brief"): there}) == {"leaf1;eth1;shutdown"}


def test_mtu_address_and_mac_against_the_design(xs: FabricPlan) -> None:
    wrong = shown(xs, "leaf1", eth1={"mtu_bytes": 1280}, eth2={"mac": "00:16:3e:00:00:0a"})
    assert found(xs, {("leaf1", "interface_detail"): wrong}) == {
        "leaf1;eth1;MTU value misconfiguration",
        "leaf1;eth2;MAC address configuration error",
    }
    moved = shown(xs, "leaf1", eth1={"addresses": ("10.99.0.1/30",)})
    assert found(xs, {("leaf1", "interface_brief"): moved}) == {"leaf1;eth1;interface IP error"}


def static(prefix: str, gateway: str | None, kind: str = "unicast") -> f.Routes:
    hops = () if gateway is None else (f.Hop(gateway=gateway, interface="eth1"),)
    route = f.Route.model_validate({"prefix": prefix, "protocol": "static", "kind": kind, "hops": hops})
    return f.Routes(is_running=True, routes=(route,))


def test_old_static_routes_to_what_is_gone_are_no_root_cause(xs: FabricPlan) -> None:
    for old in (static("100.64.22.0/24", "10.1.1.1"), static("192.168.12.0/24", None, "blackhole")):
        assert found(xs, {("leaf1", "route_table"): old}) == set()


def test_static_routes_by_where_they_lead(xs: FabricPlan) -> None:
    own = next(node for node in xs.nodes if node.name == "client1").interfaces[0].address.ip
    remote = next(node for node in xs.nodes if node.name == "client2").interfaces[0].address.ip
    spine = next(port for node in xs.nodes if node.name == "spine1" for port in node.interfaces if port.name == "eth1")
    hole = static("192.168.102.0/30", None, "blackhole")
    assert found(xs, {("leaf1", "route_table"): hole}) == {"leaf1;192.168.102.0/30;blackhole route"}
    wrong = static(f"{remote}/32", str(own))
    assert found(xs, {("leaf1", "route_table"): wrong}) == {f"leaf1;{remote}/32;incorrect static route"}
    # The spine's only way to leaf1's own client leads back to leaf1.
    circle = static(f"{own}/32", str(spine.address.ip))
    assert found(xs, {("leaf1", "route_table"): circle}) == {f"leaf1;{own}/32;Layer 3 loop"}


def summary(plan: FabricPlan, state: str, asn: int) -> BgpSummary:
    spine = next(
        port for node in plan.nodes if node.name == "spine1" for port in node.interfaces if port.name == "eth1"
    )
    peer = BgpPeer(
        address=str(spine.address.ip),
        remote_asn=asn,
        state=state,
        age="never",
        received=0,
        sent=0,
        prefixes_received=0,
        prefixes_sent=0,
        queued_out=0,
    )
    return BgpSummary(is_running=True, peers=(peer,))


def test_a_wrong_as_number_is_seen_at_itself(xs: FabricPlan) -> None:
    assert found(xs, {("leaf1", "bgp_summary"): summary(xs, "Idle", 64999)}) == {"leaf1;eth1;BGP configuration error"}


def test_a_session_that_is_down_blames_the_other_end_when_the_link_is_in_order_and_only_then(xs: FabricPlan) -> None:
    asn = next(node.asn for node in xs.nodes if node.name == "spine1")
    seen: dict = {
        ("leaf1", "bgp_summary"): summary(xs, "Active", asn or 0),
        ("leaf1", "interface_detail"): shown(xs, "leaf1"),
    }
    assert found(xs, seen) == set()
    seen["spine1", "interface_detail"] = shown(xs, "spine1")
    assert found(xs, seen) == {"spine1;eth1;BGP configuration error"}
    seen["spine1", "interface_detail"] = shown(xs, "spine1", eth1={"mac": "00:16:3e:00:00:0a"})
    assert found(xs, seen) == {"spine1;eth1;MAC address configuration error"}


def test_hellos_of_another_pace_and_passive_ports_are_wrong_between_routers_alone() -> None:
    plan = plan_fabric(load_spec("ospf_enterprise_static"))
    lines = ("interface eth0", " ip ospf hello-interval 9", "exit", "router ospf", " passive-interface eth1", "exit")
    seen = {("pod1", "running_config"): f.Configuration(lines=lines)}
    # eth1 leads to a host, where OSPF is passive by design.
    assert found(plan, seen) == {"pod1;eth0;OSPF configuration error"}


def test_shortest_paths_over_cables_and_lans() -> None:
    plan = plan_fabric(load_spec("ospf_enterprise_static"))
    (path,) = Design(plan).paths("host1", "web1")
    assert str(path) == "host1_eth0->pod1_eth0->core1_eth1->core3_eth2->farm_eth1->web1"
    assert len(Design(plan_fabric(load_spec("fat-tree-k4"))).paths("client1", "client16")) == 4
