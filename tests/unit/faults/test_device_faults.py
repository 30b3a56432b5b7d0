import pytest
from fault_fakes import FakeFabric, clos

from netopsbench.core.errors import SpecError
from netopsbench.fabric import queries
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.faults.catalog import KINDS, change_of, parse_fault
from netopsbench.faults.contract import WIRE, Change, Step
from netopsbench.faults.inject import clear, inject


def change(kind: str, plan=None, **keys: object) -> Change:
    plan = plan or clos()
    return change_of(parse_fault(kind, keys, "test"), plan)


def words(step: Step) -> str:
    return " ".join(map(str, step.argv))


def paths(changed: Change) -> dict[tuple[str, str, int | None], tuple[str, str]]:
    return {(c.src.node, c.dst.node, c.size_bytes): (c.arrives, c.returns) for c in changed.effect.paths}


@pytest.mark.parametrize(("variant", "ends"), [("one_sided", 1), ("both_sided", 2)])
def test_an_mtu_is_lowered_at_one_end_or_both_and_large_packets_are_lost_both_ways(variant, ends):
    changed = change("mtu_mismatch", at="spine1:eth1", variant=variant)
    assert [words(step) for step in changed.do] == ["ip link set dev eth1 mtu 1400"] * ends
    assert {c.port.node: c.mtu for c in changed.effect.mtus} == {"spine1": 1400, "leaf1": 1400 if ends == 2 else 9100}
    assert paths(changed)["spine1", "leaf1", 9072] == paths(changed)["leaf1", "spine1", 9072] == ("none", "none")
    assert paths(changed)["spine1", "leaf1", None] == ("all", "all")
    assert all(session.is_established for session in changed.effect.sessions)


def test_an_mtu_is_put_back_and_one_process_makes_every_host_forget_what_it_learned():
    undo = change("mtu_mismatch", at="spine1:eth1").undo
    assert words(undo[0]) == "ip link set dev eth1 mtu 9100"
    assert len(undo) == 2
    assert undo[1].where == WIRE
    assert {str(word) for word in undo[1].argv} >= {f"<process of {name}>" for name in ("client1", "client2", "leaf1")}


def test_a_share_of_the_large_packets_between_clients_is_lost_when_only_one_path_is_narrow():
    plan = clos(spines=4, leaves=3)
    partial = [c for c in change("mtu_mismatch", plan, at="spine2:eth3").effect.paths if c.arrives == "some"]
    assert [(c.probes, c.size_bytes) for c in partial] == [(64, 9072)]
    assert "client3" in {partial[0].src.node, partial[0].dst.node}


def test_an_mtu_that_is_no_smaller_and_a_port_of_a_client_are_told_at_once():
    with pytest.raises(SpecError) as wrong:
        change("mtu_mismatch", at="leaf1:eth3", mtu=9100)
    assert [problem.key for problem in wrong.value.problems] == ["at", "mtu"]


@pytest.mark.parametrize(
    ("variant", "line", "via"),
    [
        ("address", "ip route 192.168.102.2/32 192.168.101.2", ("192.168.101.2", "eth3")),
        ("interface", "ip route 192.168.102.2/32 eth3", ("", "eth3")),
    ],
)
def test_a_host_route_leads_to_a_client_of_the_switch(variant, line, via):
    changed = change(
        "static_route_misconfig", device="leaf1", address="192.168.102.2", toward="192.168.101.2", variant=variant
    )
    assert changed.do[0].argv[-1] == line
    assert changed.undo[0].argv[-1] == f"no {line}"
    assert [(str(r.prefix), r.type, r.via) for r in changed.effect.routes] == [("192.168.102.2/32", "unicast", via)]
    assert paths(changed)["client1", "client2", None] == ("none", "none")
    assert paths(changed)["client2", "client1", None] == ("all", "none")


def test_a_host_route_to_a_near_client_or_by_a_far_one_is_refused_with_what_would_be_right():
    with pytest.raises(SpecError, match=r"a client of leaf1: 192\.168\.101\.2") as wrong:
        change("static_route_misconfig", device="leaf1", address="192.168.101.2", toward="192.168.102.2")
    assert [problem.key for problem in wrong.value.problems] == ["address", "toward"]


@pytest.mark.parametrize(
    ("variant", "line"),
    [
        ("remote_as", "neighbor 10.1.1.1 remote-as 65101"),
        ("password", "neighbor 10.1.1.1 password fabric-peering"),
        ("update_source", "neighbor 10.255.0.1 update-source 10.255.0.3"),
    ],
)
def test_a_neighbor_is_typed_wrong_at_one_end_and_the_session_is_gone_at_both(variant, line):
    changed = change("bgp_neighbor_misconfig", device="leaf1", neighbor="10.1.1.1", variant=variant)
    assert any(line in step.argv for step in changed.do)
    assert {step.where for step in changed.do} == {"leaf1"}
    down = {(s.switch, str(s.neighbor)) for s in changed.effect.sessions if not s.is_established}
    assert down >= {("leaf1", "10.1.1.1"), ("spine1", "10.1.1.2")}
    assert ("leaf1", "10.2.1.1") in {(s.switch, str(s.neighbor)) for s in changed.effect.sessions if s.is_established}
    assert all(path.is_control for path in changed.effect.paths)
    assert changed.place.device == "leaf1"


