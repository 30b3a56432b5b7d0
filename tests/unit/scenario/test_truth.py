import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.spec import Clos, FabricSpec
from netopsbench.faults.catalog import parse_fault
from netopsbench.scenario.truth import truth_of

PLAN = plan_fabric(FabricSpec(name="lab", topology=Clos(spines=2, leaves=2)))


def accepted(kind: str, **keys: str) -> list[str]:
    truth = truth_of([parse_fault(kind, keys, "test")], PLAN)
    assert [fault.fault_type for fault in truth.faults] == [kind]
    return [str(place) for place in truth.faults[0].accepted]


@pytest.mark.parametrize("variant", ["admin", "carrier"])
def test_either_end_of_a_link_between_switches_is_right_and_the_place_itself_stands_first(variant):
    assert accepted("link_down", at="leaf1:eth2", variant=variant) == ["leaf1:eth2", "spine2:eth1"]
    assert accepted("link_down", at="spine2:eth1", variant=variant) == ["spine2:eth1", "leaf1:eth2"]


def test_on_a_client_link_only_the_switch_end_is_right():
    assert accepted("link_down", at="leaf2:eth3") == ["leaf2:eth3"]


def test_a_discarded_prefix_has_a_device_and_no_interface():
    assert accepted("blackhole_route", device="leaf1", prefix="192.168.102.0/30") == ["leaf1"]


def test_a_healthy_case_has_no_fault():
    assert not truth_of((), PLAN).is_faulty


def test_a_fault_that_does_not_fit_has_no_truth():
    with pytest.raises(SpecError):
        accepted("link_down", at="leaf3:eth1")
