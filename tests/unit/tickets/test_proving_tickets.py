"""A ticket is proven on its lab, and what is wrong with it is named."""

import pytest
from fake_lab import FakeLab
from ticket_files import broken, false_premise

from netopsbench.tickets.model import Check, Claim, Command, Ticket
from netopsbench.tickets.proving import Proof, prove

UP, DOWN = Check(on="r10", run="look", expect="up"), Check(on="r10", run="look", expect="down")
OTHER_DOWN = Check(on="r1", run="look", expect="down")


def _ticket(**changes: object) -> Ticket:
    ticket = broken()
    assert ticket.fault is not None
    fault = {
        "inject": (Command(on="r10", run="off"),),
        "effect": (DOWN,),
        "fix": (Command(on="r10", run="on"),),
        "fixed": (UP,),
    }
    claims = changes.pop("claims", (Claim(says="r10 is down", is_true=True, check=DOWN),))
    return ticket.model_copy(
        update={"fault": ticket.fault.model_copy(update=fault | changes), "claims": claims},
    )


def _proof(ticket: Ticket, lab: FakeLab | None = None) -> Proof:
    lab = lab or FakeLab()
    return prove(ticket, lab, lab.findings, settle_s=0)


def test_a_good_ticket_is_valid_and_leaves_the_lab_healthy() -> None:
    lab = FakeLab()
    proof = _proof(_ticket(), lab)
    assert proof.problems == ()
    assert proof.is_valid
    assert lab.findings() == []
    assert [seen.stage for seen in proof.observations] == ["healthy", "healthy", *["broken"] * 3, "fixed", "fixed"]


def test_a_false_premise_is_proven_without_touching_anything() -> None:
    lab = FakeLab()
    ticket = false_premise().model_copy(update={"claims": (Claim(says="r10 is down", is_true=False, check=DOWN),)})
    assert _proof(ticket, lab).is_valid
    assert {line for _, line in lab.ran} == {"look"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"effect": (UP,)}, "healthy: r10: look => up holds"),
        ({"effect": (OTHER_DOWN,)}, "broken: r1: look => down does not hold"),
        ({"fixed": (Check(on="r1", run="look", expect="up"),)}, "broken: r1: look => up holds"),
        ({"inject": (Command(on="r10", run="explode"),)}, "explode ended with 127: explode: not found"),
        ({"fix": (Command(on="r1", run="on"),)}, "fixed: r10: look => up does not hold"),
        ({"inject": (Command(on="r10", run="off"), Command(on="r1", run="off"))}, "not restored: r1 is down"),
        ({"claims": (Claim(says="r1 is fine", is_true=False, check=OTHER_DOWN),)}, ""),
        ({"claims": (Claim(says="r1 is down", is_true=True, check=OTHER_DOWN),)}, "claim 'r1 is down': broken"),
        ({"claims": (Claim(says="r10 is down", is_true=False, check=DOWN),)}, "claim 'r10 is down': broken"),
    ],
)
def test_what_is_wrong_with_a_ticket_is_named(changes: dict[str, object], said: str) -> None:
    problems = _proof(_ticket(**changes)).problems
    assert any(said in problem for problem in problems) if said else problems == ()


def test_a_lab_that_is_ill_already_proves_nothing() -> None:
    lab = FakeLab()
    lab.is_up["r3"] = False
    proof = _proof(_ticket(), lab)
    assert proof.problems == ("not healthy before: r3 is down",)
    assert ("r10", "off") not in lab.ran


def test_a_fault_that_doesnt_take_is_named() -> None:
    assert any("broken: r10: look => down" in problem for problem in _proof(_ticket(), FakeLab(["off"])).problems)
