"""Services of one test alone, which it may kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
