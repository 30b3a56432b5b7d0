import pytest
from fault_fakes import clos

from netopsbench.core.errors import SpecError
from netopsbench.fabric import queries
from netopsbench.faults.catalog import KINDS, change_of, parse_fault
from netopsbench.records.faults import LinkDown

EVERY = [(kind, keys) for kind in KINDS.values() for keys in kind.variant_keys]


@pytest.mark.parametrize(("kind", "keys"), EVERY, ids=["-".join((k.name, *keys.values())) for k, keys in EVERY])
def test_every_fault_fits_every_place_the_table_gives_it(kind, keys):
    plan = clos(leaves=3, clients=2)
    places = [
        spot for node in queries.switches(plan) if node.role in kind.roles for spot in kind.spots(plan, node, "any")
    ]
    assert places
    for place in places:
        changed = change_of(kind.parse({**place, **keys}, "test"), plan)
        assert changed.do
        assert changed.undo
        effect = changed.effect
        # What is broken and what must stay are both claimed, so that neither a dead witness nor a dead fabric passes.
        assert any(claim.is_control for claim in effect.paths)
        is_path_broken = not all(claim.is_control for claim in effect.paths)
        assert is_path_broken or effect.flaps or not all(claim.is_established for claim in effect.sessions)
        # A fault of the cable leaves the state of every node as it was.
        assert effect.nodes or effect.flaps or any(claim.quality for claim in effect.paths)
        assert effect.switches
        assert (changed.place.interface is not None) == kind.label.has_interface


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_the_example_of_every_fault_fits_the_smallest_fabric(kind):
    assert change_of(kind.parse(kind.example, "test"), clos()).do


def test_a_fault_out_of_words():
    fault = parse_fault("link_down", {"at": "leaf1:eth1", "variant": "carrier"}, "fault")
    assert isinstance(fault, LinkDown)
    assert (str(fault.at), fault.variant) == ("leaf1:eth1", "carrier")


def test_an_unknown_fault_is_answered_with_the_known_ones():
    with pytest.raises(SpecError, match=r"one of link_down, .*acl_misconfig"):
        parse_fault("meteor", {}, "fault")


def test_all_mistakes_of_a_fault_are_told_at_once():
    with pytest.raises(SpecError) as wrong:
        parse_fault("link_down", {"at": "leaf1", "variant": "half", "often": 3}, "fault")
    assert {problem.key for problem in wrong.value.problems} == {"at", "variant", "often"}


def test_a_row_refuses_the_fault_of_another():
    with pytest.raises(TypeError, match="blackhole_route"):
        KINDS["link_down"].change(parse_fault("blackhole_route", KINDS["blackhole_route"].example, "test"), clos())
