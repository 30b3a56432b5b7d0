"""A proposed fix is carried out, and checks on both sides decide."""

import pytest
from fake_lab import FakeLab
from ticket_files import broken, false_premise

from netopsbench.records.answers import Answer, Budget, Finding, Location
from netopsbench.tickets.fixing import NO_CHECK, carry_out, deciding_checks
from netopsbench.tickets.model import Check, Command, Ticket
from netopsbench.tickets.question import read_answer, ticket_question


def _ticket() -> Ticket:
    ticket = broken()
    assert ticket.fault is not None
    checks = {
        "effect": (Check(on="r10", run="look", expect="down"),),
        "fixed": (Check(on="r10", run="look", expect="up"),),
    }
    return ticket.model_copy(update={"fault": ticket.fault.model_copy(update=checks)})


@pytest.mark.parametrize(
    ("fix", "score"),
    [
        ([("r10", "on")], 1.0),
        ([("r10", "on"), ("r1", "off")], 0.5),
        ([("r1", "on")], 0.0),
        ([], 0.0),
    ],
)
def test_a_fix_is_worth_what_it_does(fix: list[tuple[str, str]], score: float) -> None:
    lab = FakeLab()
    lab.is_up["r10"] = False
    commands = [Command(on=device, run=line) for device, line in fix]
    assert carry_out(_ticket(), commands, lab, lab.findings, settle_s=0).score == score


@pytest.mark.parametrize(
    ("fix", "why"),
    [
        (["r10: on"], "the fault is gone, and the lab is healthy"),
        (["r10: on", "r1: off"], "the fault is gone, and something else is wrong now"),
        (["r1: on"], "on r10, `look` should show “up” and does not"),
        ([], "no commands were proposed; on r10, `look` should show “up” and does not"),
    ],
)
def test_what_decided_about_a_fix_is_told(fix: list[str], why: str) -> None:
    lab = FakeLab()
    lab.is_up["r10"] = False
    commands = [Command(on=on, run=run) for on, run in (line.split(": ") for line in fix)]
    assert carry_out(_ticket(), commands, lab, lab.findings, settle_s=0).why == why


def test_a_fix_of_a_ticket_without_checks_gets_no_figure_and_the_reason() -> None:
    ticket = broken()
    assert ticket.fault is not None
    unchecked = ticket.model_copy(update={"fault": ticket.fault.model_copy(update={"effect": (), "fixed": ()})})
    lab = FakeLab()
    lab.is_up["r10"] = False
    done = carry_out(unchecked, [], lab, lab.findings, settle_s=0)
    assert (done.score, done.why, done.harm) == (None, NO_CHECK, "none")


def test_commands_that_fail_are_told() -> None:
    lab = FakeLab()
    lab.is_up["r10"] = False
    done = carry_out(_ticket(), [Command(on="r10", run="explode")], lab, lab.findings, settle_s=0)
    assert done.failed == ("r10: explode",)


def test_repairing_a_healthy_lab_is_nothing_unless_it_breaks() -> None:
    lab = FakeLab()
    harmless = carry_out(false_premise(), [Command(on="r1", run="on")], lab, lab.findings, settle_s=0)
    assert (harmless.score, harmless.harm) == (None, "none")
    harmful = carry_out(false_premise(), [Command(on="r1", run="off")], lab, lab.findings, settle_s=0)
    assert (harmful.score, harmful.harm, harmful.findings) == (0.0, "disturbed", ("r1 is down",))


def test_the_question_holds_the_tickets_text_and_nothing_of_its_key() -> None:
    ticket = _ticket().model_copy(update={"id": "r10-port-off"})
    assert ticket.fault is not None
    question = ticket_question(ticket, Budget(wall_time_s=60, tool_calls=50, turns=20)).model_dump_json()
    assert ticket.text in question
    for secret in (ticket.id, ticket.fault.cause, ticket.fault.family, ticket.claims[0].says, ticket.ticket_class):
        assert secret not in question


def test_the_question_tells_the_budget_of_turns_only_where_there_is_one() -> None:
    text = ticket_question(_ticket(), Budget(wall_time_s=60, tool_calls=50)).text
    assert "turns" not in text
    told = ticket_question(_ticket(), Budget(wall_time_s=60, tool_calls=50, turns=20))
    hidden = ticket_question(_ticket(), Budget(wall_time_s=60, tool_calls=50, turns=20, tells_turns=False))
    assert "you have 20 turns" in told.text
    assert (hidden.text, hidden.budget.turns) == (text, 20)


def test_an_answer_is_read_with_its_fix() -> None:
    fix = [{"on": "r10", "run": "on"}, {"on": "nowhere", "run": "on"}, "restart it", {"on": "r1"}]
    finding = Finding(fault_type="port down", location=Location(device="r10"))
    answer = Answer(verdict="fault_detected", findings=(finding,), reasoning="why", metadata={"fix": fix})
    read = read_answer(answer, ["r1", "r10"])
    assert (read.is_anomaly, read.devices, read.text) == (True, ("r10",), "why\nport down")
    assert read.fix == (Command(on="r10", run="on"),)


@pytest.mark.parametrize(("verdict", "is_anomaly"), [("network_healthy", False), ("inconclusive", None)])
def test_verdicts_become_anomalies_or_none(verdict: str, is_anomaly: bool | None) -> None:
    answer = Answer.model_validate({"verdict": verdict, "metadata": {"fix": "restart"}})
    assert read_answer(answer, []).is_anomaly is is_anomaly
    assert read_answer(answer, []).fix == ()


def test_what_a_good_fix_has_to_show_is_told_once_and_without_double_negation() -> None:
    ticket = broken()
    assert ticket.fault is not None
    checks = {
        "effect": (
            Check(on="r1", run="route", expect="empty"),
            Check(on="r1", run="ping", expect="loss>0"),
            Check(on="r1", run="log", expect="nonempty"),
        ),
        "fixed": (Check(on="r1", run="route", expect="nonempty"), Check(on="r1", run="ping", expect="0% loss")),
    }
    told = deciding_checks(ticket.model_copy(update={"fault": ticket.fault.model_copy(update=checks)}))
    assert told == [
        "on r1, `route` shows some output",
        "on r1, `ping` shows no packet loss",
        "on r1, `ping` no longer shows packet loss",
        "on r1, `log` shows no output",
    ]
    assert deciding_checks(false_premise()) == []
