"""Rules that find root causes in what devices show, on facts made up in the test."""

from collections.abc import Sequence
from typing import cast

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.core.process import TIMED_OUT, Completed
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.network.design import Design
from netopsbench.rca.solving.rules import claims
from netopsbench.rca.solving.services import service_claims
from netopsbench.rca.solving.solver import confirmed, solve
from netopsbench.vendors import facts as f
from netopsbench.vendors.layer2 import StandbyGroup, StandbyGroups
from netopsbench.vendors.sessions import BgpPeer, BgpSession, BgpSessions, BgpSummary, OspfNeighbor, OspfNeighbors


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


def held(plan: FabricPlan, device: str, **changed: str) -> f.Neighbors:
    """A device's ARP table as its neighbours are, but for the hardware addresses changed by interface."""
    macs = {
        f"{node.name}:{port.name}": (str(port.address.ip), port.mac) for node in plan.nodes for port in node.interfaces
    }
    node = next(each for each in plan.nodes if each.name == device)
    entries = []
    for port in node.interfaces:
        address, mac = macs[str(port.peer)]
        mac = changed.get(port.name, mac)
        entries.append(f.Neighbor(address=address, interface=port.name, mac=mac, state="permanent"))
    return f.Neighbors(neighbors=tuple(entries))


STRANGE = "00:16:3e:00:00:0a"


def test_mtu_and_address_against_the_design(xs: FabricPlan) -> None:
    wrong = shown(xs, "leaf1", eth1={"mtu_bytes": 1280})
    assert found(xs, {("leaf1", "interface_detail"): wrong}) == {"leaf1;eth1;MTU value misconfiguration"}
    moved = shown(xs, "leaf1", eth1={"addresses": ("10.99.0.1/30",)})
    assert found(xs, {("leaf1", "interface_brief"): moved}) == {"leaf1;eth1;interface IP error"}


def test_of_two_hardware_addresses_that_differ_the_one_that_looks_like_no_other_is_wrong(xs: FabricPlan) -> None:
    details = {(name, "interface_detail"): shown(xs, name) for name in ("leaf1", "leaf2", "spine1")}
    assert found(xs, {**details, ("leaf1", "arp"): held(xs, "leaf1")}) == set()
    assert found(xs, {**details, ("leaf1", "arp"): held(xs, "leaf1", eth1=STRANGE)}) == {
        "leaf1;eth1;ARP configuration error"
    }
    changed = {**details, ("spine1", "interface_detail"): shown(xs, "spine1", eth1={"mac": STRANGE})}
    # Nobody but the neighbor knows what it was.
    assert found(xs, changed) == set()
    assert found(xs, {**changed, ("leaf1", "arp"): held(xs, "leaf1")}) == {
        "spine1;eth1;MAC address configuration error"
    }


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


def refused(plan: FabricPlan, state: str, reset: str, error: str | None) -> BgpSessions:
    """The session with the spine as the leaf has it in detail."""
    (peer,) = summary(plan, state, 65001).peers
    empty = dict.fromkeys(BgpSession.model_fields)
    counts = {"times_established": 1, "times_dropped": 1, "messages": {}, "description": "", "local_asn": 65011}
    told = {"address": peer.address, "remote_asn": 65001, "state": state, "last_reset": reset, "last_error": error}
    return BgpSessions(is_running=True, sessions=(BgpSession.model_validate({**empty, **counts, **told}),))


NUMBER = "OPEN Message Error/Bad Peer AS"


def test_who_complains_of_the_others_as_number_has_a_wrong_one(xs: FabricPlan) -> None:
    def seen(*told: str | None) -> set[str]:
        return found(xs, {("leaf1", "bgp_peer"): refused(xs, *told)})

    assert seen("Active", "BGP Notification received", NUMBER) == {"spine1;eth1;BGP configuration error"}
    # What this end complained of is this end's; and what is up again has been mended.
    assert seen("Active", "BGP Notification send", NUMBER) == set()
    assert seen("Established", "BGP Notification received", NUMBER) == set()
    assert seen("Active", "BGP Notification received", "Cease/Peer Unconfigured") == set()
    assert seen("Active", "Interface down", None) == set()


def configured(*lines: str) -> f.Configuration:
    return f.Configuration(lines=lines)


