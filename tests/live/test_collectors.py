"""Collectors beside a real fabric: what happens is seen, and what can't be seen is said."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import (
    BgpEvent,
    BgpNeighbor,
    CollectorGap,
    CollectorHealth,
    InterfaceCounters,
    LogLine,
    NodeCounters,
    Window,
)
from netopsbench.telemetry.collectors.collecting import COLLECTORS, Collecting, collecting
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.tools.context import ToolContext
from netopsbench.tools.telemetry.query_bgp_events import query_bgp_events

pytestmark = pytest.mark.live

POLLS = 30
"""A change that isn't seen after so many polls is not seen."""
BAD_CHECKSUMS = """
import socket, struct
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
for _ in range(20):
    raw.sendto(struct.pack("!HHHH", 33000, 33434, 12, 0xDEAD) + b"oops", ("192.168.102.2", 0))
"""
MANY_LINES = "import syslog\nfor number in range(500): syslog.syslog(f'line {number}')"


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


@contextmanager
def collected(fabric: Fabric, folder: Path) -> Iterator[tuple[StoreClient, Collecting]]:
    with store_running(folder) as store, collecting(fabric, store.socket_path, "fast") as collectors:
        yield store, collectors


def of_type(store: StoreClient, kind: str, sort: type[Any]) -> list[Any]:
    return [record for record in store.query(kind) if isinstance(record, sort)]


def seen(collectors: Collecting, look: Callable[[], list[Any]]) -> list[Any]:
    """What `look` finds once a poll has brought something for it to find."""
    for _ in range(POLLS):
        found = look()
        if found:
            return found
        collectors.wait_polls(after_ns=now_ns())
    return []


def configure(fabric: Fabric, node: str, *lines: str) -> None:
    words = [word for line in ("configure terminal", *lines) for word in ("-c", line)]
    assert fabric.exec(node, ["vtysh", *words]).is_ok


def in_node(fabric: Fabric, node: str, script: str) -> None:
    done = fabric.exec(node, ["python3", "-c", script], timeout_s=30)
    assert done.is_ok, done.stderr


def test_every_session_port_and_node_is_recorded(fabric: Fabric, tmp_path: Path) -> None:
    with collected(fabric, tmp_path) as (store, collectors):
        collectors.poll_now()
        sessions = of_type(store, "bgp_neighbor", BgpNeighbor)
        ports = of_type(store, "interface_counters", InterfaceCounters)
        nodes = of_type(store, "node_counters", NodeCounters)
        health = of_type(store, "collector_health", CollectorHealth)
    assert len({(each.source, each.neighbor_address) for each in sessions}) == 8
    assert {each.session_state for each in sessions} == {"Established"}
    designed = {(node.name, port.name) for node in fabric.plan.nodes for port in node.interfaces}
    assert {(port.source, port.interface) for port in ports} == designed
    assert {each.source for each in nodes} == {node.name for node in fabric.plan.nodes}
    assert {each.collector for each in health if each.is_complete} == {"bgp", "interfaces", "syslog"}


def test_lines_from_before_the_collectors_and_bursts_are_whole(fabric: Fabric, tmp_path: Path) -> None:
    in_node(fabric, "client1", MANY_LINES)
    with collected(fabric, tmp_path) as (store, collectors):
        collectors.poll_now()
        lines = of_type(store, "log_line", LogLine)
    ups = [line for line in lines if "%ADJCHANGE" in line.message and line.message.endswith("Up")]
    assert {line.source for line in ups} == {"spine1", "spine2", "leaf1", "leaf2"}
    burst = [line.message for line in lines if line.source == "client1" and line.message.startswith("line ")]
    assert burst[-500:] == [f"line {number}" for number in range(500)]


def test_a_session_that_falls_is_an_event_at_both_ends_and_a_line_in_both_logs(fabric: Fabric, tmp_path: Path) -> None:
    with collected(fabric, tmp_path) as (store, collectors):
        configure(fabric, "leaf1", "interface eth1", "shutdown")
        try:
            downs = seen(collectors, lambda: ends_of(store, "Established", back=False))
        finally:
            configure(fabric, "leaf1", "interface eth1", "no shutdown")
        ups = seen(collectors, lambda: ends_of(store, "Established", back=True))
        lines = of_type(store, "log_line", LogLine)
    assert downs == ups == [("leaf1", "10.1.1.1"), ("spine1", "10.1.1.2")]
    fallen = {line.source for line in lines if "Down Interface down" in line.message}
    assert fallen == {"leaf1", "spine1"}
    assert not [line for line in lines if "shutdown" in line.message or "vtysh" in line.program]


def ends_of(store: StoreClient, state: str, *, back: bool) -> list[tuple[str, str]]:
    """Ends of sessions that left the state, or came to it; empty until both ends have."""
    events = of_type(store, "bgp_event", BgpEvent)
    ends = {
        (each.source, each.neighbor_address) for each in events if (each.to_state if back else each.from_state) == state
    }
    return sorted(ends) if len(ends) == 2 else []


