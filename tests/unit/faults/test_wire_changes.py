"""Faults of the wire, worked out from plan and spec alone."""

import pytest
from fault_fakes import FakeEyes, FakeFabric, FakeProber, clos

from netopsbench.core.errors import InfraError, SpecError
from netopsbench.faults import inject as injecting
from netopsbench.faults.catalog import KINDS, change_of, parse_fault
from netopsbench.faults.contract import WIRE, Change, Quality
from netopsbench.faults.inject import injected
from netopsbench.faults.witness import Witness

PLAN = clos(spines=4, leaves=3, clients=2)
IMPAIRING = {
    "packet_loss": ("loss_pct", 30),
    "packet_corruption": ("corruption_pct", 25),
    "high_latency": ("delay_ms", 120),
}
KEYS = [*IMPAIRING, "link_flapping"]


def change(kind: str, at: str = "leaf1:eth2", **keys: float) -> Change:
    return change_of(parse_fault(kind, {"at": at, **keys}, "test"), PLAN)


def words(found: Change) -> list[list[str]]:
    return [[str(word) for word in step.argv[3:]] for step in (*found.do, *found.undo)]


@pytest.mark.parametrize("kind", KEYS)
def test_nothing_is_done_inside_a_node(kind):
    found = change(kind)
    assert {step.where for step in (*found.do, *found.undo, *found.counters)} == {WIRE}


@pytest.mark.parametrize("kind", IMPAIRING)
def test_published_strength_by_default_and_undone_to_nothing(kind):
    key, value = IMPAIRING[kind]
    assert [each[-2:] for each in words(change(kind))] == [[key, str(value)], [key, "0"]]


def test_the_sending_end_is_the_one_that_is_impaired():
    link = next(link for link in PLAN.links if str(link.a) == "spine2:eth1")
    assert str(link.b) == "leaf1:eth2"
    near, far = f"<end b of {link.id}>", f"<end a of {link.id}>"
    assert words(change("packet_loss", "leaf1:eth2"))[0][2:4] == [near, far]
    assert words(change("packet_loss", "spine2:eth1"))[0][2:4] == [far, near]


@pytest.mark.parametrize("kind", IMPAIRING)
def test_the_link_itself_is_measured_and_all_other_uplinks_of_its_switch_and_of_others_are_controls(kind):
    key, value = IMPAIRING[kind]
    paths = change(kind).effect.paths
    assert (paths[0].src.node, paths[0].dst.node) == ("leaf1", "spine2")
    assert {(path.src.node, path.dst.node) for path in paths[1:4]} == {("leaf1", f"spine{n}") for n in (1, 3, 4)}
    assert {path.src.node for path in paths[4:]} == {"leaf2", "leaf3"}
    assert paths[0].quality == Quality.model_validate({key: value})
    assert [path.is_control for path in paths] == [False] + [True] * 11
    # Counters of packets don't tell which of them it is.
    assert len({path.probes for path in paths}) == 1


def test_rare_loss_is_measured_with_more_probes():
    assert change("packet_loss", loss_pct=1).effect.paths[0].probes == 1_500


def test_a_flapping_cable_is_seen_at_both_ends_within_a_period():
    found = change("link_flapping", down_s=1, up_s=2)
    assert words(found)[0][-2:] == ["1", "2"]
    assert {str(claim.port) for claim in found.effect.flaps} == {"leaf1:eth2", "spine2:eth1"}
    assert all(claim.period_s > 3 for claim in found.effect.flaps)
    assert all(claim.is_established for claim in found.effect.sessions)
    assert len(found.effect.sessions) == 3 + 2


@pytest.mark.parametrize("kind", KEYS)
def test_places_are_ports_that_lead_to_switches(kind):
    leaf = next(node for node in PLAN.nodes if node.name == "leaf1")
    spots = KINDS[kind].spots(PLAN, leaf, "any")
    assert [spot["at"] for spot in spots] == [f"leaf1:eth{number}" for number in (1, 2, 3, 4)]
    assert KINDS[kind].spots(PLAN, leaf, "downlink") == ()


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize(
    ("at", "wanted"),
    [
        ("leaf1:eth5", "eth1, eth2, eth3, eth4"),
        ("leaf1:eth9", "leaf1 has the ports"),
        ("client1:eth1", "has the switches"),
        ("tor1:eth1", "has the switches"),
    ],
)
def test_a_port_that_leads_to_no_switch_is_answered_with_those_that_do(kind, at, wanted):
    with pytest.raises(SpecError, match=wanted):
        change(kind, at)


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("packet_loss", "loss_pct", 0),
        ("packet_loss", "loss_pct", 100),
        ("packet_corruption", "corruption_pct", -1),
        ("high_latency", "delay_ms", 0),
        ("high_latency", "delay_ms", 1e6),
        ("link_flapping", "down_s", 0),
    ],
)
def test_a_strength_that_makes_no_sense_is_refused(kind, key, value):
    with pytest.raises(SpecError, match=key):
        parse_fault(kind, {"at": "leaf1:eth1", key: value}, "test")


class Sick:
    """A fabric whose prober sees the fault from the start."""

    def __init__(self, overrun: int = 0) -> None:
        self.prober = FakeProber()
        self.prober.suffer(change("high_latency").effect)
        self.witness = Witness(FakeEyes(PLAN), self.prober)
        self.fabric = FakeFabric(PLAN, lambda where, argv: int(bool(overrun) and "show" in argv))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(injecting.time, "sleep", lambda seconds: None)


def test_figures_of_the_witness_are_in_the_receipts():
    sick = Sick()
    fault = parse_fault("high_latency", {"at": "leaf1:eth2"}, "test")
    with injected(sick.fabric, [fault], sick.witness, seed=1, deadline_s=0) as injection:
        seen = next(receipt for receipt in injection.receipts if receipt.step == "effect_before")
        assert "leaf1 (10.2.1.2) to spine2 (10.2.1.1): 400 of 400 probes arrive" in seen.counted
        assert "120.1 ms there" in injection.recheck().counted


def test_a_delay_that_lost_packets_spoils_the_case():
    sick = Sick(overrun=1)
    fault = parse_fault("high_latency", {"at": "leaf1:eth2"}, "test")
    with (
        injected(sick.fabric, [fault], sick.witness, seed=1, deadline_s=0) as injection,
        pytest.raises(InfraError) as stopped,
    ):
        injection.recheck()
    assert stopped.value.reason == "injection_failed"


def test_a_fault_that_the_prober_does_not_see_is_told_with_figures():
    healthy = Witness(FakeEyes(PLAN), FakeProber())
    fault = parse_fault("packet_loss", {"at": "leaf1:eth2"}, "test")
    with (
        pytest.raises(InfraError, match="400 of 400 probes arrive") as stopped,
        injected(FakeFabric(PLAN), [fault], healthy, seed=1, deadline_s=0),
    ):
        pytest.fail("the block must not be entered")
    assert stopped.value.reason == "effect_not_seen"
