"""Every command of every vendor on a device of a running fabric, and the documented client over HTTP."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from netopsbench.core.errors import ToolError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import LogLine
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.catalog import COMMAND_LINES
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.execute import execute
from netopsbench.tools.live import unmeasured
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.execute_api import api_server
from netopsbench.tools.serving.listening import listen_at, url_of
from netopsbench.tools.serving.meter import Meter
from netopsbench.vendors.grammar import Word
from netopsbench.vendors.lines import CommandLineRules, CommandLines
from netopsbench.vendors.names import NAMES, NEEDS, VENDORS, Need, Vendor, prompt
from netopsbench.vendors.table import TABLE, commands_for, golden

pytestmark = pytest.mark.live
CLIENT = Path(__file__).parents[2] / "docs" / "examples" / "execute_client.py"
ARGUMENTS: dict[Need, dict[str, str]] = {
    "route_lookup": {"address": "10.255.0.4"},
    "ping": {"address": "10.255.0.4", "count": "1"},
    "traceroute": {"address": "10.255.0.4", "source": "lo"},
}
SHOWS: dict[Need, tuple[str, ...]] = {
    "running_config": ("192.168.101.0", "FABRIC-IN", "65011"),
    "saved_config": ("192.168.101.0", "FABRIC-IN", "65011"),
    "interface_brief": ("{eth1}",),
    "interface_detail": ("{eth1}", "10.1.1.2/30"),
    "interface_counters": ("{eth1}",),
    "interface_description": ("{eth1}", "spine1"),
    # A fabric runs no LLDP, and every vendor says that in its own words.
    "link_neighbors": ("lldp",),
    "route_table": ("10.255.0.4/32", "192.168.102.0/30", "10.1.1.1", "10.2.1.1"),
    "route_lookup": ("10.255.0.4", ".1.1"),
    "fib": ("10.255.0.4", "10.1.1.1", "10.2.1.1"),
    "arp": ("10.1.1.1", "{eth1}"),
    "bgp_summary": ("10.255.0.3", "65001", "10.2.1.1"),
    "bgp_peer": ("10.1.1.1", "Established", "FABRIC-IN"),
    "bgp_table": ("10.255.0.4/32", "65001 65012"),
    "acl": ("forward", "179"),
    "route_policy": ("FABRIC-IN", "RESERVED"),
    "prefix_list": ("RESERVED", "127.0.0.0/8"),
    "logs": ("a line of the log",),
    "ping": ("10.255.0.4",),
    "traceroute": ("10.255.0.4", "10.255.0."),
}


@pytest.fixture(scope="module")
def fabric(engine: NativeEngine) -> Iterator[Fabric]:
    plan = plan_fabric(load_spec("xs"))
    running = engine.deploy(plan, render_files(plan))
    try:
        with observing(running) as eyes:
            converge(eyes, deadline_s=120)
        yield running
    finally:
        running.destroy()


def context_of(fabric: Fabric, vendor: Vendor) -> ToolContext:
    store = MemoryStore()
    store.append(
        [
            LogLine(
                t_ns=0, source="leaf1", severity="notice", facility="daemon", program="bgpd", pid=None,
                message="a line of the log",
            )
        ]
    )  # fmt: skip
    lines = CommandLines(fabric.plan, CommandLineRules(vendors={"leaf1": vendor}))
    return replace(unmeasured(fabric), store=store, command_lines=lines)


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_need_is_answered_in_the_vendors_words(vendor: Vendor, fabric: Fabric) -> None:
    context, names = context_of(fabric, vendor), NAMES[vendor]
    for need in NEEDS:
        if not commands_for(vendor, need):
            continue
        line = golden(vendor, need, ARGUMENTS.get(need))
        told = execute(context, "leaf1", line)
        assert (told.vendor, told.command_executed) == (vendor, line)
        assert told.result.startswith(prompt(vendor, "leaf1") + line)
        # A switch without bridges, VXLANs and standby groups has nothing to print of them.
        printed = told.result.partition("\n")[2].casefold()
        for wanted in SHOWS.get(need, ()):
            either = [name(wanted[1:-1]) if wanted[0] == "{" else wanted for name in (names.of, names.brief)]
            assert any(each.casefold() in printed for each in either), (line, wanted, told.result)


COMPLAINTS = re.compile(
    r"% (Unknown command|Command incomplete|Ambiguous command)|is unknown, try|^Usage: |^Error: (?!response)"
    r"|invalid option|unrecognized option|command not found",
    re.MULTILINE,
)
"""Of the routing software's shell and of the programs below it, about how they were called."""


