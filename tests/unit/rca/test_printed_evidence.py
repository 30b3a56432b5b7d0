"""What decides a root cause is printed: by every vendor, on facts that running networks told with and without it."""

from collections.abc import Iterator
from functools import cache

import pytest
from deciding_words import has, printed, words_of
from recorded_causes import RECORDED, recorded

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking.contract import Broken
from netopsbench.rca.breaking.repertoire import MAKERS
from netopsbench.rca.network.facts import SPOKEN
from netopsbench.rca.solving.evidence import Look, alternatives, denials, smallest
from netopsbench.rca.solving.solver import solved
from netopsbench.vendors.names import NEEDS, Need, Vendor
from netopsbench.vendors.recorded import FactBook

CASES = [(network, number) for network in RECORDED for number in range(len(recorded(network).causes))]
OF_ALL = pytest.mark.parametrize(("network", "number"), CASES, ids=lambda value: str(value))
OF_VENDORS = pytest.mark.parametrize("vendor", SPOKEN)
SENT: tuple[Need, ...] = ("ping", "traceroute", "route_lookup")
"""What isn't recorded, since it is about an address."""


@cache
def plan_of(network: str) -> FabricPlan:
    return plan_fabric(load_spec(network))


def case(network: str, number: int) -> tuple[FabricPlan, Broken, FactBook, FactBook]:
    """A plan, a cause, what its devices tell of it, and what they told before."""
    plan, told = plan_of(network), recorded(network)
    return plan, told.causes[number].broken, told.causes[number].book, told.healthy


def spoken(plan: FabricPlan, vendor: Vendor) -> dict[str, Vendor]:
    """All routers of one vendor; one that translates addresses is FRR in every task."""
    own = plan.lab.files if plan.lab is not None else {}
    fixed = {name for name, files in own.items() if "masquerade" in files.get("nftables.conf", "")}
    return {
        node.name: "linux" if not node.is_switch else "frr" if node.name in fixed else vendor for node in plan.nodes
    }


def answers(now: FactBook, before: FactBook, look: tuple[str, Need], vendor: Vendor) -> Iterator[tuple[str, str]]:
    """What each command for a need prints of the broken network and of the healthy one, the plainest first."""
    healthy = dict(printed(before, look[0], vendor, look[1]))
    yield from ((text, healthy[line]) for line, text in printed(now, look[0], vendor, look[1]) if line in healthy)


def test_every_cause_that_is_made_is_recorded() -> None:
    kept = {each.broken.triple.cause for network in RECORDED for each in recorded(network).causes}
    assert kept == set(MAKERS)


@OF_VENDORS
@OF_ALL
def test_the_golden_answer_has_the_words_that_decide(network: str, number: int, vendor: Vendor) -> None:
    plan, broken, now, before = case(network, number)
    vendors = spoken(plan, vendor)
    ways = alternatives(broken.triple, plan, vendors)
    golden = smallest([ways], frozenset())
    assert golden is not None
    for look in golden:
        words = words_of(broken, look.device, look.need, plan)
        first = next(answers(now, before, (look.device, look.need), vendors[look.device]))
        assert has(words, *first), (str(look), words)


@OF_VENDORS
@OF_ALL
def test_what_counts_as_evidence_has_them_and_what_does_not_lacks_them(
    network: str, number: int, vendor: Vendor
) -> None:
    plan, broken, now, before = case(network, number)
    vendors = spoken(plan, vendor)
    told = {look for way in alternatives(broken.triple, plan, vendors) for look in way}
    for look in {look for way in alternatives(broken.triple, plan) for look in way}:
        found = list(answers(now, before, (look.device, look.need), vendors[look.device]))
        if not found or look.need in SENT:
            continue
        words = words_of(broken, look.device, look.need, plan)
        assert any(has(words, *each) for each in found) == (look in told), (str(look), words)


@OF_VENDORS
@OF_ALL
def test_where_the_direct_answer_is_denied_nothing_on_the_device_has_the_words(
    network: str, number: int, vendor: Vendor
) -> None:
    plan, broken, now, before = case(network, number)
    vendors, node = spoken(plan, vendor), broken.triple.node
    denied = denials(broken.triple, plan, vendors)
    if denied is None:
        return
    words = [each for look in denied if (each := words_of(broken, node, look.need, plan)).is_new]
    for need in NEEDS:
        if Look(device=node, need=need) in denied or need in SENT:
            continue
        for text in answers(now, before, (node, need), vendors[node]):
            assert not any(has(each, *text) for each in words), (need, text[0])


@OF_VENDORS
@OF_ALL
def test_the_solver_finds_it_with_as_few_questions_with_and_without_the_direct_answer(
    network: str, number: int, vendor: Vendor
) -> None:
    plan, broken, now, before = case(network, number)
    vendors = spoken(plan, vendor)
    asked = {record.device for record in now.records}
    kept = FactBook(records=(*now.records, *(each for each in before.records if each.device not in asked)))
    for denied in (frozenset[Look](), denials(broken.triple, plan, vendors)):
        if denied is None:
            continue
        golden = smallest([alternatives(broken.triple, plan, vendors)], denied)
        found = solved(plan, kept.device, denied, vendors)
        assert found.causes == {broken.triple}
        assert golden is not None
        assert len(found.golden) == len(golden)


@pytest.mark.parametrize("network", RECORDED)
def test_of_a_healthy_network_the_solver_says_nothing(network: str) -> None:
    assert solved(plan_of(network), recorded(network).healthy.device).causes == frozenset()
