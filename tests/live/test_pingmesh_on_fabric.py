"""The mesh of probes on a real fabric: what it covers, and what it shows of ports too small and payloads damaged."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from case_runs import UPLINK_SHUT, campaign_of, run_all, whole_trials

from netopsbench.core.clock import now_ns
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.flows import Flow, tracing
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.queries import client_address, clients
from netopsbench.fabric.render import render_files
from netopsbench.records.telemetry import Window
from netopsbench.telemetry import coverage
from netopsbench.telemetry.detect import baseline_problems, detect
from netopsbench.telemetry.pace import Timing, pace_for
from netopsbench.telemetry.path_table import PathTable, measured
from netopsbench.telemetry.pingmesh import expected_pairs, pingmesh
from netopsbench.telemetry.store_client import store_running

pytestmark = pytest.mark.live

PATIENCE_S = 120
SWAP_TWO_WORDS = "@th,384,16 set 0x0203 @th,400,16 set 0x0001"
"""Of the filling; the sum of all words stays what it was, so no checksum tells."""
CHANGE_A_WORD = "@th,400,16 set 0xdead"


@pytest.fixture(scope="module")
def fabric(engine: NativeEngine) -> Iterator[Fabric]:
    plan = plan_fabric(load_spec("xs"))
    running = engine.deploy(plan, render_files(plan))
    try:
        with observing(running) as eyes:
            converge(eyes, deadline_s=60)
        yield running
    finally:
        running.destroy()


def change(fabric: Fabric, node: str, *argv: str, stdin: str = "") -> None:
    done = fabric.exec(node, argv, stdin=stdin)
    assert done.is_ok, done.stderr


def two_windows(
    fabric: Fabric, folder: Path, change_something: Callable[[], None], timing: Timing = "fast"
) -> tuple[PathTable, PathTable]:
    """A window before and one after a change."""
    pace = pace_for(fabric.plan, timing)
    with store_running(folder) as store, pingmesh(fabric, store.socket_path, pace) as mesh:
        before = mesh.wait_epochs(2, after_ns=0, timeout_s=PATIENCE_S)
        change_something()
        after = mesh.wait_epochs(2, after_ns=now_ns(), timeout_s=PATIENCE_S)
        return measured(store, before), measured(store, after)


def shrunk(fabric: Fabric, port: str, mtu: int) -> Callable[[], None]:
    node, _, interface = port.partition(":")
    return lambda: change(fabric, node, "ip", "link", "set", "dev", interface, "mtu", str(mtu))


def forget_path_mtus(fabric: Fabric) -> None:
    for client in clients(fabric.plan):
        change(fabric, client.name, "ip", "route", "flush", "cache")


def ports_across(fabric: Fabric, src: str, dst: str, port: str) -> set[int]:
    """Source ports whose probes or replies leave by, or arrive at, this port."""
    node, _, interface = port.partition(":")
    interfaces = next(each for each in fabric.plan.nodes if each.name == node).interfaces
    ends = {port, str(next(each for each in interfaces if each.name == interface).peer)}
    addresses = {client.name: client_address(client) for client in clients(fabric.plan)}
    here, there, found = addresses[src], addresses[dst], set()
    with tracing(fabric) as traces:
        for source_port in range(33000, 33016):
            ways = [
                Flow(source=here, destination=there, source_port=source_port, destination_port=33434),
                Flow(source=there, destination=here, source_port=33434, destination_port=source_port),
            ]
            if any(ends & set(path) for path in traces.paths(ways)):
                found.add(source_port)
    return found


def bad_ports(table: PathTable, name: str, src: str, dst: str) -> set[int]:
    row: Sequence[int] = table.ports[name][table.pairs.index((src, dst))].tolist()
    return {table.first_port + bit for bit, count in enumerate(row) if count}


@pytest.mark.parametrize("timing", ["fast", "paper"])
def test_a_healthy_window_is_a_baseline_and_leaves_no_link_without_probes(
    fabric: Fabric, tmp_path: Path, timing: Timing
) -> None:
    with (
        store_running(tmp_path) as store,
        pingmesh(fabric, store.socket_path, pace_for(fabric.plan, timing)) as mesh,
    ):
        window = mesh.wait_epochs(1, after_ns=0, timeout_s=PATIENCE_S)
        found = coverage.report(fabric, store, window)
        empty = coverage.report(fabric, store, Window(since_ns=0, until_ns=1))
        assert baseline_problems(measured(store, window), expected_pairs(fabric.plan)) == ()
    assert (found.is_complete, found.missing, found.unprobed) == (True, (), ())
    assert (found.flows, found.flows_cut_short, len(found.crossings)) == (64, 0, 8)
    # Two spines: each flow leaves its leaf once and a spine once.
    assert sum(found.crossings.values()) == 2 * 64
    assert (empty.is_complete, empty.missing_total, len(empty.unprobed)) == (False, 2, 8)


def test_a_port_too_small_shows_on_exactly_the_source_ports_that_cross_it(fabric: Fabric, tmp_path: Path) -> None:
    try:
        before, after = two_windows(fabric, tmp_path, shrunk(fabric, "spine1:eth1", 1400))
    finally:
        shrunk(fabric, "spine1:eth1", 9100)()
        forget_path_mtus(fabric)
    assert {anomaly.kind for anomaly in detect(before, after)} == {"mtu_or_fragmentation_suspect"}
    for src, dst in expected_pairs(fabric.plan):
        assert bad_ports(after, "df_ports_lost", src, dst) == ports_across(fabric, src, dst, "spine1:eth1")
    assert after.counts["packets_lost"].tolist() == [0, 0]
    assert after.counts["df_send_errors"].tolist() == [0, 0]


def test_in_the_published_timing_a_host_that_learned_the_path_mtu_refuses_to_send(
    fabric: Fabric, tmp_path: Path
) -> None:
    try:
        before, after = two_windows(fabric, tmp_path, shrunk(fabric, "spine1:eth1", 1400), "paper")
    finally:
        shrunk(fabric, "spine1:eth1", 9100)()
        forget_path_mtus(fabric)
    assert before.counts["df_sent"].tolist() == [4, 4]
    assert before.counts["df_lost"].tolist() == [0, 0]
    found = detect(before, after)
    assert {anomaly.kind for anomaly in found} <= {"mtu_or_fragmentation_suspect"}
    assert sum(anomaly.df_send_errors for anomaly in found) > 0


def damaging(fabric: Fabric, rule: str) -> Callable[[], None]:
    """Damages the small probes that client1 sends."""
    chain = f"type filter hook output priority 0\nudp dport 33434 udp length 72 {rule}"
    return lambda: change(fabric, "client1", "nft", "-f", "-", stdin=f"table ip t {{\nchain c {{\n{chain}\n}}\n}}\n")


@pytest.mark.parametrize(
    ("rule", "lost", "corrupted"),
    [(SWAP_TWO_WORDS, 0, 32), (CHANGE_A_WORD, 32, 0)],
    ids=["no checksum tells", "a checksum tells"],
)
def test_damage_is_counted_apart_from_loss_unless_a_checksum_makes_it_loss(
    fabric: Fabric, tmp_path: Path, rule: str, lost: int, corrupted: int
) -> None:
    try:
        _, after = two_windows(fabric, tmp_path, damaging(fabric, rule))
    finally:
        change(fabric, "client1", "nft", "delete", "table", "ip", "t")
    assert dict(zip(after.pairs, after.counts["packets_lost"].tolist(), strict=True)) == {
        ("client1", "client2"): lost,
        ("client2", "client1"): 0,
    }
    assert dict(zip(after.pairs, after.counts["packets_corrupted"].tolist(), strict=True)) == {
        ("client1", "client2"): corrupted,
        ("client2", "client1"): 0,
    }


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_whole_case_runs_in_the_published_timing(engine: NativeEngine, tmp_path: Path) -> None:
    keys = campaign_of(UPLINK_SHUT) | {"defaults": {"timing": "paper", "baseline_epochs": 1, "fault_epochs": 2}}
    run_all(keys, ["nop"], engine, tmp_path / "paper")
    (trial,) = whole_trials(tmp_path / "paper")
    assert (trial.end, trial.error) == ("scored", None), trial.error
    assert trial.fault_mesh is not None
    window = trial.fault_mesh.window
    # Two epochs of two cycles of a second each.
    assert window.until_ns - window.since_ns > 3e9
    assert {cell.packets_sent for cell in trial.fault_mesh.cells} == {32}
