"""Tickets as files: read, refused, exported, imported."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from ticket_files import PUBLISHED, broken, false_premise
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.errors import SpecError
from netopsbench.tickets.convert import as_scenario, as_ticket, published_path, what_imports_lack
from netopsbench.tickets.load import load_tickets, ticket_problems
from netopsbench.tickets.model import Ticket
from netopsbench.tickets.published import read_scenario
from netopsbench.tickets.published_write import write_scenario

REWRITE = {
    "id": "premise-novice",
    "parent": "premise",
    "persona": "novice",
    "text": "hi, nothing works up here on floor two, please help",
}


def _write(folder: Path, *tickets: Ticket, **others: dict[str, Any]) -> Path:
    for ticket in tickets:
        (folder / f"{ticket.id}.yaml").write_text(yaml.safe_dump(ticket.model_dump(mode="json")))
    for name, content in others.items():
        (folder / f"{name.replace('_', '-')}.yaml").write_text(yaml.safe_dump(content))
    return folder


def test_a_rewrite_has_everything_but_the_text_from_its_parent(tmp_path: Path) -> None:
    parent, rewrite = load_tickets(_write(tmp_path, false_premise(), premise_novice=REWRITE))
    changed = {"id", "parent", "persona", "text"}
    assert rewrite.model_dump(exclude=changed) == parent.model_dump(exclude=changed)
    assert (rewrite.text, rewrite.parent) == (REWRITE["text"], "premise")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"parent": "nobody"}, "id of a ticket in the standard voice"),
        ({"parent": "broken"}, "rewrites are of false-premise tickets"),
        ({"persona": "standard"}, "rewrites are of false-premise tickets"),
        ({"id": "other"}, "as the file is called"),
        ({"persona": "angry"}, "one of 'standard'"),
    ],
)
def test_wrong_rewrites_are_refused(tmp_path: Path, change: dict[str, str], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        load_tickets(_write(tmp_path, false_premise(), broken(), premise_novice=REWRITE | change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"claims": ()}, "each statement of the ticket"),
        ({"blamed": ("r1",)}, "`not_identifies` for each device blamed"),
        ({"axes": false_premise().axes}, "`identifies` for each culprit"),
        ({"ticket_class": "wrong-cause"}, "a true symptom and a false claim"),
        ({"ticket_class": "wrong-device"}, "blames a device that is innocent"),
    ],
)
def test_contradictions_in_a_ticket_are_named(change: dict[str, object], said: str) -> None:
    wrong = broken().model_copy(update=change)
    assert any(said in str(problem) for problem in ticket_problems(wrong, "f"))


def test_a_healthy_network_with_a_fault_is_refused() -> None:
    raw = broken().model_dump(mode="json") | {"ticket_class": "false-premise"}
    with pytest.raises(ValueError, match="a false-premise ticket has no fault"):
        Ticket.model_validate(raw)


def test_devices_that_the_lab_lacks_and_unknown_conditions_are_named() -> None:
    ticket = broken()
    assert ticket_problems(ticket, "f", ["r10", "pc1"]) == []
    assert ["there is" in str(p) or "'pc1'" in str(p) for p in ticket_problems(ticket, "f", ["r10"])] == [True]
    claim = ticket.claims[0]
    vague = claim.model_copy(update={"check": claim.check.model_copy(update={"expect": "fine"})})
    assert any(
        "a condition: 0% loss" in str(p) for p in ticket_problems(ticket.model_copy(update={"claims": (vague,)}), "f")
    )


def test_all_mistakes_of_a_folder_come_at_once(tmp_path: Path) -> None:
    _write(tmp_path, false_premise(), other={"id": "other", "lab": "shop"}, premise_novice=REWRITE | {"parent": "x"})
    with pytest.raises(SpecError) as wrong:
        load_tickets(tmp_path)
    assert {problem.source.rsplit("/", 1)[-1] for problem in wrong.value.problems} == {
        "other.yaml",
        "premise-novice.yaml",
    }


def test_a_published_scenario_becomes_a_ticket() -> None:
    ticket = as_ticket(read_scenario(PUBLISHED, "f").scenario, "standard")
    assert (ticket.ticket_class, ticket.culprits, ticket.blamed) == ("wrong-device", {"gw10"}, ("gw1",))
    assert ticket.fault is not None
    assert ticket.fault.inject[0].run.startswith("ip link set eth2 down\n")
    assert len(ticket.fault.effect) == 2


def test_checks_that_hold_whatever_is_printed_are_no_checks_of_an_imported_ticket() -> None:
    vague = PUBLISHED.replace("expect down", "expect a dead port").replace("expect 0% loss", "expect trouble")
    tickets = [as_ticket(read_scenario(text, "f").scenario, "standard") for text in (PUBLISHED, vague)]
    assert [len(ticket.fault.effect) for ticket in tickets if ticket.fault] == [2, 0]
    assert len(what_imports_lack(tickets[:1])) == 1
    assert what_imports_lack(tickets)[1].endswith(f"so fixes get no figure: {tickets[1].id}")


@pytest.mark.parametrize("ticket", [false_premise(), broken(), broken("x", "wrong-device", blamed=("r1",))])
def test_an_exported_ticket_reads_back_as_itself(ticket: Ticket) -> None:
    scenario = as_scenario(ticket)
    read = read_scenario(write_scenario(scenario), "f")
    assert read.problems == ()
    assert read.scenario == scenario
    back = as_ticket(read.scenario, "standard")
    assert (back.ticket_class, back.text, back.culprits) == (ticket.ticket_class, ticket.text, ticket.culprits)


def test_files_are_exported_to_the_published_folders() -> None:
    assert published_path(broken()) == "shop_Q/base/broken.txt"
    assert published_path(broken("x", "wrong-device", blamed=("r1",))) == "shop_Q/cex/x-misdirected.txt"
    naive = false_premise("premise-naive", "naive", "premise")
    assert published_path(naive) == "shop_Q/naive/premise-naive-false-premise.txt"


def test_import_and_check_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(PUBLISHED)
    strict = CliRunner().invoke(app, ["tickets", "import", str(tmp_path / "one.txt")])
    assert strict.exit_code == 2
    assert "by substring" in strict.stderr
    out = tmp_path / "out"
    compat = CliRunner().invoke(app, ["tickets", "import", str(tmp_path / "one.txt"), "--compat", "--out", str(out)])
    assert compat.exit_code == 0
    assert "1 scenarios: 1 wrong-device" in compat.stderr
    assert "imported tickets have no claims and no commands that fix them" in " ".join(compat.stderr.split())
    written = yaml.safe_load((out / "Shop/standard/shop-till2-link-misdirected.yaml").read_text())
    assert written["text"].splitlines()[1] == "  - I think gw1 broke."
    refused = CliRunner().invoke(app, ["tickets", "check", str(out)])
    assert refused.exit_code == 2
    assert "each statement of the ticket" in refused.stderr
