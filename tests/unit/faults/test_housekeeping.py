"""Lines that gathered over the years: drawn by the seed alone, so many that a fault's own line doesn't stand out."""

from collections import Counter
from ipaddress import IPv4Network

import pytest
from fault_fakes import clos

from netopsbench.faults.housekeeping import MOST_LINES, MOST_SWITCHES, gathered


def lines_by_switch(plan, seed: int) -> dict[str, list[str]]:
    (event,) = gathered(plan, seed)
    return {step.where: [word for word in step.argv if str(word).startswith("ip prefix-list")] for step in event.do}


def test_the_same_seed_gives_the_same_lines():
    plan = clos(2, 4)
    assert gathered(plan, 3) == gathered(plan, 3)
    assert len({gathered(plan, seed) for seed in range(20)}) > 15


def test_both_the_switches_and_the_lines_of_each_differ_in_number():
    drawn = [lines_by_switch(clos(4, 20), seed) for seed in range(300)]
    assert set(map(len, drawn)) == set(range(1, MOST_SWITCHES + 1))
    assert {len(lines) for each in drawn for lines in each.values()} == set(range(1, MOST_LINES + 1))


def test_every_switch_has_its_turn():
    drawn = Counter(name for seed in range(300) for name in lines_by_switch(clos(2, 4), seed))
    assert len(drawn) == 6
    assert min(drawn.values()) > 100


@pytest.mark.parametrize("seed", range(10))
def test_no_line_says_what_another_one_says_and_none_names_a_prefix_in_use(seed):
    plan = clos(2, 4, 2)
    used = [link.prefix for link in plan.links] + [prefix for node in plan.nodes for prefix in node.announces]
    for lines in lines_by_switch(plan, seed).values():
        named = [IPv4Network(line.split()[6]) for line in lines]
        assert len(set(named)) == len(lines)
        assert not any(prefix.overlaps(other) for prefix in named for other in used)


def test_every_switch_that_is_edited_saves_its_configuration():
    (event,) = gathered(clos(2, 4), 5)
    assert set(event.saves) == {step.where for step in event.do}


def test_a_fabric_that_uses_every_example_prefix_gets_no_lines():
    plan = clos()
    wide = plan.pools.model_copy(update={"more_clients": IPv4Network("0.0.0.0/0")})
    assert gathered(plan.model_copy(update={"pools": wide}), 1) == ()