def test_a_configuration_tells_what_it_does_wrong_in_use_and_saved(xs: FabricPlan) -> None:
    spine = next(node for node in xs.nodes if node.name == "spine1")
    neighbor = next(port for port in spine.interfaces if port.name == "eth1").address.ip
    wrong = {
        "shutdown": ("interface eth1", " shutdown", "exit"),
        "interface IP error": ("interface eth1", " ip address 10.99.0.1/30", "exit"),
        "BGP configuration error": ("router bgp 65011", f" neighbor {neighbor} remote-as 64999"),
    }
    for cause, lines in wrong.items():
        for need in ("running_config", "saved_config"):
            assert found(xs, {("leaf1", need): configured(*lines)}) == {f"leaf1;eth1;{cause}"}
    double = configured("interface lo", " ip address 10.255.0.3/32", f" ip address {spine.loopback}/32")
    assert found(xs, {("leaf1", "saved_config"): double}) == {"leaf1;lo;loopback IP configuration conflict"}
    hole = configured("ip route 192.168.102.0/30 Null0")
    assert found(xs, {("leaf1", "running_config"): hole}) == {"leaf1;192.168.102.0/30;blackhole route"}


def heard(*interfaces: str) -> OspfNeighbors:
    told = [
        OspfNeighbor(
            router_id="1.1.1.1", address="1.1.1.1", interface=each, state="Full", role="-", priority=1, dead_s=4
        )
        for each in interfaces
    ]
    return OspfNeighbors(is_running=True, neighbors=tuple(told))


def test_a_port_that_hears_no_ospf_of_a_neighbor_that_is_right_is_wrong() -> None:
    plan = plan_fabric(load_spec("ospf_enterprise_static"))
    (port,) = [port for node in plan.nodes if node.name == "pod1" for port in node.interfaces if port.name == "eth0"]
    core = next(node for node in plan.nodes if node.name == port.peer.node)
    far = next(each for each in core.interfaces if each.name == port.peer.interface)
    lines = (f"interface {far.name}", f" ip address {far.address}", "exit", "router ospf")
    covered = f" network {far.address.network} area 0"
    seen: dict = {
        ("pod1", "ospf_neighbors"): heard("eth9"),
        ("pod1", "interface_detail"): shown(plan, "pod1"),
        (core.name, "running_config"): configured(*lines, covered),
    }
    assert found(plan, seen) == {"pod1;eth0;OSPF configuration error"}
    assert found(plan, {**seen, ("pod1", "ospf_neighbors"): heard("eth0", "eth9")}) == set()
    assert found(plan, {**seen, (core.name, "running_config"): configured(*lines)}) == set()
    passive = configured(*lines, f" passive-interface {far.name}", covered)
    assert found(plan, {**seen, (core.name, "running_config"): passive}) == {
        f"{core.name};{far.name};OSPF configuration error"
    }
    off = shown(plan, "pod1", eth0={"has_carrier": False})
    assert "pod1;eth0;OSPF configuration error" not in found(plan, {**seen, ("pod1", "interface_detail"): off})


def looked_twice(plan: FabricPlan, *answers: dict) -> tuple[set[str], int]:
    """What is found when these are the answers, one after the other, and how often it was waited for the next."""
    left, pauses = iter(answers), []
    kept = confirmed(lambda: service_claims(plan, next(left)), lambda: pauses.append("5 s"))
    return {str(claim.triple) for claim in kept}, len(pauses)


def groups(*states: str) -> StandbyGroups:
    told = [
        StandbyGroup(
            interface="eth2", group=number, addresses=(), state=state, priority=100 * number, own_address="", every_ms=9
        )
        for number, state in enumerate(states, start=1)
    ]
    return StandbyGroups(is_running=True, groups=tuple(told))


def test_what_may_pass_is_asked_for_twice_and_what_is_configured_once() -> None:
    plan = plan_fabric(load_spec("redundant_office"))
    cable = {("sw1", "interface_brief"): shown(plan, "sw1")}
    alone, right = ({**cable, ("gw2", "vrrp"): groups(state, "Master")} for state in ("Master", "Backup"))
    cause = "gw1;vrrp;global VRRP hot standby redundancy protocol not enabled"
    assert looked_twice(plan, alone, alone) == ({cause}, 1)
    assert looked_twice(plan, alone, right) == (set(), 1)
    assert looked_twice(plan, right) == (set(), 0)
    cut = {("sw1", "interface_brief"): shown(plan, "sw1", eth3={"has_carrier": False})}
    assert looked_twice(plan, {**alone, **cut}) == (set(), 0)
    missing = {("gw1", "vrrp"): groups(), ("gw2", "vrrp"): groups("Backup", "Master")}
    assert looked_twice(plan, missing) == ({cause}, 0)