def lines_of(vendor: Vendor) -> Iterator[str]:
    """Every form of every command; of a ping's many orders of options the shortest and the longest."""
    values = {"mask": "32", "prefix": "10.255.0.4/32", "name": "FABRIC-IN", "count": "1", "size": "100"}
    port = NAMES[vendor].of("eth1")
    for command in TABLE:
        if command.vendor == vendor:
            known = values | {"address": "10.1.1.1" if command.need == "bgp_peer" else "10.255.0.4"}
            forms = (command.forms[0], max(command.forms, key=len)) if command.need == "ping" else command.forms
            for form in forms:
                yield " ".join(each.text if isinstance(each, Word) else known.get(each.name, port) for each in form)


@pytest.mark.slow
@pytest.mark.parametrize("vendor", VENDORS)
def test_no_form_of_a_command_is_a_mistake_to_what_runs_below(vendor: Vendor, fabric: Fabric) -> None:
    context = context_of(fabric, vendor)
    printed = {line: execute(context, "leaf1", line).result.partition("\n")[2] for line in lines_of(vendor)}
    assert [(line, text[:200]) for line, text in printed.items() if COMPLAINTS.search(text)] == []


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_port_that_is_switched_off_is_down_in_every_vendors_words(vendor: Vendor, fabric: Fabric) -> None:
    context, names = context_of(fabric, vendor), NAMES[vendor]
    assert fabric.exec("leaf1", ["ip", "link", "set", "eth3", "down"]).is_ok
    try:
        printed = execute(context, "leaf1", golden(vendor, "interface_brief")).result
    finally:
        assert fabric.exec("leaf1", ["ip", "link", "set", "eth3", "up"]).is_ok
    (row,) = [line for line in printed.splitlines() if line.startswith((names.of("eth3"), names.brief("eth3")))]
    assert any(word in row.casefold() for word in ("down", "adm", "disabled"))


@pytest.mark.parametrize("vendor", ["frr", "linux"])
def test_linux_lists_its_packet_filter_itself_with_the_hooks_of_chains(vendor: Vendor, fabric: Fabric) -> None:
    printed = execute(context_of(fabric, vendor), "leaf1", "nft list ruleset").result
    assert "\tchain forward {\n\t\ttype filter hook forward priority filter; policy accept;\n" in printed


def test_a_source_without_an_address_cannot_send(fabric: Fabric) -> None:
    context = context_of(fabric, "cisco")
    with pytest.raises(ToolError, match="GigabitEthernet0/77 has no address"):
        execute(context, "leaf1", "traceroute 10.255.0.4 source gi0/77")


@pytest.fixture
def url(fabric: Fabric, tmp_path: Path) -> Iterator[str]:
    """Where the command lines are served, with a token."""
    desk = Desk(context_of(fabric, "huawei"), COMMAND_LINES, Meter(tmp_path / "calls", 100), 128_000)
    listener = listen_at("0")
    server = api_server(listener, {1: desk}, "secret")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield url_of(listener, "")
    server.shutdown()
    server.server_close()
    thread.join(20)


@pytest.mark.parametrize(
    ("token", "device", "line", "exit_code", "printed"),
    [
        ("secret", "leaf1", "dis ip rout 10.255.0.4", 0, "GigabitEthernet0/0/2"),
        ("secret", "client1", "ip -br addr", 0, "192.168.101.2/30"),
        ("secret", "leaf1", "dis nothing", 1, "Error: Unrecognized command found at '^' position."),
        ("secret", "leaf9", "dis arp", 1, "there is no device 'leaf9'"),
        ("wrong", "leaf1", "dis arp", 1, "show the token"),
    ],
)
def test_the_documented_client_talks_to_the_server(
    url: str, token: str, device: str, line: str, exit_code: int, printed: str
) -> None:
    done = subprocess.run(
        [sys.executable, str(CLIENT), url, device, line], capture_output=True, text=True, check=False, timeout=60,
        env={"PATH": os.environ["PATH"], "NETOPSBENCH_API_TOKEN": token},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (exit_code, "")
    assert printed in done.stdout
