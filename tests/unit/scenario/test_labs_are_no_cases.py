"""Labs written by hand: faults of the catalogue are refused where their effect isn't known, and cases altogether."""

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.queries import interface
from netopsbench.faults.catalog import change_of
from netopsbench.records.faults import DeviceDown, LinkDown, PacketLoss
from netopsbench.records.names import Port
from netopsbench.scenario.campaign import Timeline
from netopsbench.scenario.load import check_scenario
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.truth import truth_of


@pytest.mark.parametrize(("name", "why"), [("rip_office", "hq, depot"), ("nat_edge", "have none")])
def test_faults_whose_effect_is_not_known_in_a_lab_are_refused_with_the_way_out(name: str, why: str) -> None:
    plan = plan_fabric(load_spec(name))
    router = next(each for each in plan.nodes if each.is_switch)
    for fault in (
        LinkDown(at=Port(node=router.name, interface=router.interfaces[0].name)),
        DeviceDown(device=router.name),
    ):
        with pytest.raises(SpecError, match=f"{why}.*netopsbench tickets list"):
            truth_of([fault], plan)


@pytest.mark.parametrize("name", ["simple_bgp", "dc_clos_bgp"])
def test_labs_of_cables_and_bgp_alone_take_faults(name: str) -> None:
    plan = plan_fabric(load_spec(name))
    router = next(each for each in plan.nodes if each.is_switch)
    assert change_of(DeviceDown(device=router.name), plan).place.device == router.name


@pytest.mark.parametrize("name", ["simple_bgp", "dc_clos_bgp"])
def test_the_other_end_of_an_impaired_link_is_no_control(name: str) -> None:
    plan = plan_fabric(load_spec(name))
    for link in (each for each in plan.links if each.kind == "fabric"):
        ends = {str(interface(plan, end).address.ip) for end in (link.a, link.b)}
        claims = change_of(PacketLoss(at=link.a, loss_pct=30), plan).effect.paths
        about = [claim for claim in claims if {str(claim.src.address), str(claim.dst.address)} == ends]
        assert [claim.quality and claim.quality.loss_pct for claim in about] == [30]


def test_a_case_in_a_lab_is_refused_healthy_ones_too() -> None:
    office = plan_fabric(load_spec("rip_office"))
    healthy = Scenario(fabric="rip_office", scale="rip_office", seed=1, difficulty="easy", timeline=Timeline())
    with pytest.raises(SpecError, match="labs have tickets instead of cases"):
        check_scenario(healthy, office, "case.yaml")
