"""What somebody types, as a command of the table."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netopsbench.vendors.command import Command
from netopsbench.vendors.complaints import complaint
from netopsbench.vendors.grammar import Form, Word, forms_of
from netopsbench.vendors.names import NAMES, NEEDS, VENDORS, Need, Vendor
from netopsbench.vendors.parse import CommandMistakeError
from netopsbench.vendors.table import TABLE, commands_for, golden, help_at, needs_of, read


@pytest.mark.parametrize(
    ("vendor", "line", "full", "arguments"),
    [
        ("cisco", "sh ip int br", "show ip interface brief", {}),
        ("cisco", "  show   ip  route 10.0.0.1 ", "show ip route 10.0.0.1", {"address": "10.0.0.1"}),
        ("cisco", "sh ip ro 10.0.0.0 255.0.0.0", "show ip route 10.0.0.0 8", {"address": "10.0.0.0", "mask": "8"}),
        ("cisco", "sh int gi0/1", "show interfaces GigabitEthernet0/1", {"interface": "eth1"}),
        ("cisco", "SHOW INT gigabitethernet 0/12", "show interfaces GigabitEthernet0/12", {"interface": "eth12"}),
        ("huawei", "dis cur", "display current-configuration", {}),
        ("huawei", "display interface GE0/0/2", "display interface GigabitEthernet0/0/2", {"interface": "eth2"}),
        ("huawei", "dis ip rout 10.0.0.1", "display ip routing-table 10.0.0.1", {"address": "10.0.0.1"}),
        ("huawei", "ping -c 3 -a LoopBack0 10.0.0.1", "ping -c 3 -a LoopBack0 10.0.0.1",
         {"count": "3", "source": "lo", "address": "10.0.0.1"}),
        ("h3c", "dis bgp pe ipv4 10.1.1.1 v", "display bgp peer ipv4 10.1.1.1 verbose", {"address": "10.1.1.1"}),
        ("arista", "show interfaces et1 status", "show interfaces Ethernet1 status", {"interface": "eth1"}),
        ("sonic", "show interfaces status Ethernet8", "show interfaces status Ethernet8", {"interface": "eth2"}),
        ("frr", "sh bgp ipv4 uni 10.0.0.0/8", "show bgp ipv4 unicast 10.0.0.0/8", {"prefix": "10.0.0.0/8"}),
        ("frr", "ip route", "ip route", {}),
        ("linux", "ip -br a", "ip -br addr", {}),
        ("linux", "ip addr show dev eth1", "ip addr show dev eth1", {"interface": "eth1"}),
        ("linux", "ip address", "ip addr", {}),
        ("linux", "ip neighbor", "ip neigh", {}),
        ("linux", "ip nei list", "ip neigh show", {}),
        ("linux", "ip route list", "ip route show", {}),
        ("linux", "ip -brief addre lst", "ip -br addr show", {}),
        ("linux", "ip -statistics link lst eth1", "ip -s link show eth1", {"interface": "eth1"}),
        ("sonic", "ip address show", "ip addr show", {}),
    ],
)  # fmt: skip
def test_abbreviations_and_blanks_are_understood(
    vendor: Vendor, line: str, full: str, arguments: dict[str, str]
) -> None:
    asked = read(vendor, line)
    assert (asked.line, dict(asked.arguments)) == (full, arguments)


@pytest.mark.parametrize(
    ("vendor", "line", "kind", "column"),
    [
        ("cisco", "", "incomplete", 0),
        ("cisco", "shw ip route", "unrecognized", 0),
        ("cisco", "show ip rout3", "unrecognized", 8),
        ("cisco", "show ip", "incomplete", 7),
        ("cisco", "show i", "ambiguous", 5),
        ("cisco", "show ip interface brief now", "too_many", 24),
        ("cisco", "ping 300.1.1.1", "unrecognized", 5),
        ("cisco", "show interfaces GigabitEthernet0/0/1", "unrecognized", 16),
        ("huawei", "display ip routing-table 10.0.0.1 255.0.255.0", "parameter", 34),
        ("huawei", "ping -c 5000 10.0.0.1", "parameter", 8),
        ("sonic", "sh ip route", "unrecognized", 0),
        ("linux", "rm -rf /", "unrecognized", 0),
        ("linux", "ip route add 10.0.0.0/8 dev eth1", "unrecognized", 9),
        ("frr", "configure terminal", "unrecognized", 0),
    ],
)
def test_a_mistake_is_placed(vendor: Vendor, line: str, kind: str, column: int) -> None:
    with pytest.raises(CommandMistakeError) as caught:
        read(vendor, line)
    assert (caught.value.kind, caught.value.column) == (kind, column)


def said(vendor: Vendor, line: str) -> str:
    with pytest.raises(CommandMistakeError) as caught:
        read(vendor, line)
    return complaint(vendor, "leaf1", line, caught.value)


def test_carets_stand_below_the_wrong_word() -> None:
    assert said("cisco", "show ip rout3") == (
        "leaf1#show ip rout3\n              ^\n% Invalid input detected at '^' marker."
    )
    assert said("huawei", "display ip foo") == (
        "<leaf1>display ip foo\n                  ^\nError: Unrecognized command found at '^' position."
    )
    assert said("h3c", "display ip") == (
        "<leaf1>display ip\n                 ^\n % Incomplete command found at '^' position."
    )


@pytest.mark.parametrize(
    ("vendor", "line", "words"),
    [
        ("cisco", "show i", '% Ambiguous command:  "show i"'),
        ("cisco", "show ip", "% Incomplete command."),
        ("huawei", "display i", "Error: Ambiguous command found at '^' position."),
        ("h3c", "display arp all x", " % Too many parameters found at '^' position."),
        ("arista", "show foo", "% Invalid input (at token 1: 'foo')"),
        ("arista", "show ip", "% Incomplete command (at token 1: 'ip')"),
        ("frr", "show foo", "% Unknown command: show foo"),
        ("frr", "show i", "% Ambiguous command: show i"),
        ("sonic", "show foo", 'Error: No such command "foo".'),
        ("sonic", "foo", "-bash: foo: command not found"),
        ("sonic", "show i", "Error: Too many matches: interfaces, ip, isis"),
        ("linux", "ip foo", 'Object "foo" is unknown, try "ip help".'),
        ("linux", "reboot", "-bash: reboot: command not found"),
    ],
)
def test_each_vendor_complains_in_its_own_words(vendor: Vendor, line: str, words: str) -> None:
    assert said(vendor, line).splitlines()[-1] == words


def test_a_mistake_knows_what_the_line_could_have_asked_for() -> None:
    with pytest.raises(CommandMistakeError) as caught:
        read("huawei", "display bgp peer 10.1.1.1 nonsense")
    assert needs_of(caught.value) == {"bgp_peer"}
    with pytest.raises(CommandMistakeError) as caught:
        read("huawei", "nonsense")
    assert needs_of(caught.value) == {need for need in NEEDS if commands_for("huawei", need)}


def test_help_lists_what_may_come_next_and_what_a_word_may_become() -> None:
    assert ("brief", "state and address of each interface, one line each") in help_at("huawei", "display interface ?")
    assert {word for word, _ in help_at("cisco", "show ip a?")} == {"access-lists", "arp"}
    assert dict(help_at("cisco", "ping ?"))["<address>"] == "send echo requests"
    assert "<cr>" in dict(help_at("cisco", "show ip route ?"))
    with pytest.raises(CommandMistakeError):
        help_at("cisco", "show nothing ?")


def test_every_form_of_every_command_is_read_as_itself() -> None:
    for command in TABLE:
        port = NAMES[command.vendor].of("eth2")
        # Of the many orders of a ping's options a few will do.
        for form in command.forms[:: 20 if command.need == "ping" else 1]:
            words = [getattr(each, "text", None) or VALUES.get(getattr(each, "name", ""), port) for each in form]
            asked = read(command.vendor, " ".join(words))
            assert (asked.command.need, asked.line) == (command.need, " ".join(words))


WORDS = [(command, form) for command in TABLE for form in command.forms[:: 20 if command.need == "ping" else 1]]
NEXT_WORDS: dict[tuple[Vendor, Form], set[Word]] = defaultdict(set)
"""What may stand behind a beginning."""
for _command, _form in ((command, form) for command in TABLE for form in command.forms):
    for _place, _element in enumerate(_form):
        if isinstance(_element, Word):
            NEXT_WORDS[_command.vendor, _form[:_place]].add(_element)
VALUES = {"address": "10.0.0.1", "mask": "24", "prefix": "10.0.0.0/24", "name": "NAME", "count": "2", "size": "9"}


@given(st.sampled_from(WORDS), st.data())
@settings(max_examples=400, deadline=None)
def test_every_word_may_be_spelled_in_each_way_and_cut_as_long_as_no_other_begins_so(
    one: tuple[Command, Form], data: st.DataObject
) -> None:
    command, form = one
    port = NAMES[command.vendor].of("eth2")
    whole = [each.text if isinstance(each, Word) else VALUES.get(each.name, port) for each in form]
    typed = list(whole)
    for place, element in enumerate(form):
        if not isinstance(element, Word):
            continue
        spelling = data.draw(st.sampled_from(element.spellings))
        is_program = place == 0 and command.vendor in ("linux", "sonic")
        cut = spelling[: len(spelling) if is_program else data.draw(st.integers(1, len(spelling)))]
        rivals = {
            word.spellings
            for word in NEXT_WORDS[command.vendor, form[:place]]
            if any(each.startswith(cut) for each in word.spellings)
        }
        is_unambiguous = rivals == {element.spellings}
        typed[place] = cut if is_unambiguous else spelling
    assert read(command.vendor, " ".join(typed)).line == " ".join(whole)


def test_a_golden_step_is_the_vendors_line_for_a_need() -> None:
    assert golden("huawei", "route_lookup", {"address": "10.0.0.1"}) == "display ip routing-table 10.0.0.1"
    assert golden("cisco", "interface_detail", {"interface": "eth3"}) == "show interfaces GigabitEthernet0/3"
    assert golden("cisco", "ping", {"address": "10.0.0.1", "source": "lo"}) == "ping 10.0.0.1 source Loopback0"
    with pytest.raises(LookupError, match="linux has no command for bgp_summary"):
        golden("linux", "bgp_summary")


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("native", ["eth0", "eth1", "eth27", "eth3.100", "lo"])
def test_names_of_interfaces_lead_there_and_back(vendor: Vendor, native: str) -> None:
    names = NAMES[vendor]
    assert names.native(names.of(native)) == native
    assert names.native(names.brief(native)) == native
    assert names.native(names.of(native).lower()) == native


def test_names_that_no_interface_of_the_vendor_has_lead_nowhere() -> None:
    assert NAMES["huawei"].native("GigabitEthernet1/0/1") is None
    assert NAMES["sonic"].native("Ethernet3") is None
    assert NAMES["cisco"].native("eth1") is None
    assert NAMES["cisco"].of("vxlan10") == "vxlan10"


def test_a_pattern_stands_for_all_its_forms() -> None:
    as_text = {" ".join(getattr(each, "text", "") or f"<{each.name}>" for each in form)  # type: ignore[union-attr]
               for form in forms_of("a [b (c|d)] {x|y <count>}")}  # fmt: skip
    assert len(as_text) == 3 * 5
    assert {"a", "a b c x", "a b d y <count> x", "a x y <count>"} <= as_text


def test_no_need_is_asked_for_in_the_same_words_as_another() -> None:
    seen: dict[tuple[str, object], Need] = {}
    for command in TABLE:
        for form in command.forms:
            assert seen.setdefault((command.vendor, form), command.need) == command.need
