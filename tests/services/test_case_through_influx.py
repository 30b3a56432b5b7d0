"""Whole cases whose records take the way through Telegraf and InfluxDB, also when one of the two is killed."""

import os
import re
import signal
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from case_runs import CLIENT_CABLE, Follower, campaign_of, netopsbench, phases_of, written
from points import around_now

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.run import Terms, run
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.records.telemetry import Probe, Window
from netopsbench.records.trial import Trial
from netopsbench.scoring.run import ScoredRun, score_run
from netopsbench.telemetry.detect import Anomaly, detect
from netopsbench.telemetry.duckdb_store import DuckDbStore
from netopsbench.telemetry.influx_address import TELEGRAF_TOKEN_VARIABLE, TOKEN_VARIABLE, InfluxAddress
from netopsbench.telemetry.influx_query import read_records
from netopsbench.telemetry.path_table import measured, table_of_probes
from netopsbench.telemetry.services.running import Service, Services, start_influxdb, start_telegraf, stop
from netopsbench.telemetry.services.setup import Setup
from netopsbench.telemetry.tables import tables

pytestmark = [pytest.mark.live, pytest.mark.slow]

RESTART: dict[str, Callable[[Setup], Service]] = {"telegraf": start_telegraf, "influxdb": start_influxdb}


def url_of(address: InfluxAddress) -> str:
    """The address as a user writes it, without the tokens."""
    return f"influx://{address.url.removeprefix('http://')}/{address.bucket}?telegraf={address.write_url}"


def tokens_of(address: InfluxAddress) -> dict[str, str]:
    return {TOKEN_VARIABLE: address.token, TELEGRAF_TOKEN_VARIABLE: address.write_token}


def tried(
    address: InfluxAddress,
    engine: NativeEngine,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    follower: Follower | None = None,
) -> ScoredRun:
    """One case, tried once."""
    monkeypatch.setattr("netopsbench.campaign.run.ATTEMPTS", 1)
    for name, token in tokens_of(address).items():
        monkeypatch.setenv(name, token)
    source = written(campaign_of(CLIENT_CABLE), folder / "campaign.yaml")
    plan = plan_run(RunRequest(source=str(source), agents=("baseline",)))
    run(plan, engine, folder / "run", follower or Follower(), Terms(workers=1, telemetry=url_of(address)))
    return score_run(folder / "run")


def windows_of(trial: Trial) -> tuple[Window, Window]:
    assert trial.baseline_mesh is not None
    assert trial.fault_mesh is not None
    return trial.baseline_mesh.window, trial.fault_mesh.window


def probes_in(address: InfluxAddress, window: Window) -> list[Probe]:
    return [record for record in read_records(address, "probe", window, None) if isinstance(record, Probe)]


def anomalies_in_duckdb(address: InfluxAddress, windows: tuple[Window, Window], database: Path) -> tuple[Anomaly, ...]:
    """What the embedded store shows once all records of the trial are copied into it."""
    everything = around_now()
    with closing(DuckDbStore(database)) as inside:
        for kind in tables():
            inside.append(read_records(address, kind, everything, None))
        return detect(*(measured(inside, window) for window in windows))


def test_a_case_is_judged_as_with_the_embedded_store_and_both_stores_show_its_anomalies(
    engine: NativeEngine, influx_address: InfluxAddress, tmp_path: Path
) -> None:
    campaign = written(campaign_of(CLIENT_CABLE), tmp_path / "campaign.yaml")
    words = ("benchmark", "run", str(campaign), "--agent", "baseline", "--workers", "1")
    inside = netopsbench(*words, "--out", "inside", cwd=tmp_path)
    outside = netopsbench(
        *words, "--out", "outside", "--telemetry", url_of(influx_address),
        cwd=tmp_path, env=tokens_of(influx_address),
    )  # fmt: skip
    assert (inside.returncode, outside.returncode) == (0, 0), inside.stderr + outside.stderr

    runs = [score_run(tmp_path / name) for name in ("inside", "outside")]
    assert [score.strict for each in runs for score in each.scores] == [1.0, 1.0]
    answers = [trial.answer for each in runs for trial in each.records.trials]
    assert answers[0] is not None
    assert answers[1] is not None
    assert answers[0].verdict == answers[1].verdict == "fault_detected"
    assert [finding.location for finding in answers[0].findings] == [each.location for each in answers[1].findings]

    [path] = (tmp_path / "outside" / "trials").iterdir()
    windows = windows_of(Trial.model_validate_json(path.read_bytes()))
    told = detect(*(table_of_probes(probes_in(influx_address, window)) for window in windows))
    assert {anomaly.kind for anomaly in told} == {"path_unreachable"}
    assert anomalies_in_duckdb(influx_address, windows, tmp_path / "copy.duckdb") == told


