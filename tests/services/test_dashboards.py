"""The dashboards ask for what is stored: each of their queries is run against a real InfluxDB and finds something."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from points import BRISK

from netopsbench.core.clock import now_ns
from netopsbench.core.files import data_root
from netopsbench.records.telemetry import (
    BgpEvent,
    BgpNeighbor,
    CollectorGap,
    CollectorHealth,
    InterfaceCounters,
    LogLine,
    NodeCounters,
    Probe,
    Record,
)
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.influx_store import InfluxStore

GRAFANA = data_root("collectors") / "grafana"
DASHBOARDS = sorted((GRAFANA / "dashboards").glob("*.json"))
CHOSEN = {"src_leaf": "leaf1", "dst_leaf": "leaf2", "src": "client1", "dst": "client2"}


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def queries() -> list[Any]:
    found = []
    for path in DASHBOARDS:
        board = load(path)
        asked = [(panel["title"], target["query"]) for panel in board["panels"] for target in panel["targets"]]
        asked += [(f"choice of {each['name']}", each["query"]) for each in board["templating"]["list"]]
        found += [pytest.param(query, id=f"{path.stem}: {title}") for title, query in asked]
    return found


def example(t_ns: int, step: int) -> list[Record]:
    counted = [name for name, field in NodeCounters.model_fields.items() if field.annotation is int and name != "t_ns"]
    return [
        Probe(
            t_ns=t_ns, epoch=step, src="client1", dst="client2", src_ip="192.168.101.2", dst_ip="192.168.102.2",
            src_leaf="leaf1", dst_leaf="leaf2", path_type="cross_rack", first_port=33000, ports_sent=3, ports_lost=2,
            packets_sent=2, packets_lost=1, send_errors=0, rtt_min_ms=1.0, rtt_avg_ms=1.0, rtt_max_ms=1.0,
            rtt_p90_ms=1.0, rtt_p99_ms=1.0, rtt_ms_by_port=(1.0, None),
        ),
        CollectorHealth(
            t_ns=t_ns, collector="pingmesh", epoch=step, is_complete=True, records_written=1, overload_drops=0
        ),
        CollectorGap(t_ns=t_ns, since_ns=t_ns - 9, collector="bgp", source="leaf1", missing=1, what="no answer"),
        BgpNeighbor(
            t_ns=t_ns, source="leaf1", neighbor_address="10.1.1.1", session_state="Active", asn=65001,
            prefixes_received=0, msg_rcvd=step, msg_sent=step, up_down=1.0, times_lost=1,
        ),
        BgpEvent(
            t_ns=t_ns, source="leaf1", neighbor_address="10.1.1.1", from_state="Established", to_state="Active",
            times_lost=1,
        ),
        InterfaceCounters(
            t_ns=t_ns, source="leaf1", interface="eth1", in_octets=step, in_packets=step, in_discards=step,
            in_errors=step, out_octets=1000 * step, out_packets=step, out_discards=step, out_errors=step,
        ),
        NodeCounters(t_ns=t_ns, source="leaf1", **dict.fromkeys(counted, step)),
        LogLine(
            t_ns=t_ns, source="leaf1", severity="info", facility="daemon", program="bgpd", pid=7, message="hello"
        ),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def filled(telemetry_services: Any) -> InfluxAddress:
    address: InfluxAddress = telemetry_services.setup.address
    with closing(InfluxStore(address, BRISK)) as store:
        now = now_ns()
        for step in (1, 2, 3):
            store.append(example(now - (4 - step) * 10**9, step))
    return address


@pytest.mark.parametrize("query", queries())
def test_a_query_finds_what_is_stored(filled: InfluxAddress, query: str) -> None:
    for name, value in {**CHOSEN, "bucket": filled.bucket}.items():
        query = query.replace(f"${{{name}}}", value)
    for name, value in {"timeRangeStart": "-5m", "timeRangeStop": "now()", "windowPeriod": "1s"}.items():
        query = query.replace(f"v.{name}", value)
    assert "${" not in query
    with closing(InfluxConnection(filled)) as connection:
        assert connection.query(query) != []


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)
def test_all_of_a_dashboard_uses_the_provisioned_source_and_chooses_what_it_asks_with(path: Path) -> None:
    provisioned = yaml.safe_load((GRAFANA / "provisioning" / "datasources" / "influxdb.yaml").read_text())
    (source,) = provisioned["datasources"]
    board = load(path)
    askers = [*board["panels"], *(target for panel in board["panels"] for target in panel["targets"])]
    askers += board["templating"]["list"]
    assert {asker["datasource"]["uid"] for asker in askers} == {source["uid"]}
    assert source["jsonData"]["version"] == "Flux"
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_the_matrix_leads_from_leaves_to_clients_to_a_path() -> None:
    board = load(GRAFANA / "dashboards" / "pingmesh-matrix.json")
    links = [link["url"] for panel in board["panels"] for link in panel["fieldConfig"]["defaults"].get("links", [])]
    assert any("var-src_leaf=${__data.fields.src_leaf}" in link for link in links)
    assert any("var-src=${__data.fields.src_name}" in link for link in links)
    assert all(f"/d/{board['uid']}?" in link for link in links)
