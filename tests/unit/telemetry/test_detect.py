"""The published observation rules, at and beside their thresholds."""

from collections.abc import Sequence
from math import comb

import pytest
from probe_rows import probe_row

from netopsbench.records.telemetry import Probe
from netopsbench.telemetry import detect as rules
from netopsbench.telemetry.detect import LOST_PROBES, Anomaly, PathSummary, PortDetail
from netopsbench.telemetry.path_table import Pair, table_of_probes

PAIR = [("a", "b")]


def detect(baseline: Sequence[Probe], current: Sequence[Probe]) -> tuple[Anomaly, ...]:
    return rules.detect(table_of_probes(baseline), table_of_probes(current))


def baseline_problems(probes: Sequence[Probe], expected: Sequence[Pair]) -> tuple[str, ...]:
    return rules.baseline_problems(table_of_probes(probes), expected)


def missing_pairs(probes: Sequence[Probe], expected: Sequence[Pair]) -> tuple[Pair, ...]:
    return rules.missing_pairs(table_of_probes(probes), expected)


def mesh_summary(probes: Sequence[Probe]) -> tuple[PathSummary, ...]:
    return rules.mesh_summary(table_of_probes(probes))


def port_detail(probes: Sequence[Probe], src: str, dst: str) -> tuple[PortDetail, ...]:
    return rules.port_detail(table_of_probes(probes), src, dst)


def row(
    lost: int = 0,
    rtt_ms: float = 0.2,
    *,
    epoch: int = 1,
    src: str = "a",
    dst: str = "b",
    sent: int = 16,
    df_lost: int = 0,
    df_refused: int = 0,
    **rest: int,
) -> Probe:
    """One epoch of a pair: `lost` of the first `sent` ports lost, all others answered in `rtt_ms`.

    Of its 16 don't-fragment probes the first `df_lost` were lost, the first `df_refused` of them on the host itself.
    """
    return probe_row(
        epoch,
        [rtt_ms if lost <= port < sent else None for port in range(16)],
        src=src,
        dst=dst,
        ports_sent=(1 << sent) - 1,
        ports_lost=(1 << lost) - 1,
        packets_sent=sent,
        packets_lost=lost,
        df_sent=16,
        df_lost=df_lost,
        df_send_errors=df_refused,
        df_ports_sent=0xFFFF,
        df_ports_lost=(1 << df_lost) - 1,
        df_ports_refused=(1 << df_refused) - 1,
    ).model_copy(update=rest)


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
        df_sent=48,
        df_lost=0,
        df_send_errors=0,
        baseline_df_loss_pct=0.0,
    )


def test_no_data_is_neither_loss_nor_health() -> None:
    assert detect(HEALTHY, []) == ()
    assert detect([], []) == ()
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
        ([row(df_lost=4)], "a to b: 4 of 16 don't-fragment probes were lost"),
        ([row(df_lost=1, df_refused=1)], "a to b: 1 don't-fragment probes were refused by a itself"),
        ([row(df_ports_sent=0)], "a to b: epoch 1 has no don't-fragment probe"),
    ],
    ids=["healthy", "empty", "port missing", "unreachable", "loss", "slow", "df loss", "df error", "no df"],
)
def test_a_baseline_is_complete_reachable_lossless_quick_and_carries_large_packets(
    probes: list[Probe], problem: str | None
) -> None:
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


@pytest.mark.parametrize(("probes", "needed"), [(48, LOST_PROBES), (6, 2)], ids=["ordinary", "don't fragment"])
def test_chance_loss_makes_no_false_anomaly_on_the_largest_mesh(probes: int, needed: int) -> None:
    base_loss, paths = 1e-4, 20_592
    chance = sum(
        comb(probes, lost) * base_loss**lost * (1 - base_loss) ** (probes - lost) for lost in range(needed, probes + 1)
    )
    assert 100 * needed / probes >= 5
    assert paths * chance < 1e-2


def test_one_lost_large_probe_of_the_six_in_three_epochs_of_the_largest_mesh_is_no_anomaly() -> None:
    two_a_time = {"df_sent": 2, "df_ports_sent": 0b11}
    current = [row(epoch=1, df_lost=1, **two_a_time), row(epoch=2, **two_a_time), row(epoch=3, **two_a_time)]
    assert detect(HEALTHY, current) == ()
    assert kinds(detect(HEALTHY, [*current[:2], row(epoch=3, df_lost=1, **two_a_time)])) == [
        "mtu_or_fragmentation_suspect"
    ]


def df_rows(df_lost: Sequence[int], lost: int = 0, df_refused: int = 0, **rest: int) -> list[Probe]:
    return [
        row(lost, epoch=number, df_lost=packets, df_refused=df_refused, **rest)
        for number, packets in enumerate(df_lost, 1)
    ]


