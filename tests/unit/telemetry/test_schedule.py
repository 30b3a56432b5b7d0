"""The coverage schedule: everything once, evenly, and without bursts."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netopsbench.telemetry.schedule import PORTS, coverage, cycles, df_coverage, ordered_pairs, row_of

BATCHES = st.sampled_from([(16,), (8, 8), (6, 6, 4), (4, 4, 4, 4)])


@given(clients=st.integers(2, 9), batches=BATCHES, destinations=st.integers(0, 10))
def test_every_pair_is_probed_on_every_port_exactly_once(
    clients: int, batches: tuple[int, ...], destinations: int
) -> None:
    plan = coverage(clients, 1_000_000, batches, destinations)
    probes = Counter(zip(plan.sources, plan.destinations, plan.ports, strict=True))
    assert set(probes.values()) == {1}
    assert len(probes) == clients * (clients - 1) * PORTS
    assert all(source != destination for source, destination, _ in probes)


@given(clients=st.integers(2, 9), batches=BATCHES, destinations=st.integers(0, 10))
def test_probes_are_due_in_order_and_each_cycle_within_its_time(
    clients: int, batches: tuple[int, ...], destinations: int
) -> None:
    plan = coverage(clients, 1_000_000, batches, destinations)
    assert list(plan.due_ns) == sorted(plan.due_ns)
    assert plan.due_ns[-1] < 1_000_000 * len(cycles(clients, batches, destinations))


@given(clients=st.integers(2, 9), batches=BATCHES, destinations=st.integers(0, 10))
def test_every_destination_gets_one_dont_fragment_probe_a_cycle_from_a_port_of_it(
    clients: int, batches: tuple[int, ...], destinations: int
) -> None:
    plan = coverage(clients, 1_000_000, batches, destinations, with_df=True)
    large = [entry for entry in zip(plan.sources, plan.destinations, plan.ports, plan.is_df, strict=True) if entry[3]]
    pairs = Counter((source, destination) for source, destination, _, _ in large)
    assert set(pairs.values()) == {len(batches)}
    assert len(pairs) == clients * (clients - 1)
    bounds = [sum(batches[:number]) for number in range(len(batches) + 1)]
    for pair in pairs:
        ports = sorted(port for source, destination, port, _ in large if (source, destination) == pair)
        assert all(low <= port < high for port, low, high in zip(ports, bounds, bounds[1:], strict=False))


@given(clients=st.integers(2, 9), low=st.integers(0, 15))
def test_dont_fragment_probes_of_their_own_part_reach_every_pair_from_each_port(clients: int, low: int) -> None:
    plan = df_coverage(clients, range(low, 16), 500, 1_000_000)
    assert len(set(zip(plan.sources, plan.destinations, plan.ports, strict=True))) == len(plan)
    assert len(plan) == clients * (clients - 1) * (16 - low)
    assert set(plan.is_df) == {1}
    assert plan.due_ns[0] == 500
    assert plan.due_ns[-1] < 500 + 1_000_000


def test_consecutive_probes_leave_from_different_clients() -> None:
    plan = coverage(8, 1_000_000, (16,), 0)
    assert all(first != second for first, second in zip(plan.sources, plan.sources[1:], strict=False))


def test_rows_stand_in_the_order_of_the_pairs() -> None:
    names = ["a", "b", "c", "d"]
    rows = [row_of(4, names.index(src), names.index(dst)) for src, dst in ordered_pairs(names)]
    assert rows == list(range(12))


def test_the_published_large_schedule_has_32_and_36_cycles() -> None:
    assert len(cycles(128, (4, 4, 4, 4), 16)) == 32
    assert len(cycles(144, (4, 4, 4, 4), 16)) == 36


def test_the_published_medium_batches_cover_all_ports() -> None:
    assert [list(cycle.ports) for cycle in cycles(16, (6, 6, 4), 0)] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10, 11],
        [12, 13, 14, 15],
    ]


@pytest.mark.parametrize("batches", [(8,), (16, 16), (16, 0), (20, -4)])
def test_port_batches_that_miss_the_ports_are_refused(batches: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="must add up to 16"):
        cycles(4, batches, 0)
