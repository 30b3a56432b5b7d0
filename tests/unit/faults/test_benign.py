"""Harmless events are drawn by the seed alone, and none of them can break anything."""

import random
from collections import Counter
from ipaddress import IPv4Network

import pytest
from fault_fakes import clos

from netopsbench.fabric import queries
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.spec import Clos, FabricSpec, Pools
from netopsbench.faults import benign
from netopsbench.faults.benign import MAKERS, draw_events
from netopsbench.records.names import Port

TRANSIENT = (benign.session_cleared, benign.port_bounced)
EDITS = tuple(maker for maker in MAKERS if maker is not benign.session_cleared)


def made(maker, plan, name="leaf1", seed=1):
    return maker(plan, queries.node(plan, name), random.Random(seed))


def typed(event):
    return [str(word) for step in (*event.do, *event.undo) for word in (*step.argv, step.stdin)]


def test_the_same_seed_gives_the_same_events():
    plan = clos(2, 4)
    assert draw_events(plan, 7) == draw_events(plan, 7)
    assert len({draw_events(plan, seed) for seed in range(20)}) > 10


def test_seeds_give_0_to_3_events_about_equally_often():
    drawn = Counter(len(draw_events(clos(2, 4), seed)) for seed in range(400))
    assert sorted(drawn) == [0, 1, 2, 3]
    assert min(drawn.values()) > 60


def test_every_kind_of_event_comes_up_on_every_kind_of_switch():
    plan = plan_fabric(load_spec("fat-tree-k8"))
    drawn = [event for seed in range(600) for event in draw_events(plan, seed)]
    roles = {queries.node(plan, event.switch).role for event in drawn}
    assert roles == {"core", "agg", "edge"}
    first_words = Counter(event.what.split()[0] for event in drawn)
    assert {"description", "entry", "clause", "counting", "session", "port"} == set(first_words)


def test_events_come_after_pauses_of_random_length():
    pauses = [event.pause_s for seed in range(50) for event in draw_events(clos(), seed)]
    assert len(set(pauses)) > 20
    assert min(pauses) > 0
    assert max(pauses) < 1


@pytest.mark.parametrize("maker", TRANSIENT)
def test_nothing_is_interrupted_that_has_no_second_way(maker):
    single = plan_fabric(FabricSpec(name="thin", topology=Clos(spines=1, leaves=3)))
    assert made(maker, single, "leaf1") is None
    assert made(maker, single, "spine1") is None
    assert all(not event.loses for seed in range(100) for event in draw_events(single, seed))


@pytest.mark.parametrize("maker", TRANSIENT)
@pytest.mark.parametrize("name", ["leaf1", "spine2"])
def test_an_interruption_is_of_a_link_between_switches_and_long_enough_to_be_noticed(maker, name):
    plan = clos(2, 3, 2)
    event = made(maker, plan, name)
    (lost,) = event.loses
    assert lost.neighbor in queries.expected_sessions(plan)[name]
    assert event.hold_s > 0.3


def test_a_port_that_is_shut_is_opened_again():
    plan = clos()
    event = made(benign.port_bounced, plan)
    (shut,), (opened,) = event.do, event.undo
    assert shut.argv[:-1] == opened.argv[:-1]
    assert (shut.argv[-1], opened.argv[-1]) == ("shutdown", "no shutdown")
    assert event.hold_s >= 0.5
    port = shut.argv[-3].removeprefix("interface ")
    assert queries.link_at(plan, Port(node="leaf1", interface=port)).kind == "fabric"


@pytest.mark.parametrize("maker", EDITS)
def test_edits_are_saved(maker):
    assert made(maker, clos()).saves == ("leaf1",)


def test_clearing_a_session_edits_nothing():
    assert not made(benign.session_cleared, clos()).saves


@pytest.mark.parametrize("seed", range(20))
def test_a_new_route_map_clause_stands_behind_the_one_that_takes_everything(seed):
    clause = next(
        word for word in typed(made(benign.route_map_extended, clos(), seed=seed)) if word.startswith("route-map")
    )
    assert "permit" in clause
    assert int(clause.split()[-1]) > 20


@pytest.mark.parametrize("maker", [benign.prefix_listed, benign.rule_counted])
@pytest.mark.parametrize("seed", range(5))
def test_filters_name_only_prefixes_that_nobody_uses(maker, seed):
    plan = clos(2, 4, 2)
    words = " ".join(typed(made(maker, plan, seed=seed))).split()
    (net,) = [IPv4Network(word) for word in words if word.count(".") == 3]
    used = [link.prefix for link in plan.links] + [prefix for node in plan.nodes for prefix in node.announces]
    assert not any(net.overlaps(prefix) for prefix in used)


@pytest.mark.parametrize("maker", [benign.prefix_listed, benign.rule_counted])
def test_a_fabric_that_uses_every_example_prefix_gets_no_filter_of_them(maker):
    pools = Pools(more_clients=IPv4Network("192.0.0.0/6"))
    plan = plan_fabric(FabricSpec(name="wide", topology=Clos(spines=2, leaves=2))).model_copy(update={"pools": pools})
    assert made(maker, plan) is not None
    everything = plan.pools.model_copy(update={"more_clients": IPv4Network("0.0.0.0/0")})
    assert made(maker, plan.model_copy(update={"pools": everything})) is None


def test_a_counting_rule_neither_drops_nor_accepts():
    (step,) = made(benign.rule_counted, clos()).do
    rule = step.stdin.splitlines()[-1]
    assert rule.startswith("add rule ip filter forward ip ")
    assert rule.endswith(" counter")


def test_commands_leave_no_history():
    for maker in MAKERS:
        event = made(maker, clos())
        assert all("/dev/null" in step.argv for step in (*event.do, *event.undo) if step.argv[0] == "vtysh")
