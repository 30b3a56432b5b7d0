"""The published observation rules, at and beside their thresholds."""

from collections.abc import Sequence
from math import comb

import pytest

from netopsbench.records.telemetry import Probe
from netopsbench.telemetry.detect import (
    LOST_PROBES,
    Anomaly,
    baseline_problems,
    detect,
    mesh_summary,
    missing_pairs,
    port_detail,
)

PAIR = [("a", "b")]


def row(lost: int = 0, rtt_ms: float = 0.2, *, epoch: int = 1, src: str = "a", dst: str = "b", sent: int = 16) -> Probe:
    """One epoch of a pair: `lost` of the first `sent` ports lost, all others answered in `rtt_ms`."""
    mean = rtt_ms if lost < sent else None
    return Probe(
        t_ns=epoch,
        epoch=epoch,
        src=src,
        dst=dst,
        src_ip="10.0.0.1",
        dst_ip="10.0.0.2",
        src_leaf="leaf1",
        dst_leaf="leaf2",
        path_type="cross_rack",
        first_port=33000,
        ports_sent=(1 << sent) - 1,
        ports_lost=(1 << lost) - 1,
        packets_sent=sent,
        packets_lost=lost,
        send_errors=0,
        rtt_min_ms=mean,
        rtt_avg_ms=mean,
        rtt_max_ms=mean,
        rtt_p90_ms=mean,
        rtt_p99_ms=mean,
        rtt_ms_by_port=tuple(rtt_ms if lost <= port < sent else None for port in range(16)),
    )


def epochs(lost: Sequence[int], rtt_ms: float = 0.2) -> list[Probe]:
    return [row(packets, rtt_ms, epoch=number) for number, packets in enumerate(lost, 1)]


def kinds(found: Sequence[Anomaly]) -> list[str]:
    return [anomaly.kind for anomaly in found]


HEALTHY = epochs([0, 0, 0])


def test_a_healthy_window_has_no_anomaly() -> None:
    assert detect(HEALTHY, HEALTHY) == ()


@pytest.mark.parametrize(
    ("lost", "expected"),
    [
        ([1, 1, 0], []),
        ([1, 1, 1], ["packet_loss"]),
        ([3], ["packet_loss"]),
        ([2], []),
        ([1, 1, 1, 0], []),
        ([16, 16, 15], ["packet_loss"]),
        ([16, 16, 16], ["path_unreachable"]),
    ],
    ids=["2 of 48", "3 of 48", "3 of 16", "2 of 16: too few", "3 of 64: under 5 %", "all but one", "all"],
)
def test_loss_needs_five_percent_and_three_probes(lost: list[int], expected: list[str]) -> None:
    assert kinds(detect(HEALTHY, epochs(lost))) == expected


@pytest.mark.parametrize(("lost", "expected"), [([1, 1, 2], []), ([2, 2, 1], ["packet_loss"])])
def test_loss_counts_from_five_points_above_the_baseline(lost: list[int], expected: list[str]) -> None:
    # The baseline lost 2 of 48, 4.2 %: 4 of 48 are 8.3 %, 5 of 48 are 10.4 %.
    baseline = epochs([1, 1, 0])
    assert kinds(detect(baseline, epochs(lost))) == expected


def test_exactly_five_percent_counts() -> None:
    assert kinds(detect(HEALTHY, epochs([4, 0, 0, 0, 0]))) == ["packet_loss"]


def test_loss_elsewhere_in_the_rack_amplifies_nothing() -> None:
    current = [row(2, src="a", dst="b"), row(2, src="a", dst="c"), row(2, src="b", dst="c")]
    assert detect(HEALTHY, current) == ()


@pytest.mark.parametrize(("rtt_ms", "expected"), [(20.1, []), (20.25, ["latency_spike"]), (120.0, ["latency_spike"])])
def test_latency_counts_from_twenty_milliseconds_above_the_baseline(rtt_ms: float, expected: list[str]) -> None:
    assert kinds(detect(epochs([0, 0, 0], 0.25), epochs([0, 0, 0], rtt_ms))) == expected


