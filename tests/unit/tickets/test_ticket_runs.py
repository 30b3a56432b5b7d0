"""What is refused before a run of tickets begins, what an answer may look like, and where a fix ends."""

import pytest
from fake_lab import FakeLab
from ticket_files import PUBLISHED, broken, false_premise

from netopsbench.campaign.ticket_plan import check_devices, chosen_tickets
from netopsbench.campaign.ticket_run import check_agents, entry_of
from netopsbench.campaign.ticket_trial import TicketTerms
from netopsbench.core.errors import SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Answer, Budget
from netopsbench.tickets import fixing
from netopsbench.tickets.convert import as_ticket, renamed
from netopsbench.tickets.fixing import carry_out
from netopsbench.tickets.model import Command
from netopsbench.tickets.published import read_scenario
from netopsbench.tickets.question import read_answer, ticket_question
from netopsbench.tickets.record import TicketSource

BUDGET = Budget(wall_time_s=60, tool_calls=50, turns=20)
PUBLISHED_TOOLS = TicketTerms(budget=BUDGET, tools="published")


def wanted(**which: tuple[str, ...]) -> TicketSource:
    """Some tickets of a lab."""
    return TicketSource(scenarios="shop", **which)


def test_an_agent_that_knows_our_tools_alone_is_refused_the_published_names() -> None:
    with pytest.raises(SpecError, match="'checks-first'; an agent that reads what tools there are"):
        check_agents(["nop", "checks-first"], PUBLISHED_TOOLS)
    check_agents(["nop", "oracle"], PUBLISHED_TOOLS)
    check_agents(["checks-first"], TicketTerms(budget=BUDGET))


def test_the_question_names_the_tools_that_are_offered() -> None:
    own = ticket_question(false_premise(), BUDGET).text
    published = ticket_question(false_premise(), BUDGET, "published").text
    assert "get_topology" in own
    assert "get_topology" not in published
    assert "systemctl_ops and frr_exec can change devices" in published


def test_devices_that_the_lab_lacks_are_named_before_anything_starts() -> None:
    plan = plan_fabric(load_spec("simple_bgp"))
    with pytest.raises(SpecError, match="broken: device is 'r10'; the lab simple_bgp has: pc1, pc2, router1, router2"):
        check_devices([broken()], plan)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (wanted(ids=("nothing",)), "--only is 'nothing'; one of broken, premise"),
        (wanted(personas=("poet",)), "--persona is 'poet'"),
        (wanted(personas=("novice",)), "a voice that tickets here have"),
    ],
)
def test_tickets_and_voices_that_there_are_not_are_named(asked: TicketSource, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        chosen_tickets([broken(), false_premise()], asked)


def test_the_standard_voice_is_chosen_unless_somebody_says_otherwise() -> None:
    novice = false_premise("novice", persona="novice", parent="premise")
    found = [broken(), novice]
    assert chosen_tickets(found, wanted()) == [found[0]]
    assert chosen_tickets(found, wanted(personas=("novice",))) == [novice]
    assert chosen_tickets(found, wanted(ids=("novice",))) == [novice]


def test_imported_tickets_call_devices_as_the_running_lab_does() -> None:
    ticket = as_ticket(read_scenario(PUBLISHED, "x.txt").scenario, "standard")
    moved = renamed(ticket, {"gw10": "gw-10", "gw1": "gw-1"})
    assert moved.devices == {"gw-10", "gw-1"}
    assert (moved.text, moved.culprits, moved.blamed) == (ticket.text, {"gw-10"}, ("gw-1",))


def test_the_oracle_answers_from_the_key() -> None:
    entry = entry_of("oracle", broken())
    assert (entry.agent, entry.options["answer"]["verdict"]) == ("constant", "fault_detected")


@pytest.mark.parametrize("name", ["**r10**", "`r10`", " r10 ", "__r10__"])
def test_markdown_around_a_device_is_no_part_of_its_name(name: str) -> None:
    finding = {"fault_type": "port down", "location": {"device": name}}
    fix = [{"on": name, "run": "ip link set eth1 up"}]
    answer = Answer.model_validate({"verdict": "fault_detected", "findings": [finding], "metadata": {"fix": fix}})
    read = read_answer(answer, ["r1", "r10"])
    assert (read.devices, [command.on for command in read.fix]) == (("r10",), ["r10"])


def test_a_diagnosis_block_in_the_reasoning_counts_where_there_is_no_verdict() -> None:
    block = (
        "**=== DIAGNOSIS ===**\n**is_anomaly:** true\nfaulty_devices: `r10`\ndiagnosis_text:\nport down\n=== END ==="
    )
    read = read_answer(Answer.model_validate({"verdict": "inconclusive", "reasoning": block}), ["r10"])
    assert (read.is_anomaly, read.devices, read.text) == (True, ("r10",), "port down")
    healthy = read_answer(Answer.model_validate({"verdict": "network_healthy", "reasoning": block}), ["r10"])
    assert healthy.is_anomaly is False


def test_a_fix_ends_after_so_many_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixing, "MOST_COMMANDS", 2)
    lab = FakeLab()
    done = carry_out(false_premise(), [Command(on="r1", run="on")] * 3, lab, lab.findings, settle_s=0)
    assert [line for _, line in lab.ran] == ["on", "on"]
    assert done.failed == ("r1: on (not run: a fix has 2 commands and 120 s)",)


def test_a_fix_ends_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixing, "LONGEST_S", 0.0)
    lab = FakeLab()
    done = carry_out(false_premise(), [Command(on="r1", run="on")], lab, lab.findings, settle_s=0)
    assert (lab.ran, len(done.failed)) == ([], 1)
