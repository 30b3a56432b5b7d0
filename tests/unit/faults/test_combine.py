import pytest
from fault_fakes import clos

from netopsbench.core.errors import SpecError
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.faults.combine import combined, touches
from netopsbench.faults.contract import Change

PLAN = clos(leaves=5)


def change(kind: str, **keys: str) -> Change:
    return change_of(parse_fault(kind, keys, "test"), PLAN)


DOWN = change("device_down", device="leaf3")
ROUTE = change("blackhole_route", device="leaf1", prefix="192.168.102.0/30")


def test_the_effect_of_one_fault_is_its_own():
    assert combined([ROUTE], PLAN) == ROUTE.effect


def test_the_effect_of_two_faults_holds_what_each_breaks():
    effect = combined([ROUTE, DOWN], PLAN)
    for part in (ROUTE, DOWN):
        assert {path for path in part.effect.paths if path.arrives == "none"} <= set(effect.paths)
        assert set(part.effect.sessions) <= set(effect.sessions)
        assert set(part.effect.routes) <= set(effect.routes)
        assert set(part.effect.ports) <= set(effect.ports)


def test_probes_that_the_other_fault_may_stop_are_left_out():
    # The bystander that must still reach the client is behind the switch that is down.
    control = next(path for path in ROUTE.effect.paths if path.is_control and path.src.node == "client3")
    effect = combined([ROUTE, DOWN], PLAN)
    assert control not in effect.paths
    assert any(path.is_control for path in effect.paths)


def test_a_session_that_one_fault_ends_is_not_claimed_undisturbed_by_another():
    narrow, cut = change("mtu_mismatch", at="spine1:eth1"), change("link_down", at="leaf4:eth1")
    claims = [s.is_established for s in combined([narrow, cut], PLAN).sessions if str(s.neighbor) == "10.1.4.2"]
    assert claims == [False]


def test_faults_that_meet_are_refused_with_where():
    with pytest.raises(SpecError, match="both touch client2"):
        combined([ROUTE, change("link_down", at="leaf2:eth3")], PLAN)
    with pytest.raises(SpecError, match="both touch leaf4:eth1, spine1:eth4"):
        combined([change("mtu_mismatch", at="spine1:eth4"), change("packet_loss", at="leaf4:eth1")], PLAN)


def test_a_fault_touches_its_device_the_clients_there_and_those_it_cuts_off():
    assert touches(ROUTE, PLAN) == {"leaf1", "client1", "client2"}
    assert touches(change("link_down", at="leaf4:eth1"), PLAN) == {"leaf4", "client4", "leaf4:eth1", "spine1:eth4"}
