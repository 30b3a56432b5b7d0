"""The prober against real sockets in real namespaces, without an engine."""

import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from processes import descendant, is_gone, parent_of

from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.core.process import Completed
from netopsbench.fabric.engine import Fabric
from netopsbench.records.telemetry import CollectorHealth, Probe, Record, Window
from netopsbench.telemetry.pace import Pace
from netopsbench.telemetry.pingmesh import pingmesh
from netopsbench.telemetry.store_client import store_running

Star = Callable[[int], Fabric]
QUICK = Pace(epoch_s=0.2, cycle_s=0.2, timeout_s=0.3)
PATIENCE_S = 120


def probes(records: Sequence[Record]) -> list[Probe]:
    return [record for record in records if isinstance(record, Probe)]


def succeeded(done: Completed) -> None:
    assert done.is_ok, done.stderr


def test_a_healthy_mesh_has_a_row_per_ordered_pair_and_epoch(star: Star, tmp_path: Path) -> None:
    fabric = star(3)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        window = mesh.wait_epochs(2, after_ns=0, timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
        health = store.query("collector_health", window)
    names = ["client1", "client2", "client3"]
    assert sorted((row.epoch, row.src, row.dst) for row in rows) == [
        (epoch, src, dst) for epoch in (1, 2) for src in names for dst in names if src != dst
    ]
    assert {(row.packets_sent, row.packets_lost, row.ports_sent) for row in rows} == {(16, 0, 0xFFFF)}
    assert all(row.rtt_avg_ms and None not in row.rtt_ms_by_port for row in rows)
    assert [record.is_complete for record in health if isinstance(record, CollectorHealth)] == [True, True]


def test_an_epoch_begun_anew_leaves_nothing_of_the_one_given_up(star: Star, tmp_path: Path) -> None:
    fabric = star(3)
    slow = Pace(epoch_s=30, cycle_s=2, timeout_s=0.3)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, slow) as mesh:
        time.sleep(0.5)
        asked_ns = now_ns()
        mesh.begin_anew()
        window = mesh.wait_epochs(1, after_ns=asked_ns, timeout_s=PATIENCE_S)
        # Between two epochs nothing is given up, and the next one doesn't wait until it is due.
        mesh.begin_anew()
        mesh.wait_epochs(1, after_ns=window.until_ns, timeout_s=20)
        rows = probes(store.query("probe", Window(since_ns=1, until_ns=now_ns())))
        first, second = (report for report in mesh.reports())
    assert {row.epoch for row in rows} == {first.epoch, second.epoch} == {2, 3}
    assert len(rows) == 12
    assert {(row.packets_sent, row.packets_lost) for row in rows} == {(16, 0)}
    assert (first.late_replies, first.unmatched_replies, first.overload_drops) == (0, 0, 0)


