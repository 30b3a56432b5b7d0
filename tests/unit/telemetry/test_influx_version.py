"""Which InfluxDB is found, and which can be used."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from netopsbench.cli.main import app
from netopsbench.core.errors import UnsupportedError
from netopsbench.telemetry.influx_version import major_version
from netopsbench.telemetry.services import state
from netopsbench.telemetry.services.programs import Programs, find_programs
from netopsbench.telemetry.services.running import Service, Services
from netopsbench.telemetry.services.setup import new_setup


@pytest.mark.parametrize(
    ("said", "major"),
    [
        ("1.8.10", 1), ("v1.13.2", 1), ("unknown", 1), ("v2.0.0-rc.4", 2), ("2.7.12", 2), ("dev", 2),
        ("1.7.11", None), ("0.13.0", None), ("3.4.0", None), ("10.0.0", None),
    ],
)  # fmt: skip
def test_versions_between_1_8_and_3_can_be_used(said: str, major: int | None) -> None:
    assert major_version(said) == major


def put_in_path(folder: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    for name in ("telegraf", "influxd"):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{said}'\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("InfluxDB v1.8.10 (git: 1.8 688e697c51fd)", "1.8.10"),
        ("InfluxDB 1.13.2 (git: unknown unknown)", "1.13.2"),
        ("InfluxDB vunknown (git: unknown unknown)", "unknown"),
        ("InfluxDB v2.7.12 (git: ec9dcde5d6) build_date: 2025-05-20T22:48:39Z", "2.7.12"),
        ("InfluxDB dev (git: none) build_date: 2026-11-30T06:00:00Z", "dev"),
    ],
)
def test_a_program_tells_its_version(said: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_path(tmp_path, monkeypatch, said)
    assert find_programs().influxdb_version == version


def test_a_program_that_is_too_old_is_named_with_those_that_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_path(tmp_path, monkeypatch, "InfluxDB v1.7.11 (git: 1.7 9d1dfa4f2a)")
    with pytest.raises(UnsupportedError, match=r"influxd is InfluxDB 1\.7\.11; InfluxDB 1\.8 or newer, or 2\.x"):
        find_programs()


@pytest.mark.parametrize(("stored", "found"), [("1.13.2", "2.7.12"), ("2.7.12", "1.8.10")])
def test_what_one_major_version_stored_is_not_given_to_the_other(
    stored: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NETOPSBENCH_HOME", str(tmp_path / "home"))
    before = Programs(telegraf="/bin/telegraf", influxd="/bin/influxd", influxdb_version=stored)
    ended = Service(name="one that ended", pid=2**30, start=1)
    state.save(Services(setup=new_setup(state.folder(), before, keep_s=60), influxdb=ended, telegraf=ended))
    put_in_path(tmp_path, monkeypatch, f"InfluxDB v{found} (git: none)")
    done = CliRunner().invoke(app, ["telemetry", "up"])
    assert done.exit_code == 2
    assert f"InfluxDB {found} can't read what {stored} stored" in " ".join(done.stderr.split())
    assert "netopsbench telemetry down --delete" in " ".join(done.stderr.split())
