"""Command lines that answer from a recording: what was asked is answered as before, and nothing else."""

from itertools import islice

import pytest
from known_facts import KnownDevice

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.vendors.lines import CommandLineRules, CommandLines
from netopsbench.vendors.names import VENDORS, Vendor
from netopsbench.vendors.recorded import FactBook, record_device, usual_lines

TARGETS = ("10.255.0.4", "192.168.102.2")


def book_of(vendor: Vendor) -> FactBook:
    recorded = record_device("leaf1", vendor, KnownDevice(), usual_lines(vendor, TARGETS))
    return FactBook.model_validate_json(FactBook(records=recorded).model_dump_json())


def rules_of(vendor: Vendor) -> CommandLineRules:
    return CommandLineRules(vendors={"leaf1": vendor})


@pytest.mark.parametrize("vendor", VENDORS)
def test_replayed_answers_are_those_of_the_device(vendor: Vendor, plan: FabricPlan) -> None:
    book = book_of(vendor)
    live, replayed = CommandLines(plan, rules_of(vendor)), CommandLines(plan, rules_of(vendor), book)
    for line in usual_lines(vendor, TARGETS):
        expected = live.answer("leaf1", line, KnownDevice())
        assert replayed.answer("leaf1", line, book.device("leaf1")) == expected


def test_what_asks_for_the_same_is_answered_however_it_is_written(plan: FabricPlan) -> None:
    book = book_of("cisco")
    lines = CommandLines(plan, rules_of("cisco"), book)
    assert "Null0" in lines.answer("leaf1", "sh ip ro static | i Null", book.device("leaf1"))
    assert "!!!" in lines.answer("leaf1", "ping ip 10.255.0.4", book.device("leaf1"))
    assert "10.1.1.2/30" in lines.answer("leaf1", "sh int gi0/1", book.device("leaf1"))


@pytest.mark.parametrize(
    ("vendor", "line"),
    [
        ("cisco", "ping 10.255.0.4 repeat 5"),
        ("cisco", "ping 10.255.0.4 size 56"),
        ("arista", "ping 10.255.0.4 size 56 repeat 5"),
        ("huawei", "ping -c 5 -s 56 10.255.0.4"),
        ("linux", "ping -s 56 -c 5 10.255.0.4"),
    ],
)
def test_a_ping_that_says_the_usual_is_the_one_that_says_nothing(plan: FabricPlan, vendor: Vendor, line: str) -> None:
    book = book_of(vendor)
    answer = CommandLines(plan, rules_of(vendor), book).answer("leaf1", line, book.device("leaf1"))
    assert "10.255.0.4" in answer.partition("\n")[2]


def test_what_was_not_asked_is_refused_with_the_published_words(plan: FabricPlan) -> None:
    book = book_of("cisco")
    lines = CommandLines(plan, rules_of("cisco"), book)
    for device, line in (("leaf1", "ping 10.9.9.9"), ("leaf1", "ping 10.255.0.4 repeat 3")):
        with pytest.raises(ToolError, match="No permission to perform the operation") as caught:
            lines.answer(device, line, book.device(device))
        assert caught.value.kind == "not_recorded"


def test_a_device_that_does_not_tell_is_left_out() -> None:
    silent = KnownDevice()
    silent.known.clear()
    assert record_device("leaf1", "cisco", silent, usual_lines("cisco", TARGETS)) == ()
    assert list(islice(usual_lines("linux", ()), 1)) == ["cat /etc/frr/*.conf"]


def test_a_book_keeps_devices_apart(plan: FabricPlan) -> None:
    book = book_of("cisco")
    lines = CommandLines(plan, CommandLineRules(vendors={"leaf1": "cisco", "leaf2": "cisco"}), book)
    with pytest.raises(ToolError, match="No permission"):
        lines.answer("leaf2", "show ip route", book.device("leaf2"))
