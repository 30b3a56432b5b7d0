"""Nothing is lost when Telegraf or InfluxDB is killed, stopped or slow in the middle of a window."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from points import BRISK, HASTY, around_now, sessions

from netopsbench.core.errors import InfraError
from netopsbench.telemetry.influx_address import TELEGRAF_TOKEN_VARIABLE, TOKEN_VARIABLE, InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.services.running import Service, Services, start_influxdb, start_telegraf, stop
from netopsbench.telemetry.services.setup import Setup
from netopsbench.telemetry.store_client import store_running

BATCHES, ROWS = 30, 200
RESTART: dict[str, Callable[[Setup], Service]] = {"telegraf": start_telegraf, "influxdb": start_influxdb}


def append_all(store: InfluxStore) -> None:
    for _ in range(BATCHES):
        store.append(sessions(ROWS))


@pytest.mark.parametrize("victim", ["telegraf", "influxdb"])
def test_killed_and_started_again_in_mid_window_every_point_is_there(own: Services, victim: str) -> None:
    service: Service = getattr(own, victim)
    store = InfluxStore(own.setup.address, BRISK)
    writing = threading.Thread(target=append_all, args=(store,))
    writing.start()
    while store.acknowledged["bgp_neighbor"] < 2 * ROWS:
        time.sleep(0.01)
    os.kill(service.pid, signal.SIGKILL)
    stop(service)
    successor = RESTART[victim](own.setup)
    try:
        writing.join()
        assert store.counts()["bgp_neighbor"] == BATCHES * ROWS
        assert len(store.query("bgp_neighbor", around_now())) == BATCHES * ROWS
        store.close()
    finally:
        stop(successor)


@pytest.mark.parametrize("victim", ["telegraf", "influxdb"])
def test_killed_for_good_the_failure_names_counts_and_who_is_away(own: Services, victim: str) -> None:
    store = InfluxStore(own.setup.address, HASTY)
    store.append(sessions(ROWS))
    os.kill(getattr(own, victim).pid, signal.SIGKILL)
    with pytest.raises(InfraError, match=rf"of {ROWS} points were read back .* can't be reached") as failure:
        store.append(sessions(ROWS))
    assert failure.value.reason == "telemetry_failed"


def test_a_telegraf_that_hangs_for_a_while_loses_nothing(own: Services) -> None:
    with closing(InfluxStore(own.setup.address, BRISK)) as store:
        os.kill(own.telegraf.pid, signal.SIGSTOP)
        waking = threading.Timer(2.0, os.kill, (own.telegraf.pid, signal.SIGCONT))
        waking.start()
        assert store.append(sessions(ROWS)) == ROWS
        waking.join()
        assert store.counts()["bgp_neighbor"] == ROWS


def test_points_that_vanished_after_they_were_acknowledged_are_noticed_at_the_end(
    influx_address: InfluxAddress,
) -> None:
    store = InfluxStore(influx_address, BRISK)
    store.append(sessions(5))
    empty = influx_address.bucket.replace("test-", "none-")
    InfluxConnection(influx_address).create_bucket(empty, keep_s=0)
    store.bucket = empty
    with pytest.raises(InfraError, match=r"acknowledged .*'bgp_neighbor': 5.* now holds .*'bgp_neighbor': 0"):
        store.close()


def test_a_writer_that_leaves_at_once_leaves_all_its_points_behind(
    influx_address: InfluxAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, influx_address.token)
    monkeypatch.setenv(TELEGRAF_TOKEN_VARIABLE, influx_address.write_token)
    url = influx_address.url.replace("http", "influx") + f"/{influx_address.bucket}?telegraf={influx_address.write_url}"
    with store_running(tmp_path, url) as client:
        client.append(sessions(1003))
        assert (client.written, client.acknowledged) == (1003, 1003)
    found = InfluxConnection(influx_address).query(
        f'from(bucket: "{influx_address.bucket}") |> range(start: -1h) '
        '|> filter(fn: (r) => r._measurement == "bgp_neighbors" and r._field == "asn") |> group() |> count()'
    )
    assert [row["_value"] for row in found] == ["1003"]


def test_two_stores_in_one_bucket_do_not_see_each_other(influx_address: InfluxAddress) -> None:
    with closing(InfluxStore(influx_address, BRISK)) as one, closing(InfluxStore(influx_address, BRISK)) as other:
        one.append(sessions(3))
        other.append(sessions(4))
        assert (one.counts()["bgp_neighbor"], other.counts()["bgp_neighbor"]) == (3, 4)
        assert len(one.query("bgp_neighbor", around_now())) == 3


def test_without_a_name_a_store_makes_a_bucket_of_its_own(influx_address: InfluxAddress) -> None:
    anew = influx_address.model_copy(update={"bucket": ""})
    with closing(InfluxStore(anew, BRISK)) as one, closing(InfluxStore(anew, BRISK)) as other:
        assert one.bucket != other.bucket
        assert one.append(sessions(1)) == 1
