"""A network's command lines: vendors, permissions, filters of output, and how many run at once."""

import threading
from collections import Counter

import pytest
from known_facts import KnownDevice

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.vendors.command import Facts, View
from netopsbench.vendors.lines import CommandLineRules, CommandLines, Denial, vendors_by_seed


def lines_of(plan: FabricPlan, *denied: Denial, at_once: int = 8) -> CommandLines:
    vendors = {"leaf1": "cisco", "leaf2": "huawei", "leaf3": "sonic", "leaf4": "frr"}
    return CommandLines(
        plan, CommandLineRules.model_validate({"vendors": vendors, "denied": denied, "at_once": at_once})
    )


def refused(lines: CommandLines, device: str, line: str) -> tuple[str, str]:
    with pytest.raises(ToolError) as caught:
        lines.answer(device, line, KnownDevice())
    return caught.value.kind, str(caught.value)


def test_the_seed_deals_every_vendor_about_as_often_and_clients_run_linux(plan: FabricPlan) -> None:
    dealt = vendors_by_seed(plan, 1)
    counts = Counter(dealt[node.name] for node in plan.nodes if node.is_switch)
    assert set(counts.values()) == {2}
    assert {dealt[node.name] for node in plan.nodes if not node.is_switch} == {"linux"}
    assert dealt == vendors_by_seed(plan, 1)
    assert dealt != vendors_by_seed(plan, 2)


def test_an_answer_begins_with_the_prompt_and_the_line(plan: FabricPlan, device: KnownDevice) -> None:
    first, second, *_ = lines_of(plan).answer("leaf2", "dis arp", device).splitlines()
    assert first == "<leaf2>dis arp"
    assert second.startswith("IP ADDRESS")


def test_pipes_pick_lines(plan: FabricPlan, device: KnownDevice) -> None:
    lines = lines_of(plan)
    included = lines.answer("leaf1", "show ip route | include ^[BS].*Null0", device).splitlines()
    assert included[1:] == ["S     192.168.12.0/24 is directly connected, Null0"]
    excluded = lines.answer("leaf2", "display arp | exclude GE0/0/3", device)
    assert [line.split()[-1] for line in excluded.splitlines()[2:4]] == ["GE0/0/1", "-" * 78]
    begun = lines.answer("leaf1", "sh run | b router bgp", device).splitlines()
    assert begun[1] == "router bgp 65011"
    grepped = lines.answer("leaf3", "show arp | grep -v Ethernet12 | grep Ethernet", device).splitlines()
    assert len(grepped) == 2


@pytest.mark.parametrize(
    ("device", "line", "caret"),
    [
        ("leaf1", "show arp | foo x", 17),
        ("leaf1", "show arp | include", 24),
        ("leaf1", "show arp | include [", 25),
        ("leaf1", "show arp | include (a", 25),
        ("leaf1", "show arp | include a | include b", 28),
    ],
)
def test_a_filter_that_cannot_be_understood_is_a_mistake_in_the_line(
    plan: FabricPlan, device: str, line: str, caret: int
) -> None:
    kind, text = refused(lines_of(plan), device, line)
    assert kind == "bad_syntax"
    assert text.splitlines()[1].index("^") == caret


def test_an_unknown_device_comes_before_everything_else(plan: FabricPlan) -> None:
    lines = lines_of(plan, Denial(need="arp"))
    assert refused(lines, "leaf99", "show arp")[0] == "unknown_device"


def test_a_need_is_denied_however_it_is_spelled(plan: FabricPlan, device: KnownDevice) -> None:
    lines = lines_of(plan, Denial(need="bgp_summary"), Denial(need="arp", device="leaf2"))
    for spelled in ("show ip bgp summary", "sh ip b s", "show bgp ipv4 unicast summary", "sh ip bgp sum | i 10"):
        assert refused(lines, "leaf1", spelled) == ("denied", "No permission to perform the operation")
    assert refused(lines, "leaf2", "display bgp peer")[0] == "denied"
    assert refused(lines, "leaf2", "dis arp")[0] == "denied"
    assert "Internet" in lines.answer("leaf1", "show arp", device)


def test_permission_comes_before_syntax(plan: FabricPlan) -> None:
    lines = lines_of(plan, Denial(need="arp"), Denial(need="bgp_peer"))
    assert refused(lines, "leaf1", "show arp nonsense")[0] == "denied"
    assert refused(lines, "leaf1", "show arp | foo")[0] == "denied"
    assert refused(lines, "leaf2", "display bgp peer 10.1.1.1 nonsense")[0] == "denied"
    assert refused(lines, "leaf1", "show nonsense")[0] == "bad_syntax"


def test_help_is_an_answer(plan: FabricPlan, device: KnownDevice) -> None:
    told = lines_of(plan).answer("leaf2", "display ip ?", device).splitlines()
    assert told[0] == "<leaf2>display ip ?"
    assert told[1].split()[0] == "interface"
    assert refused(lines_of(plan), "leaf2", "display foo ?")[0] == "bad_syntax"


@pytest.mark.parametrize("line", ["x" * 10_000, "show arp\nshow run", "show " + "ip " * 200])
def test_overlong_and_broken_lines_are_mistakes(plan: FabricPlan, line: str) -> None:
    kind, text = refused(lines_of(plan), "leaf1", line)
    assert kind == "bad_syntax"
    assert len(text) < 1000


class Waiting(KnownDevice):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = threading.Event(), threading.Event()

    def look(self, want: type[Facts], view: View) -> Facts:
        self.asked.set()
        assert self.go_on.wait(20)
        return super().look(want, view)


def test_more_commands_than_may_run_are_turned_away_after_their_syntax_was_checked(plan: FabricPlan) -> None:
    lines, slow = lines_of(plan, Denial(need="bfd"), at_once=1), Waiting()
    running = threading.Thread(target=lines.answer, args=("leaf1", "show arp", slow))
    running.start()
    try:
        assert slow.asked.wait(20)
        assert refused(lines, "leaf1", "show arp")[0] == "busy"
        assert refused(lines, "leaf1", "show apr")[0] == "bad_syntax"
        assert refused(lines, "leaf1", "show bfd neighbors")[0] == "denied"
    finally:
        slow.go_on.set()
        running.join(20)
    assert "Internet" in lines.answer("leaf1", "show arp", KnownDevice())
