"""Figures of a link against what was commanded: chance is allowed for, nothing else."""

import pytest
from fault_fakes import clos, like

from netopsbench.fabric.observe import LinkView, NodeState
from netopsbench.faults import wire_claims
from netopsbench.faults.catalog import change_of, parse_fault
from netopsbench.faults.contract import FlapClaim, PathClaim, Quality
from netopsbench.faults.snapshot import as_open
from netopsbench.faults.wire_claims import Measured, counted, flaps_unseen, is_unlike, probes_for

PLAN = clos()
CLEAN, LOSSY, DAMAGING, LATE = Quality(), Quality(loss_pct=30), Quality(corruption_pct=25), Quality(delay_ms=120)
EACH = [CLEAN, LOSSY, DAMAGING, LATE, Quality(loss_pct=30, corruption_pct=25, delay_ms=50)]
NAMES = ["clean", "lossy", "damaging", "late", "all three"]


def claim(quality: Quality) -> PathClaim:
    found = change_of(parse_fault("packet_loss", {"at": "leaf1:eth1"}, "test"), PLAN).effect.paths[0]
    return found.model_copy(update={"quality": quality, "probes": probes_for(quality)})


def unlike(quality: Quality, **changes: object) -> bool:
    """Whether ideal figures with these changes speak against the quality."""
    ideal = like(quality, probes_for(quality)).model_dump()
    return is_unlike(claim(quality), Measured.model_validate(ideal | changes))


@pytest.mark.parametrize("quality", EACH, ids=NAMES)
def test_ideal_figures_are_what_was_claimed(quality):
    assert not unlike(quality)


@pytest.mark.parametrize("quality", EACH, ids=NAMES)
@pytest.mark.parametrize("other", EACH, ids=NAMES)
def test_no_quality_passes_for_another(quality, other):
    if quality != other:
        assert is_unlike(claim(quality), like(other, probes_for(quality)))


@pytest.mark.parametrize("arrived", [280 - 42, 280 + 42])
def test_more_than_chance_allows_is_not_thirty_percent(arrived):
    assert unlike(LOSSY, arrived=arrived, returned=arrived)


@pytest.mark.parametrize("arrived", [280 - 35, 280 + 35])
def test_what_chance_allows_is_thirty_percent(arrived):
    assert not unlike(LOSSY, arrived=arrived, returned=arrived)


def test_one_lost_probe_is_too_many_for_a_clean_link():
    assert unlike(CLEAN, arrived=399, returned=399)


def test_a_reply_lost_on_the_way_back_is_another_fault():
    assert unlike(LOSSY, returned=279)


def test_a_slow_way_back_is_another_fault():
    assert unlike(LATE, back_ms=60.0)


@pytest.mark.parametrize(("there_ms", "is_wrong"), [(117.0, True), (118.5, False), (130.0, False), (150.0, True)])
def test_a_delay_may_be_late_on_a_busy_machine_but_hardly_early(there_ms, is_wrong):
    assert unlike(LATE, there_ms=there_ms) == is_wrong


def test_nothing_that_arrives_is_no_delay():
    assert unlike(LATE, arrived=0, returned=0, there_ms=None, back_ms=None)


def test_probes_that_could_not_be_sent_prove_nothing():
    assert unlike(LOSSY, sent=0, arrived=0, returned=0)


@pytest.mark.parametrize("loss_pct", [1, 3, 10, 30, 99])
def test_probes_enough_that_some_are_lost_in_all_likelihood(loss_pct):
    probes = probes_for(Quality(loss_pct=loss_pct))
    assert (1 - loss_pct / 100) ** probes < 1e-6
    assert probes <= 2_000


def test_figures_in_words_name_both_ends():
    assert counted(claim(LATE), like(LATE, 400)) == (
        "leaf1 (10.1.1.2) to spine1 (10.1.1.1): 400 of 400 probes arrive, 400 replies return, "
        "120.1 ms there, 0.1 ms back"
    )


def test_a_healthy_fabric_must_have_clean_links_where_a_fault_was():
    paths = change_of(parse_fault("high_latency", {"at": "leaf1:eth1"}, "test"), PLAN).effect.paths
    assert not paths[0].is_control
    assert all(path.is_control and path.quality == CLEAN for path in as_open(paths))


class Flapping:
    """A port that is seen in one state after the other, and its session with it."""

    def __init__(self, carriers: list[bool]) -> None:
        self._carriers = carriers
        self._now = carriers[0]

    def state(self, nodes):
        self._now = self._carriers.pop(0) if len(self._carriers) > 1 else self._carriers[0]
        link = LinkView(is_admin_up=True, has_carrier=self._now, mtu=9100)
        return {"leaf1": NodeState(links={"eth1": link}, addresses=(), neighbors=(), routes={})}

    def sessions(self, switches):
        return {"leaf1": {"10.1.1.1": "Established" if self._now else "Active"}}


def watch(carriers: list[bool], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    times = iter(range(1_000))
    monkeypatch.setattr(wire_claims.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(wire_claims.time, "sleep", lambda seconds: None)
    flap = FlapClaim.model_validate({"port": "leaf1:eth1", "neighbor": "10.1.1.1", "period_s": 8})
    return list(flaps_unseen(Flapping(carriers), [flap]))


def test_a_port_that_comes_and_goes_is_flapping(monkeypatch):
    assert watch([True, True, False, False, True], monkeypatch) == []


@pytest.mark.parametrize(
    ("is_up", "unseen"), [(True, ["without carrier", "without session"]), (False, ["with carrier"])]
)
def test_a_port_that_stays_as_it_is_does_not_flap(is_up, unseen, monkeypatch):
    assert watch([is_up], monkeypatch) == [f"leaf1:eth1 was never seen {what}" for what in unseen]


def test_a_port_that_flaps_slower_than_claimed_does_not_flap(monkeypatch):
    assert watch([True] * 30 + [False], monkeypatch)


def test_no_claim_needs_no_look():
    assert list(flaps_unseen(Flapping([True]), [])) == []