@pytest.mark.parametrize(
    ("df_lost", "expected"),
    [([3, 3, 3], []), ([4, 3, 3], ["mtu_or_fragmentation_suspect"]), ([16, 16, 16], ["mtu_or_fragmentation_suspect"])],
    ids=["9 of 48", "10 of 48", "all"],
)
def test_large_packets_that_do_not_pass_count_from_twenty_percent(df_lost: list[int], expected: list[str]) -> None:
    assert kinds(detect(HEALTHY, df_rows(df_lost))) == expected


@pytest.mark.parametrize(("df_lost", "expected"), [([6, 6, 6], []), ([7, 7, 6], ["mtu_or_fragmentation_suspect"])])
def test_large_packets_count_from_fifteen_points_above_the_baseline(df_lost: list[int], expected: list[str]) -> None:
    # The baseline lost 12 of 48, 25 %: 18 are 37.5 %, 20 are 41.7 %.
    assert kinds(detect(df_rows([4, 4, 4]), df_rows(df_lost))) == expected


def test_ordinary_loss_at_its_threshold_is_no_matter_of_size() -> None:
    assert kinds(detect(HEALTHY, df_rows([16, 16, 16], lost=1))) == ["packet_loss"]
    assert kinds(detect(HEALTHY, df_rows([16, 16, 16], lost=16))) == ["path_unreachable"]


def test_loss_below_its_threshold_leaves_the_matter_of_size_open() -> None:
    current = [*df_rows([16, 16, 16]), row(2, epoch=4, df_lost=16)]
    assert kinds(detect(HEALTHY, current)) == ["mtu_or_fragmentation_suspect"]


def test_one_refused_large_probe_is_enough() -> None:
    (found,) = detect(HEALTHY, [*HEALTHY, row(epoch=4, df_lost=1, df_refused=1)])
    assert (found.kind, found.df_sent, found.df_lost, found.df_send_errors) == (
        "mtu_or_fragmentation_suspect",
        64,
        1,
        1,
    )


MANY_HEALTHY = [row(epoch=number) for number in range(1, 6)]


@pytest.mark.parametrize(
    ("lost", "refused", "expected"),
    [(0b111, 0, []), (0b11, 0, ["mtu"]), (0b111, 0b1, ["mtu"]), (0b111 << 8, 0, ["mtu"])],
    ids=["3 lost", "2 lost", "another local error", "3 lost in the other batch"],
)
def test_a_refused_large_probe_is_explained_by_three_losses_of_its_own_batch_alone(
    lost: int, refused: int, expected: list[str]
) -> None:
    # 3 of 96 ordinary probes are below the threshold of loss.
    bad = row(
        epoch=6, df_lost=1, df_refused=1, ports_lost=lost, packets_lost=lost.bit_count(), ports_refused=refused,
        send_errors=refused.bit_count(),
    )  # fmt: skip
    current = [probe.model_copy(update={"batch_starts": 1 | 1 << 8}) for probe in [*MANY_HEALTHY, bad]]
    assert [kind[:3] for kind in kinds(detect(HEALTHY, current))] == expected


def test_explained_refusals_are_no_loss_of_large_packets_either() -> None:
    current = [*MANY_HEALTHY, row(3, epoch=6, df_lost=16, df_refused=16)]
    assert detect(HEALTHY, current) == ()


def test_damaged_answers_are_no_loss() -> None:
    current = [row(epoch=number, packets_corrupted=4, ports_corrupted=0b1111) for number in (1, 2, 3)]
    assert detect(HEALTHY, current) == ()
    assert [port.packets_corrupted for port in port_detail(current, "a", "b")[:5]] == [3, 3, 3, 3, 0]


def test_port_detail_tells_from_which_port_large_packets_do_not_pass() -> None:
    ports = port_detail([row(df_lost=2, epoch=1), row(df_lost=1, epoch=2)], "a", "b")
    assert [(port.df_sent, port.df_lost) for port in ports[:3]] == [(2, 2), (2, 1), (2, 0)]


def test_rows_that_begin_at_different_source_ports_are_told_apart() -> None:
    later = row(1, epoch=2, first_port=33002)
    ports = port_detail([row(1, epoch=1), later], "a", "b")
    assert [(port.port, port.packets_sent, port.packets_lost) for port in ports[:3]] == [
        (33000, 1, 1),
        (33001, 1, 0),
        (33002, 2, 1),
    ]
    assert (ports[-1].port, ports[-1].packets_sent) == (33017, 1)


def test_pairs_with_fewer_rows_than_others_keep_their_own_median() -> None:
    found = mesh_summary([row(0, 2.0, epoch=1), row(0, 4.0, epoch=2), row(0, 7.0, epoch=1, dst="c")])
    assert [(path.dst, path.rtt_median_ms) for path in found] == [("b", 3.0), ("c", 7.0)]


def test_absent_data_is_no_measurement_and_total_loss_is_one() -> None:
    nothing, dead = table_of_probes([]), table_of_probes(epochs([16, 16, 16]))
    assert (len(nothing), nothing.epochs) == (0, ())
    assert (dead.counts["packets_lost"].tolist(), dead.epochs) == ([48], (1, 2, 3))
    assert mesh_summary([]) == ()
