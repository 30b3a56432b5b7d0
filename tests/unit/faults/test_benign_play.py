"""Harmless events are played to their end, saved like any edit, and proven to have left nothing behind."""

import pytest
from fault_fakes import FakeEyes, FakeFabric, FakeProber, clos

from netopsbench.core.errors import InfraError
from netopsbench.fabric.queries import expected_sessions
from netopsbench.faults.benign import BenignEvent
from netopsbench.faults.benign_play import play
from netopsbench.faults.contract import Effect, SessionClaim, configure, vtysh
from netopsbench.faults.snapshot import take
from netopsbench.faults.witness import Witness


class Lab:
    """A fabric whose sessions do what the commands say."""

    def __init__(self, breaks: str = "", mends: str = "") -> None:
        self.plan = clos()
        self.eyes = FakeEyes(self.plan)
        self.fabric = FakeFabric(self.plan, self._answer)
        self.witness = Witness(self.eyes, FakeProber())
        self.before = take(self.eyes, self.plan)
        self.neighbor = next(iter(expected_sessions(self.plan)["leaf1"]))
        self.lost = SessionClaim(switch="leaf1", neighbor=self.neighbor, is_established=False)
        self._breaks, self._mends = breaks, mends

    def _answer(self, where: str, argv: list[str]) -> int:
        if self._mends and self._mends in argv:
            self.eyes.recover()
        elif self._breaks and self._breaks in argv:
            self.eyes.suffer(Effect(sessions=(self.lost,)))
        return 0

    def play(self, *events: BenignEvent, deadline_s: float = 0.0):
        return play(self.fabric, events, self.witness, self.before, deadline_s=deadline_s)

    def bounce(self) -> BenignEvent:
        return BenignEvent(
            what="port leaf1:eth1 bounced",
            switch="leaf1",
            pause_s=0,
            do=(configure("leaf1", "interface eth1", "shutdown"),),
            undo=(configure("leaf1", "interface eth1", "no shutdown"),),
            saves=("leaf1",),
            loses=(self.lost,),
        )


def remark(switch: str) -> BenignEvent:
    return BenignEvent(
        what="remark",
        switch=switch,
        pause_s=0,
        do=(configure(switch, "interface lo", "description x"),),
        saves=(switch,),
    )


def test_an_edit_is_typed_and_then_saved_on_its_switch():
    lab = Lab()
    (receipt,) = lab.play(remark("leaf2"))
    assert [(where, argv[-1]) for where, argv in lab.fabric.calls] == [
        ("leaf2", "description x"),
        ("leaf2", "write memory"),
    ]
    assert receipt.step == "benign"
    assert receipt.is_as_expected
    assert "description x" in receipt.what


def test_what_edits_nothing_saves_nothing():
    lab = Lab()
    event = remark("leaf1").model_copy(update={"saves": (), "do": (vtysh("leaf1", "show version"),)})
    lab.play(event)
    assert [argv[-1] for _, argv in lab.fabric.calls] == ["show version"]


def test_an_interruption_is_seen_and_over_before_the_next_event():
    lab = Lab(breaks="shutdown", mends="no shutdown")
    first, second = lab.play(lab.bounce(), remark("spine1"))
    assert "session lost" in first.seen
    assert first.is_as_expected
    assert second.t_ns >= first.t_ns
    assert [argv[-1] for _, argv in lab.fabric.calls] == [
        "shutdown",
        "no shutdown",
        "write memory",
        "description x",
        "write memory",
    ]


def test_what_an_event_leaves_behind_ends_the_trial():
    lab = Lab(breaks="shutdown")
    with pytest.raises(InfraError, match=r"port leaf1:eth1 bounced.*session") as left:
        lab.play(lab.bounce())
    assert left.value.reason == "not_restored"


def test_a_port_is_opened_again_whatever_happens_meanwhile():
    lab = Lab(breaks="shutdown", mends="no shutdown")

    def gone(switches):
        raise InfraError("telemetry_failed", "the witness is gone")

    lab.eyes.sessions = gone
    with pytest.raises(InfraError, match="gone"):
        lab.play(lab.bounce())
    assert lab.fabric.calls[-1][1][-1] == "no shutdown"


def test_a_command_that_fails_ends_the_trial():
    lab = Lab()
    lab.fabric.answer = lambda where, argv: 1
    with pytest.raises(InfraError) as failed:
        lab.play(remark("leaf1"))
    assert failed.value.reason == "injection_failed"


def test_no_events_give_no_receipts_and_no_commands():
    lab = Lab()
    assert lab.play() == ()
    assert lab.fabric.calls == []


def test_a_counting_rule_is_left_out_where_there_are_no_packet_filters():
    lab = Lab()
    lab.fabric.answer = lambda where, argv: int(argv[0] == "nft")
    event = remark("leaf1").model_copy(update={"is_filter": True})
    (receipt,) = lab.play(event)
    assert "left out" in receipt.seen
    assert [argv for _, argv in lab.fabric.calls] == [["nft", "list", "tables"]]