class Slow:
    """A fabric whose commands take so many tries."""

    def __init__(self, plan: FabricPlan, tries: int) -> None:
        self.plan = plan
        self._left = tries

    def exec(self, node: str, argv: Sequence[str], *, timeout_s: float = 10, stdin: str = "") -> Completed:
        self._left -= 1
        code, nothing = (TIMED_OUT if self._left > 0 else 0), "1.0" if argv[0] == "sh" else "[]"
        return Completed(argv=tuple(argv), returncode=code, stdout=nothing, stderr="")


def test_a_device_that_is_silent_is_no_device_without_sessions(xs: FabricPlan) -> None:
    assert solve(cast(Fabric, Slow(xs, tries=2))).causes == frozenset()
    with pytest.raises(InfraError, match=r"spine1: .* did not end in 10 s"):
        solve(cast(Fabric, Slow(xs, tries=3)))


def test_hellos_of_another_pace_and_passive_ports_are_wrong_between_routers_alone() -> None:
    plan = plan_fabric(load_spec("ospf_enterprise_static"))
    lines = ("interface eth0", " ip ospf hello-interval 9", "exit", "router ospf", " passive-interface eth1", "exit")
    usual = (
        "interface eth0",
        " ip ospf hello-interval 1",
        "interface eth1",
        " ip ospf hello-interval 1",
        "router ospf",
    )
    seen = {(name, "running_config"): f.Configuration(lines=said) for name, said in (("pod1", lines), ("pod2", usual))}
    # eth1 leads to a host, where OSPF is passive by design.
    assert found(plan, seen) == {"pod1;eth0;OSPF configuration error"}


def test_whether_a_router_and_its_neighbor_speak_ospf_is_read_off_their_configurations() -> None:
    plan = plan_fabric(load_spec("ospf_enterprise_static"))
    passive = f.Configuration(lines=("router ospf", " passive-interface eth0", "exit"))
    silent = f.Configuration(lines=("interface eth0", " ip ospf passive", "exit", "router rip"))
    assert found(plan, {("pod1", "running_config"): passive}) == {"pod1;eth0;OSPF configuration error"}
    assert found(plan, {("pod1", "running_config"): silent}) == set()
    assert found(plan, {("pod1", "running_config"): passive, ("core1", "running_config"): silent}) == set()
    both = {("pod1", "running_config"): passive, ("core1", "running_config"): f.Configuration(lines=("router ospf",))}
    assert found(plan, both) == {"pod1;eth0;OSPF configuration error"}


def test_shortest_paths_over_cables_and_lans() -> None:
    plan = plan_fabric(load_spec("ospf_enterprise_static"))
    (path,) = Design(plan).paths("host1", "web1")
    assert str(path) == "host1_eth0->pod1_eth0->core1_eth1->core3_eth2->farm_eth1->web1"
    assert len(Design(plan_fabric(load_spec("fat-tree-k4"))).paths("client1", "client16")) == 4


def test_a_route_is_missing_where_no_protocol_is_configured_and_no_line_leads_there() -> None:
    plan = plan_fabric(load_spec("nat_edge"))
    for need in ("running_config", "saved_config"):
        plain = configured("hostname edge")
        assert found(plan, {("edge", need): plain}) == {"edge;0.0.0.0/0;missing static route"}
        told = configured("ip route 0.0.0.0/0 203.0.113.1")
        assert found(plan, {("edge", need): told}) == set()
        assert found(plan, {("edge", need): configured("router ospf")}) == set()


def test_what_lies_behind_a_router_that_translates_needs_no_route() -> None:
    plan = plan_fabric(load_spec("nat_edge"))
    both = ("ip route 192.0.2.0/25 203.0.113.2", "ip route 192.0.2.128/25 203.0.113.2")
    assert found(plan, {("provider", "running_config"): configured(*both)}) == set()
    assert found(plan, {("provider", "running_config"): configured(both[0])}) == {
        "provider;192.0.2.128/25;missing static route"
    }
