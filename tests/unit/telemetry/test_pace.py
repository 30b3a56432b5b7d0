"""The pace of a fabric: published, or as quick as the machine allows."""

import pytest
from conftest import star_plan
from pydantic import ValidationError

from netopsbench.telemetry.pace import Pace, pace_for


@pytest.mark.parametrize(
    ("clients", "epoch_s", "cycle_s", "port_batches", "destinations"),
    [
        (2, 2, 1, (8, 8), 0),
        (8, 2, 1, (8, 8), 0),
        (16, 3, 1, (6, 6, 4), 0),
        (64, 4, 1, (4, 4, 4, 4), 0),
        (128, 102, 3, (4, 4, 4, 4), 16),
        (144, 114, 3, (4, 4, 4, 4), 16),
    ],
    ids=["xs", "small", "medium", "large", "xlarge and k8", "k12"],
)
def test_the_paper_pace_is_the_published_one(
    clients: int, epoch_s: float, cycle_s: float, port_batches: tuple[int, ...], destinations: int
) -> None:
    pace = pace_for(star_plan(clients), "paper")
    assert (pace.epoch_s, pace.cycle_s) == (epoch_s, cycle_s)
    assert (pace.port_batches, pace.destinations) == (port_batches, destinations)


@pytest.mark.parametrize(
    ("clients", "least_s", "most_s"),
    [(2, 0.3, 0.5), (8, 0.3, 0.5), (64, 3, 4), (128, 12, 15), (144, 16, 18)],
    ids=["xs", "small", "large", "xlarge and k8", "k12"],
)
def test_the_fast_pace_sends_an_epoch_in_one_cycle_within_its_limit(
    clients: int, least_s: float, most_s: float
) -> None:
    pace = pace_for(star_plan(clients), "fast")
    assert least_s <= pace.epoch_s <= most_s
    assert (pace.cycle_s, pace.port_batches, pace.destinations) == (pace.epoch_s, (16,), 0)


@pytest.mark.parametrize("timing", ["fast", "paper"])
def test_the_timeout_leaves_room_for_a_delay_of_120_ms_both_ways(timing: str) -> None:
    assert pace_for(star_plan(2), "paper" if timing == "paper" else "fast").timeout_s >= 0.5


@pytest.mark.parametrize("batches", [(8,), (16, 16), (20, -4), ()])
def test_port_batches_that_miss_the_ports_are_refused(batches: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="must add up to 16"):
        Pace(epoch_s=1, cycle_s=1, timeout_s=1, port_batches=batches)
