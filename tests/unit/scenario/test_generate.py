from collections import Counter

import pytest

from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.spec import Clos, FabricSpec, FatTree
from netopsbench.records.answers import Budget
from netopsbench.scenario.campaign import Amount, Campaign, FaultDraw, Template
from netopsbench.scenario.generate import case_seed, generate
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.truth import truth_of

XS = plan_fabric(FabricSpec(name="xs", topology=Clos(spines=2, leaves=2)))
LARGE = plan_fabric(FabricSpec(name="large", topology=Clos(spines=4, leaves=16, clients_per_leaf=4)))
TREE = plan_fabric(FabricSpec(name="tree", topology=FatTree(k=4, clients_per_edge=1)))
PLANS = {"xs": XS, "large": LARGE, "tree": TREE}


def uplinks(count: int, name: str = "uplinks") -> Template:
    return Template(name=name, fault_type="link_down", interface_role="uplink", count=count)


def routes(count: int, variant: str = "null0") -> Template:
    return Template(
        name=f"routes-{variant}", fault_type="blackhole_route", count=count, parameters={"variant": variant}
    )


def campaign(*templates: Template, scales: tuple[str, ...] = ("large",), healthy: int = 0, seed: int = 42) -> Campaign:
    return Campaign(
        version=1,
        name="test",
        seed=seed,
        scales=scales,
        budget=Budget(wall_time_s=60, tool_calls=50),
        healthy=Amount(count=healthy),
        fault_templates=templates,
    )


def places(found, plan: FabricPlan = LARGE) -> list[str]:
    return [str(truth_of(scenario.faults, plan).faults[0].accepted[0]) for scenario in found if scenario.faults]


def test_a_campaign_always_gives_the_same_cases():
    asked = campaign(uplinks(4), routes(4), healthy=2)
    assert generate(asked, PLANS) == generate(asked, PLANS)
    assert len(generate(asked, PLANS)) == 10


def test_another_seed_gives_other_cases():
    found = [generate(campaign(uplinks(6), seed=seed), PLANS) for seed in (1, 2)]
    assert not {case.id for case in found[0]} & {case.id for case in found[1]}
    assert set(places(found[0])) != set(places(found[1]))


def test_no_two_cases_are_alike_even_from_templates_that_ask_for_the_same():
    found = generate(campaign(uplinks(30, "one"), uplinks(30, "two"), healthy=4), PLANS)
    assert len({case.id for case in found}) == 64
    assert len({case.faults for case in found if case.faults}) == 60


def test_a_template_shifts_neither_those_before_it_nor_those_of_another_fault():
    alone = {case.id for case in generate(campaign(uplinks(5), routes(5)), PLANS)}
    joined = generate(campaign(uplinks(5), uplinks(3, "more"), routes(5), healthy=3), PLANS)
    assert alone <= {case.id for case in joined}


def test_a_larger_count_keeps_the_cases_there_were():
    few = {case.id for case in generate(campaign(uplinks(3)), PLANS)}
    assert few <= {case.id for case in generate(campaign(uplinks(9)), PLANS)}


def test_every_device_comes_up_before_any_comes_up_twice():
    devices = Counter(place.split(":")[0] for place in places(generate(campaign(uplinks(40)), PLANS)))
    assert len(devices) == 16
    assert max(devices.values()) - min(devices.values()) == 1


def test_every_place_of_a_small_fabric_can_be_used_up_and_no_more():
    assert len(set(places(generate(campaign(uplinks(4), scales=("xs",)), PLANS), XS))) == 4
    with pytest.raises(SpecError, match="xs has 4 places left"):
        generate(campaign(uplinks(5), scales=("xs",)), PLANS)


def test_every_template_that_asks_for_too_much_is_named():
    with pytest.raises(SpecError) as wrong:
        generate(campaign(uplinks(5), routes(3), scales=("xs",)), PLANS)
    assert [problem.key for problem in wrong.value.problems] == ["uplinks at xs", "routes-null0 at xs"]


def test_a_leaf_is_an_edge_switch_on_a_fat_tree():
    found = places(generate(campaign(uplinks(8), scales=("tree",)), PLANS), TREE)
    assert {place[:4] for place in found} == {"edge"}


def test_counts_can_differ_between_scales():
    template = Template(name="some", fault_type="link_down", count_per_scale={"large": 3})
    found = generate(campaign(template, scales=("xs", "large")), PLANS)
    assert Counter(case.scale for case in found) == {"large": 3}


def test_ids_tell_nothing_and_come_in_an_order_that_tells_nothing():
    found = generate(campaign(uplinks(5), routes(5), healthy=5), PLANS)
    assert [case.id for case in found] == sorted(case.id for case in found)
    assert {len(case.id) for case in found} == {13}
    assert not any(word in case.id for case in found for word in ("leaf", "link", "healthy", "route"))


def test_case_seeds_are_as_they_were_published():
    assert case_seed(42, "xs", "uplinks", 1) == case_seed(42, "xs", "uplinks", 1)
    assert len({case_seed(42, scale, name, n) for scale in ("xs", "k8") for name in "ab" for n in (1, 2)}) == 8
    assert case_seed(42, "xs", "uplinks", 1) == 146235252148718


def test_the_quickstart_has_four_faults_in_four_places_and_two_healthy_cases():
    found = generate(load_campaign("quickstart"), {"xs": XS})
    truths = [truth_of(case.faults, XS) for case in found]
    assert Counter(truth.is_faulty for truth in truths) == {True: 4, False: 2}
    faulty = [truth.faults[0] for truth in truths if truth.is_faulty]
    assert Counter(fault.fault_type for fault in faulty) == {"link_down": 2, "blackhole_route": 2}
    # No constant answer can be right on more than one link and one route.
    for fault_type in ("link_down", "blackhole_route"):
        devices = [{place.device for place in f.accepted} for f in faulty if f.fault_type == fault_type]
        assert not devices[0] & devices[1]


def test_healthy_cases_pretend_as_many_faults_as_the_others_have():
    pair = uplinks(3, "pair").model_copy(
        update={"also": (FaultDraw(fault_type="blackhole_route", parameters={"variant": "null0"}),)}
    )
    mixed = generate(campaign(uplinks(3), pair, healthy=4), PLANS)
    assert sorted(case.pretended_faults for case in mixed if not case.faults) == [1, 1, 2, 2]
    assert [case.pretended_faults for case in generate(campaign(pair, healthy=1), PLANS) if not case.faults] == [2]
    assert [case.pretended_faults for case in generate(campaign(healthy=1), PLANS)] == [1]
