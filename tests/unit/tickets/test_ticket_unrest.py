"""Harmless restarts and extra time before a question: drawn from the seed and the lab, whatever the ticket."""

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.tickets.load import load_tickets, shipped_folder
from netopsbench.tickets.unrest import MOST_UPTIME_S, unrest_of

PLAN = plan_fabric(load_spec("ospf_enterprise_static"))
SEEDS = [f"ticket-{number} agent" for number in range(200)]


def test_half_of_the_trials_see_a_restart_on_every_kind_of_device() -> None:
    drawn = [unrest_of(PLAN, seed) for seed in SEEDS]
    restarts = [each for each in drawn if each.node]
    assert 70 <= len(restarts) <= 130
    assert {each.service for each in restarts} == {"frr", "dns", "http"}
    assert len({each.node for each in restarts}) > 5
    assert all(0 <= each.uptime_s <= MOST_UPTIME_S for each in drawn)


def test_the_same_seed_draws_the_same() -> None:
    assert unrest_of(PLAN, "x") == unrest_of(PLAN, "x")


def test_healthy_labs_see_as_much_unrest_as_broken_ones() -> None:
    tickets = [each for each in load_tickets(shipped_folder("ospf_enterprise_static")) if each.persona == "standard"]
    seen = {
        is_healthy: [bool(unrest_of(PLAN, f"{each.id} {agent}").node) for each in own for agent in map(str, range(20))]
        for is_healthy in (True, False)
        if (own := [each for each in tickets if (each.fault is None) == is_healthy])
    }
    shares = {is_healthy: sum(found) / len(found) for is_healthy, found in seen.items()}
    assert all(0.35 < share < 0.65 for share in shares.values())


def test_what_happened_is_told_in_words() -> None:
    told = {str(unrest_of(PLAN, seed)) for seed in SEEDS}
    assert "" in told
    assert any(each.startswith("frr of ") and each.endswith(" was restarted") for each in told)