@pytest.mark.parametrize("victim", ["telegraf", "influxdb"])
def test_a_service_killed_in_the_fault_window_and_started_again_loses_nothing_of_the_case(
    victim: str, own: Services, engine: NativeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service: Service = getattr(own, victim)
    successors: list[Service] = []

    def replace() -> None:
        stop(service)
        successors.append(RESTART[victim](own.setup))

    def strike() -> None:
        os.kill(service.pid, signal.SIGKILL)
        replacing.start()

    replacing = threading.Thread(target=replace)
    try:
        scored = tried(own.setup.address, engine, tmp_path, monkeypatch, Follower({"observe": strike}))
        replacing.join()
        [trial] = whole_trials_of(scored, tmp_path)
        assert trial.end == "scored", trial.error
        [score] = scored.scores
        assert score.strict == 1.0
        found = probes_in(own.setup.address, windows_of(trial)[1])
        assert (
            sorted((each.src, each.dst) for each in found)
            == [("client1", "client2")] * 2 + [("client2", "client1")] * 2
        )
    finally:
        for successor in successors:
            stop(successor)


@pytest.mark.parametrize("victim", ["telegraf", "influxdb"])
def test_a_service_killed_for_good_in_the_fault_window_makes_the_trial_invalid_and_is_named(
    victim: str, own: Services, engine: NativeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service: Service = getattr(own, victim)
    strike = Follower({"observe": lambda: os.kill(service.pid, signal.SIGKILL)})
    scored = tried(own.setup.address, engine, tmp_path, monkeypatch, strike)
    reason, message = failure_of(scored)
    assert reason == "telemetry_failed"
    wanted = {"telegraf": "Telegraf at", "influxdb": "InfluxDB at"}[victim]
    assert re.search(rf"points were read back within 45 s: {wanted} \S+ can't be reached", message), message
    assert "agent" not in phases_of(tmp_path / "run")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"token": "netopsbench:wrong"}, "check the token"),
        ({"write_token": "wrong"}, "check the token"),
        ({"bucket": "nowhere/autogen"}, "bucket nowhere/autogen can't be used"),
    ],
    ids=["a wrong token for InfluxDB", "a wrong token for Telegraf", "a missing bucket"],
)
def test_a_mistake_in_the_address_ends_the_case_before_anything_is_injected(
    wrong: dict[str, str],
    named: str,
    influx_address: InfluxAddress,
    engine: NativeEngine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scored = tried(influx_address.model_copy(update=wrong), engine, tmp_path, monkeypatch)
    reason, message = failure_of(scored)
    assert (reason, named in message) == ("telemetry_failed", True), message
    assert not {"benign", "inject"} & set(phases_of(tmp_path / "run"))


def test_a_disk_that_is_full_ends_the_case_before_anything_is_injected(
    small_disk: Services, engine: NativeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Seen from here, the disk lies in a namespace of InfluxDB's own.
    disk = Path(f"/proc/{small_disk.influxdb.pid}/root{small_disk.setup.folder}/influxdb")
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while filler.write(bytes(4096)):
            pass
    reason, message = failure_of(tried(small_disk.setup.address, engine, tmp_path, monkeypatch))
    assert (reason, "no space left on device" in message) == ("telemetry_failed", True), message
    assert not {"benign", "inject"} & set(phases_of(tmp_path / "run"))


def whole_trials_of(scored: ScoredRun, folder: Path) -> list[Trial]:
    assert len(scored.records.trials) == 1
    return [Trial.model_validate_json(path.read_bytes()) for path in (folder / "run" / "trials").iterdir()]


def failure_of(scored: ScoredRun) -> tuple[str, str]:
    """Why the run's only trial is invalid."""
    [trial] = scored.records.trials
    assert (trial.end, scored.scores) == ("invalid", ())
    assert trial.error is not None
    return trial.error.reason, trial.error.message
