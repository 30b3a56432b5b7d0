"""Services of one test alone, which it may kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from netopsbench.core.errors import UnsupportedError
from netopsbench.telemetry.services.programs import Programs, find_programs
from netopsbench.telemetry.services.running import Services, services_running
from netopsbench.telemetry.services.setup import Setup, new_setup


@pytest.fixture(scope="session")
def programs() -> Programs:
    try:
        return find_programs()
    except UnsupportedError as reason:
        pytest.skip(f"no Telegraf or InfluxDB here: {reason}")


@pytest.fixture
def setup(programs: Programs, tmp_path: Path) -> Setup:
    return new_setup(tmp_path / "services", programs, keep_s=0)


@pytest.fixture
def own(setup: Setup) -> Iterator[Services]:
    with services_running(setup) as services:
        yield services
