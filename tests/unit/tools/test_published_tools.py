"""The published tools are a profile of ours: all served over MCP and metered, their arguments translated."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_clients import Place, talk_in_python
from printing import SECOND_NS, PrintingFabric

from netopsbench.core import sockets
from netopsbench.core.errors import ToolError
from netopsbench.records.telemetry import LogLine
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.catalog import TOOLS
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool
from netopsbench.tools.published.profile import PUBLISHED
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.process import read_calls
from netopsbench.tools.serving.server import serve

NAMES = [
    "get_reachability",
    "ping_pair",
    "systemctl_ops",
    "get_host_net_config",
    "get_tc_statistics",
    "netstat",
    "ip_addr_statistics",
    "ethtool",
    "curl_web_test",
    "iperf_test",
    "cat_file",
    "exec_shell",
    "exec_shell_dual",
    "frr_get_bgp_conf",
    "frr_show_running_config",
    "frr_show_ip_route",
    "frr_get_ospf_conf",
    "frr_exec",
    "influx_list_buckets",
    "influx_get_measurements",
    "influx_count_measurements",
    "influx_query_measurement",
]
HOST, ROUTER = {"host_name": "client1"}, {"router_name": "leaf1"}
CALLS: dict[str, dict[str, Any]] = {
    "get_reachability": {},
    "ping_pair": {"host_a": "client1", "host_b": "client2"},
    "systemctl_ops": {**HOST, "service_name": "frr", "operation": "restart"},
    "get_host_net_config": HOST,
    "get_tc_statistics": {**HOST, "intf_name": "eth1"},
    "netstat": HOST,
    "ip_addr_statistics": HOST,
    "ethtool": {**HOST, "interface": "eth1"},
    "curl_web_test": {**HOST, "url": "http://web.local/"},
    "iperf_test": {"client_host_name": "client1", "server_host_name": "client2", "duration": 1},
    "cat_file": {**HOST, "file_path": "/etc/hosts"},
    "exec_shell": {**HOST, "command": "true"},
    "exec_shell_dual": {"host1": "client1", "cmd1": "true", "host2": "client2", "cmd2": "true"},
    "frr_get_bgp_conf": ROUTER,
    "frr_show_running_config": ROUTER,
    "frr_show_ip_route": ROUTER,
    "frr_get_ospf_conf": ROUTER,
    "frr_exec": {**ROUTER, "command": "clear ip bgp *"},
    "influx_list_buckets": {},
    "influx_get_measurements": {},
    "influx_count_measurements": {"measurement": "syslog"},
    "influx_query_measurement": {"measurement": "syslog"},
}
BESIDE = "read request; echo '{}'"


def call(context: ToolContext, name: str, **arguments: object) -> dict[str, Any]:
    (chosen,) = (tool for tool in PUBLISHED if tool.name == name)
    return chosen.call(context, arguments).model_dump(mode="json")


def line(fabric: PrintingFabric) -> str:
    """The last line that a device's shell got."""
    return fabric.asked[-1][1][-1]


@pytest.fixture
def tool_server(context: ToolContext, tmp_path: Path) -> Iterator[Path]:
    lifeline, held = os.pipe()
    desk = Desk(context, PUBLISHED, Meter(tmp_path / "calls", len(NAMES)), 100_000)
    with sockets.listen(tmp_path / "tools") as listener, os.fdopen(lifeline) as stream:
        thread = threading.Thread(target=serve, args=(desk, listener, stream))
        thread.start()
        yield tmp_path / "tools"
        os.close(held)
        thread.join()


def test_all_22_are_served_over_mcp_and_every_call_is_metered(tool_server: Path, tmp_path: Path) -> None:
    place = Place(command=(sys.executable, "-m", "netopsbench.tools.serving.mcp_server", "--socket", str(tool_server)))
    heard = talk_in_python(place, [*CALLS.items(), ("exec_shell", CALLS["exec_shell"])])
    assert list(heard.tools) == NAMES
    assert [call["tool"] for call in read_calls(tmp_path / "calls")] == NAMES
    refused = [json.loads(each.texts[0])["error"]["kind"] for each in heard.heard if each.is_error]
    # Without a real fabric nothing can be sent; the last call is one too many.
    assert refused[-1] == "tool_calls_exceeded"
    assert set(refused[:-1]) <= {"failed"}


def test_what_may_change_devices_is_marked_and_nothing_else() -> None:
    writing = {tool.name for tool in PUBLISHED if tool.effect == "write"}
    assert writing == {"systemctl_ops", "exec_shell", "exec_shell_dual", "frr_exec"}


