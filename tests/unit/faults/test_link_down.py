import pytest
from fault_fakes import clos

from netopsbench.core.errors import SpecError
from netopsbench.fabric import queries
from netopsbench.faults import link_down
from netopsbench.faults.contract import Change, WireEnd
from netopsbench.records.faults import LinkDown


def change(at: str, variant: str = "admin", **shape: int) -> Change:
    return link_down.change(LinkDown.model_validate({"at": at, "variant": variant}), clos(**shape))


def claims(changed: Change) -> set[tuple[str, str, str, str]]:
    return {(c.src.node, c.dst.node, c.arrives, c.returns) for c in changed.effect.paths}


def test_an_administrative_fault_is_typed_on_the_switch_and_untyped_again():
    changed = change("leaf1:eth1")
    assert [(step.where, " ".join(map(str, step.argv))) for step in changed.do] == [
        ("leaf1", "vtysh -H /dev/null -c configure terminal -c interface eth1 -c shutdown")
    ]
    assert [(s.where, s.argv[-1]) for s in changed.undo] == [("leaf1", "no shutdown")]


def test_a_carrier_fault_touches_only_the_cable_and_marks_both_ends_before_either_goes_down():
    changed = change("leaf1:eth1", "carrier")
    link = queries.link_between(clos(), "leaf1", "spine1")
    assert link is not None
    ends = [WireEnd(link=link.id, end="a"), WireEnd(link=link.id, end="b")]
    assert {step.where for step in (*changed.do, *changed.undo)} == {"wire"}
    assert [(step.argv[4], step.argv[5:]) for step in changed.do] == [
        (ends[0], ("group", "99")),
        (ends[1], ("group", "99")),
        (ends[0], ("down",)),
        (ends[1], ("down",)),
    ]
    assert [step.argv[5:] for step in changed.undo] == [("group", "0"), ("group", "0"), ("up",), ("up",)]


@pytest.mark.parametrize(("variant", "is_admin_up"), [("admin", False), ("carrier", True)])
def test_both_ends_must_lose_carrier_and_only_an_administrative_fault_shows_in_the_configuration(variant, is_admin_up):
    ports = {str(claim.port): claim.is_admin_up for claim in change("leaf1:eth1", variant).effect.ports}
    assert ports == {"leaf1:eth1": is_admin_up, "spine1:eth1": True}


def test_an_uplink_takes_its_sessions_and_next_hops_with_it_at_both_ends():
    effect = change("leaf1:eth1").effect
    assert {(s.switch, str(s.neighbor), s.is_established) for s in effect.sessions} == {
        ("leaf1", "10.1.1.1", False),
        ("spine1", "10.1.1.2", False),
    }
    assert {(h.node, str(h.next_hop)) for h in effect.hops_gone} == {("leaf1", "10.1.1.1"), ("spine1", "10.1.1.2")}


def test_an_uplink_loses_its_own_traffic_and_its_neighbours_keep_theirs():
    found = claims(change("leaf1:eth1"))
    assert {("leaf1", "spine1", "none", "none"), ("spine1", "leaf1", "none", "none")} <= found
    assert {("leaf1", "spine2", "all", "all"), ("client1", "client2", "all", "all")} <= found


def test_the_same_link_named_from_the_spine_has_the_same_end_points():
    from_leaf, from_spine = change("leaf1:eth1").effect, change("spine1:eth1").effect
    assert {c.port for c in from_leaf.ports} == {c.port for c in from_spine.ports}
    assert set(from_leaf.sessions) == set(from_spine.sessions)


def test_with_a_single_spine_no_client_is_expected_to_get_through():
    assert not any("client" in src for src, _, arrives, _ in claims(change("leaf1:eth1", spines=1)) if arrives == "all")


def test_a_client_port_takes_its_client_and_leaves_every_session():
    changed = change("leaf1:eth3")
    assert {("client1", "client2", "none", "none"), ("client2", "client1", "none", "none")} <= claims(changed)
    assert {(s.switch, s.is_established) for s in changed.effect.sessions} == {("leaf1", True)}
    assert len(changed.effect.sessions) == 2


def test_the_other_client_of_the_rack_is_a_control():
    assert ("client2", "client3", "all", "all") in claims(change("leaf1:eth3", clients=2))


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("leaf9:eth1", "leaf1, leaf2"),
        ("leaf1:eth9", "eth1, eth2, eth3"),
        ("client1:eth1", "the switches"),
    ],
)
def test_a_port_that_no_switch_has_is_answered_with_those_there_are(at, said):
    with pytest.raises(SpecError, match=said):
        change(at)


def test_spots_tell_uplinks_from_client_ports():
    plan = clos()
    leaf = queries.node(plan, "leaf1")
    assert link_down.spots(plan, leaf, "uplink") == ({"at": "leaf1:eth1"}, {"at": "leaf1:eth2"})
    assert link_down.spots(plan, leaf, "downlink") == ({"at": "leaf1:eth3"},)
    assert len(link_down.spots(plan, leaf, "any")) == 3
