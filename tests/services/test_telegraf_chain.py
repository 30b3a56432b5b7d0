"""The chain as a whole: a mesh's probes into InfluxDB, real syslog, and a dead collector beside a quiet network."""

import socket
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from points import around_now

from netopsbench.core.clock import now_ns
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import CollectorHealth, Probe, Window
from netopsbench.telemetry.influx_address import TELEGRAF_TOKEN_VARIABLE, TOKEN_VARIABLE, InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.pingmesh import pingmesh
from netopsbench.telemetry.services.running import Services
from netopsbench.telemetry.store_client import store_running


@pytest.fixture
def url(influx_address: InfluxAddress, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(TOKEN_VARIABLE, influx_address.token)
    monkeypatch.setenv(TELEGRAF_TOKEN_VARIABLE, influx_address.write_token)
    host = influx_address.url.removeprefix("http://")
    return f"influx://{host}/{influx_address.bucket}?telegraf={influx_address.write_url}"


@pytest.mark.live
def test_a_mesh_is_stored_epoch_by_epoch_and_a_dead_prober_is_no_quiet_network(
    engine: NativeEngine, url: str, tmp_path: Path
) -> None:
    plan = plan_fabric(load_spec("xs"))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=60)
        with store_running(tmp_path, url) as store:
            with pingmesh(fabric, store.socket_path, pace_for(plan, "fast")) as mesh:
                window = mesh.wait_epochs(3, after_ns=0, timeout_s=60)
            ended_ns = now_ns()
            probes = [record for record in store.query("probe", window) if isinstance(record, Probe)]
            health = store.query("collector_health", window)
            assert len(probes) == 3 * 2
            assert [record.is_complete for record in health if isinstance(record, CollectorHealth)] == [True] * 3
            silence = Window(since_ns=ended_ns, until_ns=now_ns())
            assert store.query("probe", silence) == store.query("collector_health", silence) == []
            assert store.counts()["probe"] >= 6
    finally:
        fabric.destroy()


def test_real_syslog_reaches_the_bucket_with_its_text(telemetry_services: Services) -> None:
    setup = telemetry_services.setup
    line = "<30>1 2026-01-01T00:00:00Z leaf1 bgpd 77 - - neighbor 10.1.1.1 Down"
    line = line.replace("2026-01-01T00:00:00Z", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    window = around_now()
    asked = (
        f'from(bucket: "{setup.bucket}") |> range(start: time(v: {window.since_ns}), stop: time(v: {window.until_ns})) '
        '|> filter(fn: (r) => r._measurement == "syslog" and r._field == "message" and r.hostname == "leaf1")'
    )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, closing(InfluxConnection(setup.address)) as server:

        def arrived() -> bool:
            sender.sendto(line.encode(), ("127.0.0.1", setup.syslog_port))
            return any(row["_value"] == "neighbor 10.1.1.1 Down" for row in server.query(asked))

        wait_until(arrived, 20)


def wait_until(is_so: Callable[[], bool], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "the line did not arrive"
        time.sleep(0.2)
