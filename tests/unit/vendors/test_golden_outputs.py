"""Every command of every vendor prints exactly what stands in its golden file.

After a wanted change: `python tests/unit/vendors/test_golden_outputs.py` writes the files anew, and their difference
is read before it is kept.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from known_facts import KnownDevice

from netopsbench.vendors.command import Command, View
from netopsbench.vendors.grammar import Blank, Form, Word
from netopsbench.vendors.names import NAMES, NEEDS, VENDORS, Vendor
from netopsbench.vendors.table import TABLE, commands_for, read

GOLDEN = Path(__file__).parent / "golden"
VALUES = {
    "address": "10.255.0.4",
    "mask": "32",
    "prefix": "10.255.0.4/32",
    "name": "FABRIC-IN",
    "count": "3",
    "size": "100",
}
NEIGHBORS: dict[str, Vendor] = {"spine1": "huawei", "client1": "linux"}


def typed(vendor: Vendor, form: Form) -> str:
    return " ".join(each.text if isinstance(each, Word) else value(vendor, each) for each in form)


def value(vendor: Vendor, blank: Blank) -> str:
    return NAMES[vendor].of("eth1") if blank.name in ("interface", "source") else VALUES[blank.name]


def printed(command: Command, line: str) -> str:
    asked = read(command.vendor, line)
    view = View("leaf1", command.vendor, asked.words, asked.arguments, NEIGHBORS)
    return asked.command.answer(KnownDevice(), view)


def shown(command: Command) -> Iterator[str]:
    """Each form once; of a ping's many orders of options the shortest and the longest."""
    forms = command.forms if command.need != "ping" else (command.forms[0], max(command.forms, key=len))
    for form in forms:
        line = typed(command.vendor, form)
        yield f"$ {line}\n{printed(command, line)}\n"


def whole(vendor: Vendor, need: str) -> str:
    return "\n".join(
        text for command in TABLE if (command.vendor, command.need) == (vendor, need) for text in shown(command)
    )


PAIRS = list(dict.fromkeys((command.vendor, command.need) for command in TABLE))


@pytest.mark.parametrize(("vendor", "need"), PAIRS, ids=lambda each: each)
def test_output_is_the_golden_one(vendor: Vendor, need: str) -> None:
    assert whole(vendor, need) == (GOLDEN / vendor / f"{need}.txt").read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {(path.parent.name, path.stem) for path in GOLDEN.glob("*/*.txt")} == set(PAIRS)


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_vendor_answers_every_need_that_its_devices_can_answer(vendor: Vendor) -> None:
    missing = {need for need in NEEDS if not commands_for(vendor, need)}
    only_router = {
        "running_config", "route_table", "bgp_summary", "bgp_peer", "bgp_table", "ospf_neighbors", "isis_neighbors",
        "bfd", "route_policy", "prefix_list", "vrrp",
    }  # fmt: skip
    only_frr = set() if vendor == "frr" else {"evpn"}
    assert missing == only_frr | (only_router if vendor == "linux" else set())


if __name__ == "__main__":
    for vendor, need in PAIRS:
        (GOLDEN / vendor).mkdir(parents=True, exist_ok=True)
        (GOLDEN / vendor / f"{need}.txt").write_text(whole(vendor, need), encoding="utf-8")