def test_a_single_slow_epoch_is_no_latency_spike() -> None:
    current = [row(rtt_ms=0.2, epoch=1), row(rtt_ms=500.0, epoch=2), row(rtt_ms=0.2, epoch=3)]
    assert detect(HEALTHY, current) == ()


def test_epochs_of_total_loss_do_not_count_as_quick() -> None:
    current = [row(16, epoch=1), row(0, 50.0, epoch=2), row(0, 50.0, epoch=3)]
    assert kinds(detect(HEALTHY, current)) == ["packet_loss", "latency_spike"]


def test_an_anomaly_carries_the_figures_that_make_it_one() -> None:
    (found,) = detect(HEALTHY, epochs([4, 4, 4], 1.0))
    assert found == Anomaly(
        kind="packet_loss",
        src="a",
        dst="b",
        packets_sent=48,
        packets_lost=12,
        loss_pct=25.0,
        baseline_loss_pct=0.0,
        rtt_median_ms=1.0,
        baseline_rtt_median_ms=0.2,
    )


def test_no_data_is_neither_loss_nor_health() -> None:
    assert detect(HEALTHY, []) == ()
    assert missing_pairs([], PAIR) == (("a", "b"),)
    assert missing_pairs([row(sent=0)], PAIR) == (("a", "b"),)
    assert missing_pairs([row(16)], PAIR) == ()


def test_a_baseline_that_never_probed_a_pair_is_marked_as_none() -> None:
    (found,) = detect([], epochs([16, 16]))
    assert (found.kind, found.baseline_loss_pct, found.baseline_rtt_median_ms) == ("path_unreachable", None, None)


@pytest.mark.parametrize(
    ("probes", "problem"),
    [
        (HEALTHY, None),
        ([], "a to b: no probe"),
        ([*HEALTHY, row(sent=15, epoch=4)], "a to b: epoch 4 covers 15 of 16 source ports"),
        (epochs([16, 16, 16]), "a to b: unreachable, all 48 probes were lost"),
        (epochs([2, 2, 2]), "a to b: 6 of 48 probes were lost"),
        (epochs([0, 0, 0], 60.0), "a to b: the round trip takes 60.0 ms"),
    ],
    ids=["healthy", "empty", "port missing", "unreachable", "loss", "slow"],
)
def test_a_baseline_is_complete_reachable_lossless_and_quick(probes: list[Probe], problem: str | None) -> None:
    assert baseline_problems(probes, PAIR) == ((problem,) if problem else ())


def test_a_baseline_of_no_pairs_at_all_is_refused() -> None:
    assert baseline_problems([], []) == ("the mesh has no pairs: nothing was measured",)


def test_an_epoch_without_one_of_the_pairs_is_incomplete() -> None:
    probes = [row(epoch=1), row(epoch=1, src="b", dst="a"), row(epoch=2)]
    assert baseline_problems(probes, [("a", "b"), ("b", "a")]) == ("b to a: epoch 2 covers 0 of 16 source ports",)


def test_the_mesh_summary_adds_up_a_pair_over_its_epochs() -> None:
    (path,) = mesh_summary([row(16, epoch=1), row(0, 2.0, epoch=2), row(0, 4.0, epoch=3)])
    assert (path.packets_sent, path.packets_lost, path.rtt_median_ms) == (48, 16, 3.0)


def test_port_detail_tells_which_source_port_is_bad() -> None:
    ports = port_detail([row(1, epoch=1), row(2, 5.0, epoch=2)], "a", "b")
    assert [(each.port, each.packets_sent, each.packets_lost, each.rtt_median_ms) for each in ports[:3]] == [
        (33000, 2, 2, None),
        (33001, 2, 1, 0.2),
        (33002, 2, 0, 2.6),
    ]
    assert port_detail([row()], "b", "a") == ()


def test_chance_loss_makes_no_false_anomaly_on_the_largest_mesh() -> None:
    base_loss, probes, paths = 1e-4, 48, 20_592
    chance = sum(
        comb(probes, lost) * base_loss**lost * (1 - base_loss) ** (probes - lost)
        for lost in range(LOST_PROBES, probes + 1)
    )
    assert paths * chance < 1e-3
