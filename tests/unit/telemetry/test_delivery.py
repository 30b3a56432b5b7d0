"""Records that a store acknowledged and doesn't hold end a trial, with the counts."""

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.collecting import PollReport
from netopsbench.telemetry.delivery import prove_delivery
from netopsbench.telemetry.pingmesh import EpochReport

WINDOWS = {"baseline": Window(since_ns=100, until_ns=300), "fault": Window(since_ns=500, until_ns=600)}


def epoch(number: int, started_ns: int) -> EpochReport:
    return EpochReport(
        epoch=number,
        slot=0,
        started_ns=started_ns,
        ended_ns=started_ns + 100,
        wall_minus_monotonic_ns=0,
        rows=6,
        unsent=0,
        overload_drops=0,
        stalls=0,
        late_replies=0,
        unmatched_replies=0,
        scheduled=192,
    )


EPOCHS = [epoch(1, 100), epoch(2, 200), epoch(3, 350), epoch(4, 500)]
POLLS = [PollReport(poll=1, started_ns=1, ended_ns=2, rows=10, gaps=0, what="")]


class Holding:
    """A store that holds so many records."""

    def __init__(self, baseline: int = 12, fault: int = 6, others: int = 14, probes: int = 24) -> None:
        self._inside = {100: baseline, 500: fault}
        self._whole = {"probe": probes, "log_line": others}

    def counts(self, window: Window | None = None) -> dict[str, int]:
        return self._whole if window is None else {"probe": self._inside[window.since_ns]}


def test_a_store_that_holds_what_it_acknowledged_passes() -> None:
    prove_delivery(Holding(), EPOCHS, POLLS, WINDOWS)


def test_an_epoch_that_is_stored_and_not_yet_reported_is_no_difference() -> None:
    prove_delivery(Holding(probes=30, others=15), EPOCHS, POLLS, WINDOWS)


@pytest.mark.parametrize(
    ("store", "said"),
    [
        (Holding(baseline=11), r"12 Pingmesh records of the baseline window .* in 2 epochs, and 11 are stored"),
        (Holding(fault=0), r"6 Pingmesh records of the fault window .* in 1 epochs, and 0 are stored"),
        (Holding(fault=12), r"6 Pingmesh records of the fault window .* and 12 are stored"),
        (Holding(others=13), r"38 records were acknowledged in 4 epochs and 1 polls, and 37 are stored"),
    ],
    ids=["baseline", "fault", "twice", "collectors"],
)
def test_a_difference_is_named_with_the_counts(store: Holding, said: str) -> None:
    with pytest.raises(InfraError, match=said) as caught:
        prove_delivery(store, EPOCHS, POLLS, WINDOWS)
    assert caught.value.reason == "telemetry_failed"
