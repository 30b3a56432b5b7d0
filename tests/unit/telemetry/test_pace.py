"""The pace of a fabric: published, or as quick as the machine allows."""

import pytest
from pydantic import ValidationError
from star_fabric import star_plan

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
def test_the_fast_pace_sends_all_ordinary_probes_in_one_cycle_within_its_limit(
    clients: int, least_s: float, most_s: float
) -> None:
    pace = pace_for(star_plan(clients), "fast")
    assert least_s <= pace.cycle_s <= most_s
    assert (pace.port_batches, pace.destinations) == ((16,), 0)


@pytest.mark.parametrize("clients", [2, 8, 16, 64, 128, 144])
def test_dont_fragment_probes_come_after_the_others_and_fill_no_buffer(clients: int) -> None:
    pace = pace_for(star_plan(clients), "fast")
    probes = clients * (clients - 1) * max(pace.df_batches)
    assert pace.epoch_s == pytest.approx(pace.cycle_s + pace.df_s)
    assert probes / pace.df_s <= 12_001
    # 24 wait in a full buffer: a client that is held up for a tenth of a second loses none.
    assert probes / clients / pace.df_s * 0.1 <= 24.01


@pytest.mark.parametrize(
    ("clients", "epochs"), [(2, 1), (8, 1), (16, 2), (64, 3)], ids=["xs", "small", "medium", "large"]
)
def test_a_window_of_three_epochs_sends_dont_fragment_probes_from_all_ports(clients: int, epochs: int) -> None:
    assert len(pace_for(star_plan(clients), "fast").df_batches) == epochs


def test_dont_fragment_probes_take_no_more_than_a_fifth_of_the_largest_epochs() -> None:
    pace = pace_for(star_plan(144), "fast")
    assert pace.df_s / pace.epoch_s < 0.2


@pytest.mark.parametrize("timing", ["fast", "paper"])
def test_the_timeout_leaves_room_for_a_delay_of_120_ms_both_ways(timing: str) -> None:
    assert pace_for(star_plan(2), "paper" if timing == "paper" else "fast").timeout_s >= 0.5


@pytest.mark.parametrize("batches", [(8,), (16, 16), (20, -4), ()])
def test_port_batches_that_miss_the_ports_are_refused(batches: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match="must add up to 16"):
        Pace(epoch_s=1, cycle_s=1, timeout_s=1, port_batches=batches)
    with pytest.raises(ValidationError, match="must add up to 16"):
        Pace(epoch_s=1, cycle_s=1, timeout_s=1, df_batches=batches)