def test_a_daemon_that_hangs_is_a_gap_while_all_others_are_recorded(fabric: Fabric, tmp_path: Path) -> None:
    with collected(fabric, tmp_path) as (store, collectors):
        (bgpd,) = fabric.exec("leaf2", ["pgrep", "-x", "bgpd"]).stdout.split()
        assert fabric.exec("leaf2", ["kill", "-STOP", bgpd]).is_ok
        try:
            gaps = seen(collectors, lambda: of_type(store, "collector_gap", CollectorGap))
        finally:
            assert fabric.exec("leaf2", ["kill", "-CONT", bgpd]).is_ok
        since_ns = gaps[0].since_ns
        during = [each for each in of_type(store, "bgp_neighbor", BgpNeighbor) if each.t_ns == gaps[0].t_ns]
    assert {(each.collector, each.source) for each in gaps if each.source} == {("bgp", "leaf2")}
    assert {each.source for each in during} == {"spine1", "spine2", "leaf1"}
    assert since_ns < gaps[0].t_ns


def test_damaged_datagrams_are_counted_where_they_arrive(fabric: Fabric, tmp_path: Path) -> None:
    with collected(fabric, tmp_path) as (store, collectors):
        collectors.poll_now()
        in_node(fabric, "client1", BAD_CHECKSUMS)
        collectors.poll_now()
        nodes = of_type(store, "node_counters", NodeCounters)
    damaged = {
        name: [node.udp_in_csum_errors for node in nodes if node.source == name] for name in ("client1", "client2")
    }
    assert damaged["client2"][-1] - damaged["client2"][0] == 20
    assert damaged["client1"][-1] == damaged["client1"][0]


def test_packets_that_reverse_path_filtering_drops_are_counted(fabric: Fabric, tmp_path: Path) -> None:
    spoofed = BAD_CHECKSUMS.replace("raw = ", "raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, 255); x = ")
    header = (
        'struct.pack("!BBHHHBBH4s4s", 69, 0, 32, 0, 0, 64, 17, 0, bytes([192, 168, 102, 2]), bytes([10, 255, 0, 3]))'
    )
    spoofed = spoofed.replace("raw.sendto(", f"raw.sendto({header} + ").replace('"192.168.102.2"', '"10.255.0.3"')
    with collected(fabric, tmp_path) as (store, collectors):
        assert fabric.exec("leaf1", ["sysctl", "-qw", "net.ipv4.conf.eth3.rp_filter=1"]).is_ok
        try:
            collectors.poll_now()
            in_node(fabric, "client1", spoofed)
            collectors.poll_now()
        finally:
            assert fabric.exec("leaf1", ["sysctl", "-qw", "net.ipv4.conf.eth3.rp_filter=0"]).is_ok
        nodes = of_type(store, "node_counters", NodeCounters)
    filtered = [node.ip_reverse_path_filter for node in nodes if node.source == "leaf1"]
    assert filtered[-1] - filtered[0] == 20


def test_killed_collectors_end_the_wait_and_a_tool_tells_them_from_a_quiet_network(
    fabric: Fabric, tmp_path: Path
) -> None:
    with collected(fabric, tmp_path) as (store, collectors):
        begun_ns = collectors.wait_polls(3).since_ns
        (process,) = fabric.exec_wire(["pgrep", "-f", COLLECTORS]).stdout.split()
        assert fabric.exec_wire(["kill", "-KILL", process]).is_ok
        with pytest.raises(InfraError, match="the process ended"):
            collectors.wait_polls(1000)
        ended_ns = now_ns()
        found = query_bgp_events(
            ToolContext(
                plan=fabric.plan,
                fabric=fabric,
                store=store,
                baseline=Window(since_ns=begun_ns, until_ns=ended_ns),
                # As if the agent asked a minute later.
                current=Window(since_ns=ended_ns, until_ns=ended_ns + 60 * 10**9),
            )
        )
    assert found.events == ()
    assert found.collector.message.startswith("no data since")


def test_routing_goes_on_without_the_syslog_reader_and_its_silence_is_a_gap(
    engine: NativeEngine, tmp_path: Path
) -> None:
    plan = plan_fabric(load_spec("xs"))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes, collected(fabric, tmp_path) as (store, collectors):
            converge(eyes, deadline_s=120)
            reader = fabric.exec_wire(["pgrep", "-f", "-n", "netopsbench.fabric.native.keeper"]).stdout.split()[0]
            assert reader != "1"
            assert fabric.exec_wire(["kill", "-KILL", reader]).is_ok
            in_node(fabric, "leaf1", MANY_LINES)
            for word in ("shutdown", "no shutdown"):
                configure(fabric, "leaf1", "interface eth1", word)
            converge(eyes, deadline_s=120)
            gaps = seen(collectors, lambda: of_type(store, "collector_gap", CollectorGap))
    finally:
        fabric.destroy()
    assert any("the syslog reader does not answer" in gap.what for gap in gaps)
