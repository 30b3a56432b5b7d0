import pytest
from fault_fakes import FakeEyes, FakeFabric, FakeProber, clos, probed

from netopsbench.core.errors import InfraError, SpecError
from netopsbench.faults import inject as injecting
from netopsbench.faults.catalog import KINDS, change_of, parse_fault
from netopsbench.faults.combine import combined
from netopsbench.faults.contract import WIRE
from netopsbench.faults.decoy import decoy_fault
from netopsbench.faults.inject import clear, inject, injected, sham
from netopsbench.faults.snapshot import take
from netopsbench.faults.witness import Witness

PLAN = clos()
ROUTE = parse_fault("blackhole_route", {"device": "leaf1", "prefix": "192.168.102.0/30"}, "test")
CABLE = parse_fault("link_down", {"at": "leaf1:eth1", "variant": "carrier"}, "test")
TYPED = "ip route 192.168.102.0/30 Null0"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(injecting.time, "sleep", lambda seconds: None)


class World:
    """A fabric that takes on the effect of a fault when its command is given, and loses it when it is taken back."""

    def __init__(self, fault) -> None:
        self.effect = change_of(fault, PLAN).effect
        self.eyes, self.prober = FakeEyes(PLAN), FakeProber()
        self.fabric = FakeFabric(PLAN, self._obey)
        self.witness = Witness(self.eyes, self.prober)

    def _obey(self, where: str, argv: list[str]) -> int:
        if argv[-1] == TYPED or argv[-1] == "down":
            self.eyes.suffer(self.effect)
            self.prober.suffer(self.effect)
        elif argv[-1] == f"no {TYPED}" or argv[-1] == "up":
            self.eyes.recover()
            self.prober.counts.clear()
        return 0


def commands(fabric: FakeFabric) -> list[str]:
    given = [(where, argv) for where, argv in fabric.calls if "write memory" not in argv and "show" not in argv[-1]]
    return [f"{where}: {argv[-1]}" for where, argv in given]


def saved(fabric: FakeFabric) -> set[str]:
    return {where for where, argv in fabric.calls if "write memory" in argv}


def test_wire_ends_are_named_by_the_running_fabric():
    fabric = FakeFabric(PLAN)
    inject(fabric, CABLE)
    link = next(link.id for link in PLAN.links if str(link.b) == "leaf1:eth1" or str(link.a) == "leaf1:eth1")
    wire = [argv for where, argv in fabric.calls if where == "wire"]
    assert [argv[4] for argv in wire] == [f"{link}-a", f"{link}-b"] * 2


@pytest.mark.parametrize("fault", [ROUTE, CABLE], ids=["in the configuration", "on the wire"])
def test_configurations_are_saved_on_all_switches_whatever_was_done(fault):
    fabric = FakeFabric(PLAN)
    inject(fabric, fault)
    assert saved(fabric) == {"spine1", "spine2", "leaf1", "leaf2"}


def test_a_switch_that_an_earlier_fault_stopped_is_not_asked_to_save():
    fabric = FakeFabric(PLAN)
    inject(fabric, ROUTE, beside=[parse_fault("device_down", {"device": "leaf2"}, "test")])
    assert saved(fabric) == {"spine1", "spine2", "leaf1"}


def test_faults_that_are_held_together_may_come_in_any_order():
    fabric = FakeFabric(clos(leaves=5), lambda where, argv: int(where == "leaf3" and "write memory" in argv))
    eyes, prober = FakeEyes(fabric.plan), FakeProber()
    faults = [parse_fault("device_down", {"device": "leaf3"}, "test"), ROUTE]
    effect = combined([change_of(fault, fabric.plan) for fault in faults], fabric.plan)
    eyes.suffer(effect)
    prober.suffer(effect)
    with injected(fabric, faults, Witness(eyes, prober), seed=1, deadline_s=0) as injection:
        assert [receipt.step for receipt in injection.receipts].count("inject") == 2


def test_undoing_saves_only_what_was_edited():
    fabric = FakeFabric(PLAN)
    clear(fabric, ROUTE)
    assert saved(fabric) == {"leaf1"}
    clear(fabric, CABLE)
    assert saved(fabric) == {"leaf1"}


def test_on_a_large_fabric_a_share_of_the_switches_is_saved_the_edited_one_among_them():
    fabric = FakeFabric(clos(spines=4, leaves=40))
    inject(fabric, ROUTE, seed=1)
    assert "leaf1" in saved(fabric)
    assert 8 <= len(saved(fabric)) <= 9


def test_a_command_that_fails_is_an_injection_that_failed():
    with pytest.raises(InfraError, match=r"leaf1: vtysh .* Null0: it says no") as stopped:
        inject(FakeFabric(PLAN, lambda where, argv: 1), ROUTE)
    assert stopped.value.reason == "injection_failed"


def test_a_command_that_fails_on_the_way_back_is_a_restoration_that_failed():
    with pytest.raises(InfraError) as stopped:
        clear(FakeFabric(PLAN, lambda where, argv: 1), ROUTE)
    assert stopped.value.reason == "not_restored"


def test_a_command_without_an_answer_is_given_once_more():
    late = [124]
    fabric = FakeFabric(PLAN, lambda where, argv: late.pop() if late else 0)
    inject(fabric, ROUTE)
    assert commands(fabric) == [f"leaf1: {TYPED}"] * 2


