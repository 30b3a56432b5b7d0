"""The tickets of this package: how many, by whom, and that nothing but the text differs between voices."""

from collections import Counter
from statistics import mean

import pytest

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.tickets.identifiers import identifiers
from netopsbench.tickets.load import load_tickets, shipped_folder, shipped_labs, ticket_problems
from netopsbench.tickets.model import PERSONAS, REWRITES, Ticket

PUBLISHED_MEANS = {
    "standard": 3.2,
    "novice": 1.9,
    "novice-confident": 1.9,
    "naive": 2.1,
    "naive-unsure": 2.1,
    "naive-no-detail": 0.0,
}
CORE = {"correct-fault": 10, "false-premise": 9, "wrong-device": 3, "wrong-cause": 3}
RUN_OF_WORDS = 7


@pytest.fixture(scope="module")
def by_lab() -> dict[str, list[Ticket]]:
    return {lab: load_tickets(shipped_folder(lab)) for lab in shipped_labs()}


def test_each_lab_has_every_class_and_every_voice(by_lab: dict[str, list[Ticket]]) -> None:
    assert len(by_lab) >= 4
    for tickets in by_lab.values():
        assert Counter(t.ticket_class for t in tickets if t.persona == "standard") == CORE
        assert Counter(t.persona for t in tickets if t.persona != "standard") == dict.fromkeys(REWRITES, 9)


def test_tickets_name_only_devices_that_their_lab_has(by_lab: dict[str, list[Ticket]]) -> None:
    for lab, tickets in by_lab.items():
        devices = [node.name for node in plan_fabric(load_spec(lab)).nodes]
        assert [str(p) for ticket in tickets for p in ticket_problems(ticket, ticket.id, devices)] == []


def test_a_rewrite_differs_from_its_parent_in_the_text_alone(by_lab: dict[str, list[Ticket]]) -> None:
    same = {"id", "parent", "persona", "text"}
    for tickets in by_lab.values():
        by_id = {ticket.id: ticket for ticket in tickets}
        for ticket in tickets:
            if ticket.parent:
                assert ticket.model_dump(exclude=same) == by_id[ticket.parent].model_dump(exclude=same)
                assert ticket.text != by_id[ticket.parent].text


def test_each_voice_gives_away_as_much_as_in_the_published_set(by_lab: dict[str, list[Ticket]]) -> None:
    premises = [t for tickets in by_lab.values() for t in tickets if t.ticket_class == "false-premise"]
    for persona in PERSONAS:
        counts = [len(identifiers(ticket.text)) for ticket in premises if ticket.persona == persona]
        assert mean(counts) == pytest.approx(PUBLISHED_MEANS[persona], abs=0.3), persona


def test_tone_changes_no_identifier_and_the_last_voice_has_none(by_lab: dict[str, list[Ticket]]) -> None:
    for tickets in by_lab.values():
        by_id = {ticket.id: ticket for ticket in tickets}
        for ticket in tickets:
            found = identifiers(ticket.text)
            if ticket.persona == "novice-confident":
                assert found == identifiers(by_id[f"{ticket.parent}-novice"].text), ticket.id
            if ticket.persona == "naive-unsure":
                assert found == identifiers(by_id[f"{ticket.parent}-naive"].text), ticket.id
            if ticket.persona == "naive-no-detail":
                assert not found, ticket.id


def test_no_two_tickets_are_alike_in_wording(by_lab: dict[str, list[Ticket]]) -> None:
    """A run of seven words stands in one ticket and its rewrites only."""
    owners: dict[tuple[str, ...], str] = {}
    for lab, tickets in by_lab.items():
        for ticket in tickets:
            words = ticket.text.lower().split()
            owner = f"{lab}/{ticket.parent or ticket.id}"
            for start in range(len(words) - RUN_OF_WORDS + 1):
                run = tuple(words[start : start + RUN_OF_WORDS])
                assert owners.setdefault(run, owner) == owner, (" ".join(run), ticket.id)
    texts = [ticket.text for tickets in by_lab.values() for ticket in tickets]
    assert len(set(texts)) == len(texts)


def test_a_ticket_doesnt_tell_its_class(by_lab: dict[str, list[Ticket]]) -> None:
    for tickets in by_lab.values():
        for ticket in tickets:
            told = [word for word in ("false premise", "misdirected", "misdescribed", "persona") if word in ticket.text]
            assert told == [], ticket.id