def test_a_neighbor_that_moved_gets_everything_back_that_the_fabric_configures():
    undo = change("bgp_neighbor_misconfig", device="leaf1", neighbor="10.1.1.1", variant="update_source").undo
    lines = [word for step in undo for word in step.argv if str(word).startswith("neighbor 10.1.1.1 ")]
    assert lines == [
        "neighbor 10.1.1.1 remote-as 65001",
        "neighbor 10.1.1.1 description spine1",
        "neighbor 10.1.1.1 advertisement-interval 0",
        "neighbor 10.1.1.1 timers connect 1",
        "neighbor 10.1.1.1 route-map FABRIC-IN in",
        "neighbor 10.1.1.1 route-map FABRIC-OUT out",
    ]


def test_on_three_tiers_the_middle_has_neighbors_both_up_and_down():
    plan = plan_fabric(load_spec("fat-tree-k8"))
    kind, agg = KINDS["bgp_neighbor_misconfig"], queries.node(plan, "agg1")
    assert [len(kind.spots(plan, agg, role)) for role in ("uplink", "downlink", "any")] == [4, 4, 8]


@pytest.mark.parametrize(
    ("variant", "line"),
    [
        ("missing_network", "no network 192.168.101.0/30"),
        ("route_map_deny", "ip prefix-list RETIRED seq 20 permit 192.168.101.0/30"),
    ],
)
def test_a_prefix_that_is_not_announced_is_missing_everywhere_else(variant, line):
    changed = change("route_policy_misconfig", device="leaf1", prefix="192.168.101.0/30", variant=variant)
    assert changed.do[0].argv[-1] == line
    assert {r.node for r in changed.effect.routes if r.type == "absent"} == {"spine1", "spine2", "leaf2"}
    assert paths(changed)["client2", "client1", None] == ("none", "none")
    assert paths(changed)["client1", "client2", None] == ("all", "none")


def test_on_a_large_fabric_a_dozen_switches_witness_a_missing_prefix():
    plan = clos(spines=4, leaves=40)
    changed = change("route_policy_misconfig", plan, device="leaf1", prefix="192.168.101.0/30")
    watched = [route.node for route in changed.effect.routes]
    assert {"spine1", "spine2", "spine3", "spine4"} < set(watched)
    assert len(watched) == len(set(watched)) <= 12


def test_a_switch_that_is_down_has_no_port_up_and_its_neighbors_know():
    changed = change("device_down", device="leaf1")
    assert {(str(c.port), c.is_admin_up) for c in changed.effect.ports} >= {
        ("leaf1:eth1", False),
        ("leaf1:eth3", False),
        ("spine1:eth1", True),
        ("client1:eth1", True),
    }
    assert not any(session.is_established for session in changed.effect.sessions)
    assert paths(changed)["client1", "client2", None] == paths(changed)["client2", "client1", None] == ("none", "none")


def test_a_switch_that_is_dead_but_forwarding_keeps_its_ports_and_sends_what_is_never_answered():
    changed = change("device_down", device="leaf1", variant="dead_but_forwarding")
    assert changed.effect.ports == ()
    assert paths(changed)["client1", "client2", None] == ("all", "none")
    assert paths(changed)["client2", "client1", None] == ("none", "none")


def test_a_switch_without_routing_is_not_asked_to_save():
    fabric, fault = FakeFabric(clos()), parse_fault("device_down", {"device": "leaf1"}, "test")
    inject(fabric, fault)
    clear(fabric, fault)
    assert {where for where, argv in fabric.calls if "write memory" in argv} == {"spine1", "spine2", "leaf2"}


@pytest.mark.parametrize(
    ("at", "variant", "rule"),
    [
        ("leaf1:eth3", "in", 'iifname "eth3" ip saddr 192.168.101.0/30'),
        ("leaf1:eth3", "out", 'oifname "eth3" ip daddr 192.168.101.0/30'),
        ("leaf1:eth1", "in", 'iifname "eth1" ip daddr 192.168.101.0/30'),
        ("leaf1:eth1", "out", 'oifname "eth1" ip saddr 192.168.101.0/30'),
    ],
)
def test_a_filter_is_bound_to_the_port_in_the_truth_and_meets_the_clients_traffic(at, variant, rule):
    changed = change("acl_misconfig", at=at, prefix="192.168.101.0/30", variant=variant)
    assert changed.do[-1].stdin == f"add rule ip filter forward {rule} counter drop\n"
    assert str(changed.place) == at


@pytest.mark.parametrize(("variant", "there", "back"), [("in", "none", "all"), ("out", "all", "none")])
def test_at_its_own_port_a_filter_cuts_the_client_off_in_one_direction(variant, there, back):
    found = paths(change("acl_misconfig", at="leaf1:eth3", prefix="192.168.101.0/30", variant=variant))
    assert (found["client1", "client2", None][0], found["client2", "client1", None][0]) == (there, back)
    assert found["client1", "leaf1", None] == ("all", "all")


def test_at_an_uplink_a_filter_meets_a_share_of_the_flows():
    changed = change("acl_misconfig", clos(spines=4), at="leaf1:eth2", prefix="192.168.101.0/30", variant="out")
    shares = {(c.src.node, c.dst.node): (c.arrives, c.returns, c.probes) for c in changed.effect.paths}
    assert shares["client1", "client2"] == ("some", "some", 64)
    assert shares["client2", "client1"] == ("all", "some", 64)
    assert shares["client1", "spine2"] == ("none", "none", 16)


def test_a_filter_against_the_client_of_another_port_is_refused():
    with pytest.raises(SpecError, match=r"192\.168\.101\.0/30, the prefix of the client at leaf1:eth3"):
        change("acl_misconfig", clos(clients=2), at="leaf1:eth3", prefix="192.168.101.4/30")