def test_a_link_that_is_down_gives_rows_of_total_loss(star: Star, tmp_path: Path) -> None:
    fabric = star(3)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        succeeded(fabric.exec_wire(["ip", "link", "set", "dev", "wire3", "down"]))
        window = mesh.wait_epochs(2, after_ns=now_ns(), timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
    lost = {(row.src, row.dst): (row.packets_lost, row.rtt_avg_ms) for row in rows}
    assert len(rows) == 12
    assert {pair for pair, (packets, _) in lost.items() if packets == 16} == {
        ("client1", "client3"),
        ("client2", "client3"),
        ("client3", "client1"),
        ("client3", "client2"),
    }
    assert all((rtt is None) == (packets == 16) for packets, rtt in lost.values())


def test_a_host_without_a_route_refuses_to_send_and_that_is_loss(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        succeeded(fabric.exec("client1", ["ip", "link", "set", "dev", "eth1", "down"]))
        window = mesh.wait_epochs(1, after_ns=now_ns(), timeout_s=PATIENCE_S)
        rows = {row.src: row for row in probes(store.query("probe", window))}
    assert (rows["client1"].send_errors, rows["client1"].packets_lost) == (16, 16)
    assert (rows["client2"].send_errors, rows["client2"].packets_lost) == (0, 16)


def test_a_link_that_comes_back_is_healthy_again(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        succeeded(fabric.exec_wire(["ip", "link", "set", "dev", "wire2", "down"]))
        mesh.wait_epochs(1, after_ns=now_ns(), timeout_s=PATIENCE_S)
        succeeded(fabric.exec_wire(["ip", "link", "set", "dev", "wire2", "up"]))
        window = mesh.wait_epochs(1, after_ns=now_ns(), timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
    assert [row.packets_lost for row in rows] == [0, 0]


def test_windows_of_whole_epochs_part_cleanly(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        first = mesh.wait_epochs(2, after_ns=0, timeout_s=PATIENCE_S)
        second = mesh.wait_epochs(2, after_ns=first.since_ns, timeout_s=PATIENCE_S)
        epochs = [{row.epoch for row in probes(store.query("probe", window))} for window in (first, second)]
    assert epochs == [{1, 2}, {2, 3}]


def test_every_report_of_the_prober_is_in_the_store(star: Star, tmp_path: Path) -> None:
    fabric = star(3)
    with store_running(tmp_path) as store:
        with pingmesh(fabric, store.socket_path, QUICK) as mesh:
            mesh.wait_epochs(3, after_ns=0, timeout_s=PATIENCE_S)
        reports = mesh.reports()
        counts = store.counts()
        assert (counts["probe"], counts["collector_health"]) == (sum(report.rows for report in reports), len(reports))


def test_a_killed_prober_is_a_named_error(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        os.kill(descendant("netopsbench.telemetry.prober"), signal.SIGKILL)
        with pytest.raises(InfraError, match="before the prober failed") as caught:
            mesh.wait_epochs(1, after_ns=now_ns(), timeout_s=PATIENCE_S)
    assert caught.value.reason == "telemetry_failed"


def test_a_store_that_dies_is_a_named_error(star: Star, tmp_path: Path) -> None:
    fabric = star(2)

    def watch_the_store_die() -> None:
        with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
            mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
            os.kill(descendant("netopsbench.telemetry.store_owner"), signal.SIGKILL)
            with pytest.raises(InfraError, match="the prober failed"):
                mesh.wait_epochs(50, after_ns=now_ns(), timeout_s=PATIENCE_S)

    with pytest.raises(InfraError, match="the store's owner ended"):
        watch_the_store_die()


def test_a_store_that_is_not_there_is_a_named_error(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with (
        pytest.raises(InfraError, match="FileNotFoundError"),
        pingmesh(fabric, tmp_path / "nobody.sock", QUICK) as mesh,
    ):
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)


def test_time_in_a_queue_on_the_way_is_time_on_the_network(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    # Probes and replies towards client2 make 135 kbit/s: a queue of 50 ms is always full at half of that.
    slow = ["rate", "64kbit", "burst", "150", "latency", "50ms"]
    if not fabric.exec_wire(["tc", "qdisc", "add", "dev", "wire2", "root", "tbf", *slow]).is_ok:
        pytest.skip("this kernel has no token bucket filter")
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        mesh.wait_epochs(2, after_ns=0, timeout_s=PATIENCE_S)
        window = mesh.wait_epochs(2, after_ns=now_ns(), timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
    assert all(row.rtt_avg_ms is not None and 20 < row.rtt_avg_ms < 120 for row in rows)


def test_a_fabric_with_a_single_client_has_nothing_to_probe(star: Star, tmp_path: Path) -> None:
    fabric = star(1)
    with pytest.raises(InfraError, match="star has fewer than two clients"), pingmesh(fabric, tmp_path / "s", QUICK):
        pass


def test_epochs_that_do_not_come_in_time_are_named(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    slow = Pace(epoch_s=600, cycle_s=600, timeout_s=0.3)
    missing = re.escape("no 3 whole epochs in a row within 0.2 s: 0 came, the last one stored is epoch 0")
    with (
        store_running(tmp_path) as store,
        pingmesh(fabric, store.socket_path, slow) as mesh,
        pytest.raises(InfraError, match=missing),
    ):
        mesh.wait_epochs(3, after_ns=0, timeout_s=0.2)


def test_nothing_of_the_prober_is_left_when_the_block_ends(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store:
        with pingmesh(fabric, store.socket_path, QUICK) as mesh:
            mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        left = fabric.exec_wire(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout
    assert "netopsbench" not in left


def test_an_echo_that_dies_is_a_named_error_and_no_loss(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        prober = descendant("netopsbench.telemetry.prober")
        echo, _ = Path(f"/proc/{prober}/task/{prober}/children").read_text().split()
        os.kill(int(echo), signal.SIGKILL)
        with pytest.raises(InfraError, match="the prober's echo ended"):
            mesh.wait_epochs(50, after_ns=now_ns(), timeout_s=PATIENCE_S)
        assert is_gone(prober, PATIENCE_S)
        assert {row.packets_lost for row in probes(store.query("probe"))} == {0}


def test_no_window_holds_an_epoch_in_which_the_prober_was_held_up(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, QUICK) as mesh:
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        prober = descendant("netopsbench.telemetry.prober")
        before = now_ns()
        os.kill(prober, signal.SIGSTOP)
        time.sleep(0.5)
        # nsenter stops together with what it started, and wakes it when woken.
        os.kill(parent_of(prober), signal.SIGCONT)
        window = mesh.wait_epochs(2, after_ns=before - int(QUICK.epoch_s * 1e9), timeout_s=PATIENCE_S)
        spoiled = [report for report in mesh.reports() if report.stalls]
        health = store.query("collector_health", window)
    assert spoiled
    assert window.since_ns >= max(report.started_ns for report in spoiled)
    assert [record.stalls for record in health if isinstance(record, CollectorHealth)] == [0, 0]


def test_time_that_a_process_was_kept_from_running_is_not_time_on_the_network(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    patient = Pace(epoch_s=0.2, cycle_s=0.2, timeout_s=2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, patient) as mesh:
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        prober = descendant("netopsbench.telemetry.prober")
        echo, _ = Path(f"/proc/{prober}/task/{prober}/children").read_text().split()
        before = now_ns()
        os.kill(int(echo), signal.SIGSTOP)
        time.sleep(0.4)
        os.kill(int(echo), signal.SIGCONT)
        window = mesh.wait_epochs(2, after_ns=before - int(patient.epoch_s * 1e9), timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
    assert {row.packets_lost for row in rows} == {0}
    assert all(row.rtt_avg_ms is not None and row.rtt_avg_ms < 100 for row in rows)


def window_of(star_fabric: Fabric, folder: Path, prepare: Callable[[], None]) -> dict[str, Probe]:
    """The rows of one epoch after `prepare` on two clients, by source."""
    with store_running(folder) as store, pingmesh(star_fabric, store.socket_path, QUICK) as mesh:
        mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        prepare()
        window = mesh.wait_epochs(1, after_ns=now_ns(), timeout_s=PATIENCE_S)
        return {row.src: row for row in probes(store.query("probe", window))}


def test_every_epoch_of_a_healthy_mesh_has_dont_fragment_probes_of_every_pair(star: Star, tmp_path: Path) -> None:
    rows = window_of(star(2), tmp_path, lambda: None)
    assert {(row.df_sent, row.df_lost, row.df_ports_sent, row.df_ports_lost) for row in rows.values()} == {
        (16, 0, 0xFFFF, 0)
    }


def test_a_port_on_the_way_that_is_too_small_loses_dont_fragment_probes_only(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    shrink = ["ip", "link", "set", "dev", "wire2", "mtu", "1400"]
    rows = window_of(fabric, tmp_path, lambda: succeeded(fabric.exec_wire(shrink)))
    assert {(row.packets_lost, row.df_lost, row.df_send_errors) for row in rows.values()} == {(0, 16, 0)}


def test_a_host_whose_own_port_is_too_small_refuses_dont_fragment_probes(star: Star, tmp_path: Path) -> None:
    fabric = star(2)
    shrink = ["ip", "link", "set", "dev", "eth1", "mtu", "1400"]
    rows = window_of(fabric, tmp_path, lambda: succeeded(fabric.exec("client1", shrink)))
    assert (rows["client1"].packets_lost, rows["client1"].df_lost, rows["client1"].df_send_errors) == (0, 16, 16)
    assert rows["client1"].df_ports_refused == 0xFFFF
    assert (rows["client2"].df_lost, rows["client2"].df_send_errors) == (16, 0)


def test_the_published_timing_sends_a_dont_fragment_probe_per_destination_and_cycle(star: Star, tmp_path: Path) -> None:
    published = Pace(timing="paper", epoch_s=0.4, cycle_s=0.2, timeout_s=0.3, port_batches=(8, 8))
    fabric = star(3)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, published) as mesh:
        window = mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
    assert {(row.packets_sent, row.df_sent, row.df_lost) for row in rows} == {(16, 2, 0)}
    assert all((row.df_ports_sent & 0xFF).bit_count() == 1 for row in rows)


def test_dont_fragment_probes_go_round_the_source_ports_epoch_by_epoch(star: Star, tmp_path: Path) -> None:
    in_turn = QUICK.model_copy(update={"df_batches": (6, 6, 4)})
    fabric = star(2)
    with store_running(tmp_path) as store, pingmesh(fabric, store.socket_path, in_turn) as mesh:
        window = mesh.wait_epochs(3, after_ns=0, timeout_s=PATIENCE_S)
        rows = probes(store.query("probe", window))
    assert sorted(row.df_ports_sent for row in rows if row.src == "client1") == [0x3F, 0xFC0, 0xF000]