def test_a_command_that_never_answers_ends_the_injection():
    with pytest.raises(InfraError) as stopped:
        inject(FakeFabric(PLAN, lambda where, argv: 124), ROUTE)
    assert stopped.value.reason == "injection_failed"


def test_a_fault_that_does_not_fit_touches_nothing():
    fabric = FakeFabric(PLAN)
    with pytest.raises(SpecError):
        inject(fabric, parse_fault("link_down", {"at": "leaf7:eth1"}, "test"))
    assert fabric.calls == []


@pytest.mark.parametrize("fault", [ROUTE, CABLE], ids=["in the configuration", "on the wire"])
def test_a_fault_is_held_for_the_block_and_seen_before_and_after(fault):
    world = World(fault)
    with injected(world.fabric, [fault], world.witness, seed=1, deadline_s=0) as injection:
        assert [receipt.step for receipt in injection.receipts] == ["inject", "read_back", "effect_before"]
        assert injection.recheck().step == "effect_after"
        held = list(commands(world.fabric))
    assert commands(world.fabric) != held
    assert world.witness.unseen(world.effect)


def test_a_fault_that_nobody_sees_is_undone_and_told():
    fabric = FakeFabric(PLAN)
    witness = Witness(FakeEyes(PLAN), FakeProber())
    with (
        pytest.raises(InfraError) as stopped,
        injected(fabric, [ROUTE], witness, seed=1, deadline_s=0),
    ):
        pytest.fail("the block must not be entered")
    assert stopped.value.reason == "effect_not_seen"
    assert commands(fabric) == [f"leaf1: {TYPED}", f"leaf1: no {TYPED}"]


def test_a_fault_that_ends_by_itself_is_noticed_after_the_agent(monkeypatch):
    world = World(ROUTE)
    with injected(world.fabric, [ROUTE], world.witness, seed=1, deadline_s=0) as injection:
        world.eyes.recover()
        monkeypatch.setattr("netopsbench.faults.witness.time.monotonic", iter(range(0, 100, 5)).__next__)
        with pytest.raises(InfraError) as stopped:
            injection.recheck()
        monkeypatch.undo()
    assert stopped.value.reason == "effect_gone_before_answer"


def test_what_ended_the_block_is_not_hidden_by_an_undo_that_fails():
    world = World(ROUTE)

    def interrupted() -> None:
        with injected(world.fabric, [ROUTE], world.witness, seed=1, deadline_s=0):
            world.fabric.answer = lambda where, argv: 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert commands(world.fabric)[-1] == f"leaf1: no {TYPED}"


def test_a_sham_changes_nothing_but_starts_processes_saves_and_probes_where_a_fault_would():
    for seed in range(6):
        fabric, eyes, prober = FakeFabric(PLAN), FakeEyes(PLAN), FakeProber()
        with sham(fabric, Witness(eyes, prober), take(eyes, PLAN), seed=seed) as injection:
            assert [receipt.step for receipt in injection.receipts] == ["sham"]
            assert injection.recheck().is_as_expected
        decoy = change_of(decoy_fault(PLAN, seed), PLAN)
        edits = sum(step.where != WIRE for step in decoy.do) + sum(each.where != WIRE for each in decoy.read_back)
        assert [command.partition(": ")[2] for command in commands(fabric)] == ["true"] * edits
        assert saved(fabric) == {"spine1", "spine2", "leaf1", "leaf2"}
        assert set(prober.asked) == set(map(probed, decoy.effect.paths))


def test_a_sham_of_two_faults_probes_where_both_would_be():
    fabric, eyes, prober = FakeFabric(PLAN), FakeEyes(PLAN), FakeProber()
    with sham(fabric, Witness(eyes, prober), take(eyes, PLAN), seed=3, faults=2):
        pass
    decoys = [change_of(decoy_fault(PLAN, seed), PLAN) for seed in (3, 4)]
    assert decoys[0].effect.paths != decoys[1].effect.paths
    assert set(prober.asked) == {probed(claim) for decoy in decoys for claim in decoy.effect.paths}


def test_a_healthy_case_that_is_not_healthy_is_told():
    eyes = FakeEyes(PLAN)
    before = take(eyes, PLAN)
    with sham(FakeFabric(PLAN), Witness(eyes, FakeProber()), before, seed=1, deadline_s=0) as injection:
        eyes.bgp["leaf1"]["10.1.1.1"] = "Active"
        with pytest.raises(InfraError, match=r"session 10\.1\.1\.1") as stopped:
            injection.recheck()
    assert stopped.value.reason == "healthy_case_disturbed"


def test_sham_and_fault_take_their_time_from_the_same_draw(monkeypatch):
    monkeypatch.setattr(injecting.time, "monotonic", lambda: 0.0)
    slept: list[float] = []
    monkeypatch.setattr(injecting.time, "sleep", slept.append)
    for seed in range(200):
        injecting._pace(1.0, seed)()
    assert all(1.0 <= seconds <= 1.5 for seconds in slept)
    assert len(set(slept)) == 200


def test_decoys_are_drawn_from_all_kinds_and_all_leaves():
    drawn = [decoy_fault(clos(leaves=4), seed) for seed in range(400)]
    assert {fault.kind for fault in drawn} == set(KINDS)
    assert decoy_fault(PLAN, 5) == decoy_fault(PLAN, 5)
    assert len({fault.at.node for fault in drawn if fault.kind == "link_down"}) == 4
