"""The collectors' process beside nodes that run no routing, and its rows."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import descendant

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.records.telemetry import CollectorGap, CollectorHealth, InterfaceCounters, NodeCounters
from netopsbench.telemetry.collectors.collecting import COLLECTORS, Collecting, collecting_as
from netopsbench.telemetry.collectors.main import read_configuration
from netopsbench.telemetry.collectors.outbox import accounted
from netopsbench.telemetry.collectors.pace import CollectorPace, collector_pace
from netopsbench.telemetry.collectors.rows import SCHEMAS, Gap, Gathered, to_batch
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.telemetry.tables import tables, to_records

PACE = CollectorPace(poll_s=0.1, log_s=0.1, snapshot_s=60, is_reduced=False)
SEND_FIVE = """
import socket
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(5):
    sender.sendto(b"x", ("10.0.0.2", 9))
"""
Started = Callable[[int], Fabric]


@contextmanager
def collectors_beside(fabric: Fabric, store: Path, **other: object) -> Iterator[Collecting]:
    pids = {name: fabric.pid(name) for name in ("client1", "client2")}
    said = {"pids": pids, "routers": [], "store": str(store), "lines": "/nowhere", **PACE.model_dump(), **other}
    with collecting_as(fabric, said, PACE) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StoreClient]:
    with store_running(tmp_path) as client:
        yield client


def of_type(store: StoreClient, kind: str, sort: type[Any]) -> list[Any]:
    return [record for record in store.query(kind) if isinstance(record, sort)]


def test_the_columns_are_those_of_the_records() -> None:
    assert {kind: tables()[kind] for kind in SCHEMAS} == SCHEMAS


def test_rows_become_records_and_none_stays_none() -> None:
    (record,) = to_records(to_batch("collector_gap", [Gap(5, 3, "syslog", None, 7, "lost")]))
    assert record == CollectorGap(t_ns=5, since_ns=3, collector="syslog", source=None, missing=7, what="lost")


def test_each_collector_says_how_it_is_and_names_its_gaps() -> None:
    gaps = [Gap(5, 3, "bgp", f"leaf{number}", 1, "silent") for number in range(1, 6)]
    rows = accounted(4, 9, {"bgp": Gathered({"bgp_neighbor": []}, gaps), "syslog": Gathered({}, [])})
    bgp, logs = to_records(to_batch("collector_health", rows["collector_health"]))
    assert isinstance(bgp, CollectorHealth)
    assert isinstance(logs, CollectorHealth)
    assert (bgp.collector, bgp.epoch, bgp.is_complete) == ("bgp", 4, False)
    assert bgp.message == "leaf1: silent; leaf2: silent; leaf3: silent; and 2 more"
    assert (logs.collector, logs.is_complete, logs.message) == ("syslog", True, "")
    assert len(rows["collector_gap"]) == 5


def test_counters_of_every_node_are_stored_with_every_poll(star: Started, store: StoreClient) -> None:
    with collectors_beside(star(2), store.socket_path) as running:
        running.wait_polls(3)
    ports = of_type(store, "interface_counters", InterfaceCounters)
    assert {(port.source, port.interface) for port in ports} == {("client1", "eth1"), ("client2", "eth1")}
    assert len(ports) >= 6
    assert {node.source for node in of_type(store, "node_counters", NodeCounters)} == {"client1", "client2"}


def test_what_a_port_sent_is_counted(star: Started, store: StoreClient) -> None:
    fabric = star(2)
    with collectors_beside(fabric, store.socket_path) as running:
        running.poll_now()
        before = of_type(store, "interface_counters", InterfaceCounters)[-1].in_packets
        fabric.exec("client1", [sys.executable, "-c", SEND_FIVE])
        running.poll_now()
    last = [port for port in of_type(store, "interface_counters", InterfaceCounters) if port.source == "client2"][-1]
    assert last.in_packets >= before + 5


def test_a_missing_syslog_reader_is_said_in_gaps_and_health(star: Started, store: StoreClient) -> None:
    with collectors_beside(star(2), store.socket_path) as running:
        running.wait_polls()
        assert "the syslog reader does not answer" in running.gaps()[0].what
    reports = of_type(store, "collector_health", CollectorHealth)
    assert {report.is_complete for report in reports if report.collector == "syslog"} == {False}
    assert True in {report.is_complete for report in reports if report.collector == "interfaces"}
    silent = [gap for gap in of_type(store, "collector_gap", CollectorGap) if "reader" in gap.what]
    assert {(gap.collector, gap.source) for gap in silent} == {("syslog", None)}


def test_a_node_that_ended_is_a_gap_of_its_own(star: Started, store: StoreClient) -> None:
    fabric = star(2)
    with collectors_beside(fabric, store.socket_path) as running:
        running.wait_polls()
        fabric.exec_wire(["kill", "-9", str(fabric.pid("client2"))])
        fabric.exec_wire(["sh", "-c", f"while [ -e /proc/{fabric.pid('client2')}/ns/net ]; do sleep 0.01; done"])
        running.poll_now()
    lost = [gap for gap in of_type(store, "collector_gap", CollectorGap) if "can't be read" in gap.what]
    assert {(gap.collector, gap.source) for gap in lost} == {("interfaces", "client2")}


def test_collectors_that_were_killed_are_a_named_error_for_whoever_waits(star: Started, store: StoreClient) -> None:
    with collectors_beside(star(2), store.socket_path) as running:
        running.wait_polls()
        os.kill(descendant(COLLECTORS), signal.SIGKILL)
        with pytest.raises(InfraError, match="the process ended") as caught:
            running.wait_polls(1000)
    assert caught.value.reason == "telemetry_failed"


def test_collectors_without_a_store_say_so(star: Started, tmp_path: Path) -> None:
    started = collectors_beside(star(2), tmp_path / "none")
    with pytest.raises(InfraError, match=r"did not start: the collectors ended: .*No such file"):
        started.__enter__()


def test_a_configuration_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(TypeError, match="loudness"):
        read_configuration(json.dumps({"store": "/x", "loudness": 11}))


def test_the_pace_slows_with_scale_and_is_reduced_above_128_switches() -> None:
    xs, k12 = (plan_fabric(load_spec(scale)) for scale in ("xs", "fat-tree-k12"))
    assert collector_pace(xs, "fast").poll_s == 1.0
    assert 1.0 < collector_pace(k12, "fast").poll_s <= 5.0
    assert (collector_pace(xs, "paper").poll_s, collector_pace(k12, "paper").poll_s) == (10.0, 10.0)
    assert (collector_pace(xs, "fast").is_reduced, collector_pace(k12, "fast").is_reduced) == (False, True)


def test_a_process_that_fails_unexpectedly_says_why_and_where() -> None:
    script = "import sys\nfrom netopsbench.telemetry.collectors.reports import report_uncaught\n"
    script += "sys.excepthook = report_uncaught\nraise ZeroDivisionError('no')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)) == (
        1,
        {"event": "failed", "message": "ZeroDivisionError at <string>:4: no"},
    )
