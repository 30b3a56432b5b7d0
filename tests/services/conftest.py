"""Services of one test alone, which it may kill."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from netopsbench.core.process import run
from netopsbench.telemetry.services.programs import Programs
from netopsbench.telemetry.services.running import Services, services_running
from netopsbench.telemetry.services.setup import Setup, new_setup


@pytest.fixture
def setup(programs: Programs, tmp_path: Path) -> Setup:
    return new_setup(tmp_path / "services", programs, keep_s=0)


@pytest.fixture
def own(setup: Setup) -> Iterator[Services]:
    with services_running(setup) as services:
        yield services


@pytest.fixture
def small_disk(programs: Programs, tmp_path: Path) -> Iterator[Services]:
    """Services of which InfluxDB has a disk of 3 MB."""
    own_mounts = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or not run([*own_mounts, "true"], timeout_s=10).is_ok:
        pytest.skip("a small disk of its own needs user namespaces")
    setup = new_setup(tmp_path / "services", programs, keep_s=0)
    disk = setup.folder / "influxdb"
    disk.mkdir(parents=True)
    wrapper = tmp_path / "influxd"
    wrapper.write_text(
        f"#!/bin/sh\nexec {' '.join(own_mounts)} sh -c "
        f'\'mount -t tmpfs -o size=3m none {disk} && exec {programs.influxd} "$@"\' influxd "$@"\n'
    )
    wrapper.chmod(0o755)
    small = setup.model_copy(update={"programs": programs.model_copy(update={"influxd": str(wrapper)})})
    with services_running(small) as services:
        yield services
