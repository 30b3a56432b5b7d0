"""Fixtures of the telemetry tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from star_fabric import StarFabric, star_running


@pytest.fixture
def star() -> Iterator[Callable[[int], StarFabric]]:
    """Starts a fabric of so many clients on one bridge; it is gone after the test."""
    with ExitStack() as running:
        yield lambda clients: running.enter_context(star_running(clients))
