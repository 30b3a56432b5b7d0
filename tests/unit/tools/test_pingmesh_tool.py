"""The Pingmesh summary tells loss, delay and missing data apart, per path and per source port."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from printing import SECOND_NS
from probe_rows import probe_row

from netopsbench.core.errors import ToolError
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.telemetry import CollectorHealth, Probe, Window
from netopsbench.telemetry.store import MemoryStore
from netopsbench.tools.context import ToolContext
from netopsbench.tools.telemetry.get_pingmesh_hotspots import get_pingmesh_hotspots
from netopsbench.tools.telemetry.get_pingmesh_summary import get_pingmesh_summary
from netopsbench.tools.telemetry.mesh_results import PingmeshPath

ALL = (1 << 16) - 1
Measured = tuple[int, float]
"""Bit mask of lost source ports, round trip of the others."""


def row(
    src: str,
    dst: str,
    t_ns: int,
    lost: int,
    rtt_ms: float,
    slow: tuple[int, float] | None = None,
    df_lost: int = 0,
    corrupted: int = 0,
) -> Probe:
    trips = [None if lost >> bit & 1 else rtt_ms for bit in range(16)]
    if slow is not None:
        trips[slow[0]] = slow[1]
    return probe_row(
        t_ns,
        trips,
        epoch=t_ns // SECOND_NS,
        src=src,
        dst=dst,
        packets_corrupted=corrupted.bit_count(),
        ports_corrupted=corrupted,
        df_sent=16,
        df_lost=df_lost.bit_count(),
        df_ports_sent=ALL,
        df_ports_lost=df_lost,
    )


Fill = Callable[..., None]


@pytest.fixture
def fill(context: ToolContext, plan: FabricPlan) -> Fill:
    """Three epochs of baseline and three of now, all healthy but the pairs given: pair to row arguments, or None."""

    def records(now: dict[tuple[str, str], dict[str, object] | None]) -> None:
        clients = [node.name for node in plan.nodes if not node.is_switch]
        rows: list[Probe | CollectorHealth] = []
        for pair in [(src, dst) for src in clients for dst in clients if src != dst]:
            change = now.get(pair, {})
            for epoch in range(3):
                rows.append(row(*pair, (1 + epoch) * SECOND_NS, 0, 0.5))
                if change is not None:
                    rows.append(row(*pair, (21 + epoch) * SECOND_NS, **{"lost": 0, "rtt_ms": 0.5, **change}))  # type: ignore[arg-type]
        for second in (3, 23):
            rows.append(
                CollectorHealth(
                    t_ns=second * SECOND_NS, collector="pingmesh", epoch=second, is_complete=second == 3,
                    records_written=12, overload_drops=0 if second == 3 else 7,
                )
            )  # fmt: skip
        store = context.store
        assert isinstance(store, MemoryStore)
        store.append(rows)

    return records


def path(paths: tuple[PingmeshPath, ...], src: str, dst: str) -> PingmeshPath:
    return next(each for each in paths if (each.src, each.dst) == (src, dst))


def test_a_healthy_mesh_is_all_ok(context: ToolContext, fill: Fill) -> None:
    fill({})
    shown = get_pingmesh_summary(context)
    assert shown.states == {"ok": 12}
    assert (shown.anomalies, shown.anomalies_total, shown.ports) == ((), 0, ())
    assert (shown.current.epochs, shown.current.pairs_expected, shown.current.pairs_seen) == (3, 12, 12)
    assert shown.current.length_s == 10


def test_total_loss_and_no_data_are_different_things(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"lost": ALL}, ("client1", "client4"): None})
    shown = get_pingmesh_summary(context)
    assert shown.states == {"unreachable": 1, "missing": 1, "ok": 10}
    dead, unknown = path(shown.paths, "client1", "client3"), path(shown.paths, "client1", "client4")
    assert dead.current is not None
    assert (dead.state, dead.current.loss_pct, dead.current.rtt_median_ms) == ("unreachable", 100, None)
    assert (unknown.state, unknown.current) == ("missing", None)
    assert unknown.baseline is not None
    assert shown.current.pairs_seen == 11
    assert [anomaly.kind for anomaly in shown.anomalies] == ["path_unreachable"]


def test_the_worst_paths_come_first_and_healthy_ones_can_be_left_out(context: ToolContext, fill: Fill) -> None:
    fill({("client4", "client1"): {"lost": ALL}, ("client2", "client1"): {"lost": 0b1}})
    shown = get_pingmesh_summary(context, only_changed=True)
    assert [(each.src, each.state) for each in shown.paths] == [("client4", "unreachable"), ("client2", "lossy")]
    assert shown.page.total == 2


def test_one_dead_source_port_is_seen_below_the_formal_threshold(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"lost": 0b100}})
    shown = get_pingmesh_summary(context, src="client1", dst="client3")
    assert shown.paths[0].lost_ports == (33002,)
    assert shown.paths[0].lossy_ports == ()
    assert shown.ports[2].packets_lost == 3
    assert shown.ports[2].rtt_median_ms is None
    assert len(shown.ports) == 16


def test_one_slow_source_port_is_seen_below_the_formal_threshold(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"slow": (5, 120.5)}})
    shown = get_pingmesh_summary(context, src="client1", dst="client3")
    assert shown.paths[0].state == "slow"
    assert shown.anomalies == ()
    assert shown.ports[5].rtt_median_ms == 120.5


def test_a_single_lost_probe_is_no_finding(context: ToolContext, fill: Fill) -> None:
    fill({})
    assert isinstance(context.store, MemoryStore)
    context.store.append([row("client1", "client2", 24 * SECOND_NS, 0b1, 0.5)])
    assert get_pingmesh_summary(context).states == {"ok": 12}


def test_the_formal_anomaly_gives_both_figures(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"rtt_ms": 40.5}})
    anomaly = get_pingmesh_summary(context).anomalies[0]
    assert (anomaly.kind, anomaly.what) == ("latency_spike", "median round trip 40.5 ms, before 0.5 ms")


def test_the_collectors_own_troubles_are_told(context: ToolContext, fill: Fill) -> None:
    fill({})
    shown = get_pingmesh_summary(context)
    assert (shown.baseline.collector.epochs_complete, shown.baseline.collector.overload_drops) == (1, 0)
    assert (shown.current.collector.epochs_incomplete, shown.current.collector.overload_drops) == (1, 7)


def test_records_outside_both_windows_are_not_counted(context: ToolContext, fill: Fill) -> None:
    fill({})
    assert isinstance(context.store, MemoryStore)
    context.store.append([row("client1", "client2", at * SECOND_NS, ALL, 0.5) for at in (15, 35)])
    assert get_pingmesh_summary(context).states == {"ok": 12}


def test_pages_add_up(context: ToolContext, fill: Fill) -> None:
    fill({})
    first = get_pingmesh_summary(context, limit=7)
    second = get_pingmesh_summary(context, limit=7, offset=first.page.next_offset or 0)
    assert second.page.next_offset is None
    assert len({(each.src, each.dst) for each in first.paths + second.paths}) == 12


def test_only_clients_are_probed(context: ToolContext) -> None:
    with pytest.raises(ToolError, match=r"leaf1 is a switch.*client1, client2"):
        get_pingmesh_summary(context, src="leaf1")


def test_a_client_is_not_probed_from_itself(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="from client1 to itself"):
        get_pingmesh_summary(context, src="client1", dst="client1")


def test_the_whole_mesh_is_worked_out_once(context: ToolContext, fill: Fill) -> None:
    fill({})
    first = get_pingmesh_summary(context)
    fill({("client1", "client2"): {"lost": ALL}})
    assert get_pingmesh_summary(context) == first


def test_large_packets_that_do_not_pass_are_a_state_and_a_formal_anomaly(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"df_lost": 0b110011}})
    shown = get_pingmesh_summary(context, src="client1", dst="client3")
    assert (shown.paths[0].state, shown.paths[0].df_lost_ports) == ("drops_large", (33000, 33001, 33004, 33005))
    assert [(port.df_sent, port.df_lost) for port in shown.ports[:3]] == [(3, 3), (3, 3), (3, 0)]
    (anomaly,) = shown.anomalies
    assert anomaly.kind == "mtu_or_fragmentation_suspect"
    assert anomaly.what == "12 of 48 don't-fragment probes lost, before 0.0 %"


def test_damaged_answers_are_told_apart_from_lost_ones(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"corrupted": 0b1000}})
    shown = get_pingmesh_summary(context, src="client1", dst="client3")
    measure = shown.paths[0].current
    assert measure is not None
    assert (shown.paths[0].state, measure.packets_corrupted, measure.packets_lost) == ("corrupted", 3, 0)
    assert shown.paths[0].corrupted_ports == (33003,)
    assert (shown.ports[3].packets_corrupted, shown.anomalies) == (3, ())


def test_a_dead_collector_is_no_quiet_network(context: ToolContext) -> None:
    for shown in (get_pingmesh_summary(context), get_pingmesh_hotspots(context)):
        assert "no data: the pingmesh collector recorded nothing" in shown.current.collector.messages[0]
        assert (shown.current.pairs_seen, shown.current.epochs) == (0, 0)
    assert get_pingmesh_summary(context).states == {"missing": 12}
    assert all(
        spot.loss_pct is None and set(spot.states) == {"missing"} for spot in get_pingmesh_hotspots(context).hotspots
    )


def test_a_collector_that_fell_silent_says_so(context: ToolContext, fill: Fill) -> None:
    fill({})
    assert isinstance(context.store, MemoryStore)
    epochs = [
        CollectorHealth(
            t_ns=round((20 + at) * SECOND_NS), collector="pingmesh", epoch=1, is_complete=True,
            records_written=12, overload_drops=0,
        )
        for at in (0.5, 1.0, 1.5)
    ]  # fmt: skip
    context = replace(context, current=Window(since_ns=20 * SECOND_NS, until_ns=22 * SECOND_NS))
    quiet = MemoryStore()
    quiet.append(epochs)
    lively = get_pingmesh_summary(replace(context, store=quiet)).current.collector
    assert lively.messages == ()
    longer = replace(context, store=quiet, current=Window(since_ns=20 * SECOND_NS, until_ns=30 * SECOND_NS))
    (message,) = get_pingmesh_summary(longer).current.collector.messages
    assert "no data in the last 8.5 s: the pingmesh collector fell silent" in message


def test_hotspots_say_between_which_switches_samples_are_bad(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"lost": 0b11}, ("client2", "client4"): {"slow": (5, 120.5)}})
    shown = get_pingmesh_hotspots(context)
    (spot,) = shown.hotspots
    assert (spot.src, spot.dst, spot.paths, spot.samples) == ("leaf1", "leaf2", 4, 64)
    assert (spot.dead_samples, spot.slow_samples, spot.bad_samples_pct) == (2, 1, 4.69)
    assert spot.states == {"lossy": 1, "slow": 1, "ok": 2}
    assert (spot.packets_sent, spot.packets_lost) == (192, 6)


def test_hotspots_of_a_client_tell_its_two_directions_apart(context: ToolContext, fill: Fill) -> None:
    fill({("client1", dst): {"lost": ALL} for dst in ("client2", "client3", "client4")})
    spots = get_pingmesh_hotspots(context, group_by="client").hotspots
    assert [(spot.src, spot.dst, spot.bad_samples_pct) for spot in spots[:2]] == [
        ("client1", None, 100.0),
        (None, "client2", 33.33),
    ]
    assert len(spots) == 4
    assert len(get_pingmesh_hotspots(context, group_by="switch", only_changed=False).hotspots) == 4


def test_hotspots_count_damage_and_large_packets(context: ToolContext, fill: Fill) -> None:
    fill({("client1", "client3"): {"df_lost": 0b111, "corrupted": 0b1000}})
    (spot,) = get_pingmesh_hotspots(context).hotspots
    assert (spot.df_lost_samples, spot.corrupted_samples, spot.dead_samples) == (3, 1, 0)


def test_a_healthy_mesh_has_no_hotspots(context: ToolContext, fill: Fill) -> None:
    fill({})
    shown = get_pingmesh_hotspots(context)
    assert (shown.hotspots, shown.page.total) == ((), 0)
    assert shown.current.pairs_seen == 12