@pytest.mark.parametrize("tool", PUBLISHED, ids=lambda tool: tool.name)
def test_a_published_tool_is_described_and_takes_its_example(tool: Tool) -> None:
    assert len(tool.description) > 20
    tool.arguments.model_validate({**CALLS[tool.name], **tool.example()})
    assert set(tool.arguments.model_fields) <= set(tool.schema()["arguments"]["properties"])


def test_no_other_name_is_borrowed_from_our_own_catalogue() -> None:
    assert {tool.name for tool in PUBLISHED} & {tool.name for tool in TOOLS} == set()


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("cat_file", {"file_path": "/etc/it's; reboot"}, """cat -- '/etc/it'"'"'s; reboot'"""),
        ("frr_exec", {"command": "show version'; reboot"}, """vtysh -c 'show version'"'"'; reboot'"""),
        ("get_tc_statistics", {"intf_name": "eth1"}, "tc -s qdisc show dev eth1"),
        ("netstat", {"args": "-rn"}, "if command -v netstat >/dev/null; then netstat -rn; else ss -rn; fi"),
    ],
)
def test_arguments_become_one_line_that_a_shell_cannot_misread(
    name: str, arguments: dict[str, str], wanted: str, context: ToolContext, fabric: PrintingFabric
) -> None:
    call(context, name, **(ROUTER if name.startswith("frr") else HOST), **arguments)
    assert line(fabric) == wanted


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ethtool", {**HOST, "interface": "eth1", "args": "-s"}),
        ("ethtool", {**HOST, "interface": "eth1; reboot"}),
        ("netstat", {**HOST, "args": "-t; reboot"}),
        ("systemctl_ops", {**HOST, "service_name": "frr; reboot", "operation": "stop"}),
        ("curl_web_test", {**HOST, "url": "file:///etc/passwd"}),
        ("ping_pair", {"host_a": "client1", "host_b": "client2", "args": "-f"}),
        ("influx_count_measurements", {"measurement": "syslogs"}),
    ],
)
def test_what_a_reading_tool_does_not_take_is_refused(
    name: str, arguments: dict[str, Any], context: ToolContext, fabric: PrintingFabric
) -> None:
    with pytest.raises(ToolError) as refused:
        call(context, name, **arguments)
    assert refused.value.kind == "bad_arguments"
    assert fabric.asked == []


def test_an_unknown_device_is_named_with_the_known_ones(context: ToolContext) -> None:
    with pytest.raises(ToolError, match=r"there is no device 'client9'; the devices are: .*client1"):
        call(context, "exec_shell_dual", host1="client1", cmd1="true", host2="client9", cmd2="true")


def test_lost_pings_come_first_in_the_reachability_of_all_hosts(context: ToolContext, fabric: PrintingFabric) -> None:
    fabric.beside = ["sh", "-c", "read asked; echo '[true, false" + ", true" * 10 + "]'"]
    found = call(context, "get_reachability")
    assert (found["answered"], found["page"]["total"]) == (11, 12)
    assert (found["pairs"][0]["src"], found["pairs"][0]["dst"]) == ("client1", "client3")


def test_throughput_is_worked_out_from_what_arrived(context: ToolContext, fabric: PrintingFabric) -> None:
    reply = '{"received_bytes": 2500000, "length_s": 2.0, "error": null}'
    fabric.beside = ["sh", "-c", f"read asked; echo '{reply}'"]
    found = call(context, "iperf_test", client_host_name="client1", server_host_name="client2", duration=2)
    assert (found["mbit_per_s"], found["error"]) == (10.0, None)


def test_measurements_are_counted_and_read_from_the_store_under_published_names(context: ToolContext) -> None:
    assert isinstance(context.store, MemoryStore)
    context.store.append([_log(1, "link down"), _log(2, "link up"), _log(99, "after the time in question")])
    assert call(context, "influx_count_measurements", measurement="syslog")["records"] == 2
    found = call(context, "influx_query_measurement", measurement="syslog", limit=1, offset=1)
    assert [row["fields"]["message"] for row in found["rows"]] == ["link up"]
    assert found["rows"][0]["fields"]["source"] == "leaf1"
    assert "syslog" in call(context, "influx_get_measurements")["measurements"]


def _log(at_s: int, message: str) -> LogLine:
    return LogLine(
        t_ns=at_s * SECOND_NS,
        source="leaf1",
        severity="info",
        facility="daemon",
        program="zebra",
        pid=None,
        message=message,
    )
