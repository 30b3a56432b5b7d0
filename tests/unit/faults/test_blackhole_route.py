import pytest
from fault_fakes import clos

from netopsbench.core.errors import SpecError
from netopsbench.fabric import queries
from netopsbench.faults import blackhole_route
from netopsbench.faults.contract import Change
from netopsbench.records.faults import BlackholeRoute


def change(device: str = "leaf1", prefix: str = "192.168.102.0/30", variant: str = "null0", **shape: int) -> Change:
    fault = BlackholeRoute.model_validate({"device": device, "prefix": prefix, "variant": variant})
    return blackhole_route.change(fault, clos(**shape))


@pytest.mark.parametrize(
    ("variant", "line", "kernel_type"),
    [
        ("null0", "ip route 192.168.102.0/30 Null0", "blackhole"),
        ("reject", "ip route 192.168.102.0/30 reject", "unreachable"),
    ],
)
def test_the_route_is_typed_in_and_the_kernel_must_hold_its_kind(variant, line, kernel_type):
    changed = change(variant=variant)
    assert [(step.where, step.argv[-1]) for step in changed.do] == [("leaf1", line)]
    assert [(step.where, step.argv[-1]) for step in changed.undo] == [("leaf1", f"no {line}")]
    assert [(r.node, r.type) for r in changed.effect.routes] == [("leaf1", kernel_type)]


def test_probes_there_are_lost_and_probes_from_there_arrive_unanswered():
    paths = {(c.src.node, c.dst.node): (c.arrives, c.returns) for c in change().effect.paths}
    assert paths["client1", "client2"] == ("none", "none")
    assert paths["client2", "client1"] == ("all", "none")
    assert paths["client1", "leaf2"] == ("all", "all")


def test_a_third_rack_still_reaches_the_client():
    paths = {(c.src.node, c.dst.node): c.arrives for c in change(leaves=3).effect.paths}
    assert paths["client3", "client2"] == "all"


def test_every_session_of_the_switch_stays():
    assert [(s.switch, s.is_established) for s in change().effect.sessions] == [("leaf1", True)] * 2


def test_all_mistakes_are_told_at_once():
    with pytest.raises(SpecError) as wrong:
        change(device="spine1", prefix="10.9.9.0/24")
    assert [problem.key for problem in wrong.value.problems] == ["device", "prefix"]
    assert "leaf1, leaf2" in str(wrong.value)


def test_a_switch_cannot_blackhole_its_own_clients():
    with pytest.raises(SpecError, match="a switch other than leaf1"):
        change(prefix="192.168.101.0/30")


def test_spots_are_the_remote_prefixes_of_switches_that_hold_static_routes():
    plan = clos(leaves=3)
    spots = blackhole_route.spots(plan, queries.node(plan, "leaf2"), "any")
    assert [spot["prefix"] for spot in spots] == ["192.168.101.0/30", "192.168.103.0/30"]
    assert blackhole_route.spots(plan, queries.node(plan, "spine1"), "any") == ()
