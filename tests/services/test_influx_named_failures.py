"""What goes wrong in front of a fault window is named: token, bucket, Flux, a server that is away, a full disk."""

from contextlib import closing
from pathlib import Path

import pytest
from points import BRISK, HASTY, append_until_full, sessions

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.telemetry.influx_address import InfluxAddress
from netopsbench.telemetry.influx_client import InfluxConnection
from netopsbench.telemetry.influx_store import InfluxStore
from netopsbench.telemetry.services import running
from netopsbench.telemetry.services.programs import Programs
from netopsbench.telemetry.services.running import Services, services_running, stop
from netopsbench.telemetry.services.setup import influxdb_command, new_setup


def fails(address: InfluxAddress, wanted: str) -> None:
    with pytest.raises(InfraError, match=wanted) as failure:
        InfluxStore(address, HASTY)
    assert failure.value.reason == "telemetry_failed"


def test_a_wrong_token_for_influxdb(influx_address: InfluxAddress) -> None:
    fails(influx_address.model_copy(update={"token": "netopsbench:wrong"}), r"InfluxDB at .* 401.*check the token")


def test_a_wrong_token_for_telegraf(influx_address: InfluxAddress) -> None:
    fails(influx_address.model_copy(update={"write_token": "wrong"}), r"Telegraf at .* 401.*check the token")


def test_a_bucket_that_is_missing(influx_address: InfluxAddress) -> None:
    fails(
        influx_address.model_copy(update={"bucket": "nowhere/autogen"}),
        "bucket nowhere/autogen can't be used: .*make the bucket",
    )


def test_a_host_on_which_nothing_listens(own: Services) -> None:
    stop(own.influxdb)
    fails(own.setup.address, "InfluxDB at .* can't be reached")


def test_telegraf_that_is_away(own: Services) -> None:
    stop(own.telegraf)
    fails(own.setup.address, "Telegraf at .* can't be reached")


def test_a_telegraf_whose_own_token_is_wrong(own: Services) -> None:
    stop(own.telegraf)
    mistaken = own.setup.model_copy(update={"password": "wrong"})
    telegraf = running.start_telegraf(mistaken)
    try:
        fails(own.setup.address, "InfluxDB takes points, but Telegraf doesn't pass them on")
    finally:
        stop(telegraf)


def test_an_influxdb_1_without_flux(programs_1: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = new_setup(tmp_path / "services", programs_1, keep_s=0)
    if not setup.is_version_1:
        pytest.skip("InfluxDB 2.x can't switch Flux off")
    argv, variables = influxdb_command(setup)
    off = {**variables, "INFLUXDB_HTTP_FLUX_ENABLED": "false"}
    monkeypatch.setattr(running, "influxdb_command", lambda _: (argv, off))
    with services_running(setup) as services:
        fails(services.setup.address, "flux-enabled = true")


def test_a_field_that_somebody_stored_with_another_type(influx_address: InfluxAddress) -> None:
    line = f'bgp_neighbors,source=x asn="text" {now_ns()}'
    InfluxConnection(influx_address).write_directly(influx_address.bucket, [line])
    store = InfluxStore(influx_address, HASTY)
    with pytest.raises(InfraError, match=r"^0 of 3 points .* field type conflict"):
        store.append(sessions(3))
    store.close()


def test_a_time_in_the_wrong_unit(influx_address: InfluxAddress) -> None:
    with closing(InfluxStore(influx_address, HASTY)) as store:
        for factor in (10**9, 10**6, 10**3):
            with pytest.raises(InfraError, match="times are nanoseconds"):
                store.append(sessions(1, now_ns() // factor))
        assert store.append(sessions(1)) == 1


def test_a_full_disk(small_disk: Services) -> None:
    store = InfluxStore(small_disk.setup.address, BRISK.model_copy(update={"deliver_s": 8.0}))
    with pytest.raises(InfraError, match=r"no space left on device"):
        append_until_full(store)
