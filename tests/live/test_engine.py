"""The native engine on real namespaces: it builds, it watches, and it leaves nothing."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import traces

from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.observe import Eyes, converge, observing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files

pytestmark = pytest.mark.live

DEADLINE_S = 30.0


@pytest.fixture(scope="module")
def plan() -> FabricPlan:
    return plan_fabric(load_spec("xs"))


@pytest.fixture(scope="module")
def converged(engine: NativeEngine, plan: FabricPlan) -> Iterator[tuple[NativeFabric, Eyes]]:
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=DEADLINE_S)
            yield fabric, eyes
    finally:
        fabric.destroy()


def within(deadline_s: float, condition: Callable[[], bool]) -> float | None:
    """Seconds until the condition held; None when it didn't in time."""
    start = time.monotonic()
    while time.monotonic() - start < deadline_s:
        if condition():
            return time.monotonic() - start
    return None


def test_every_client_reaches_every_other(converged: tuple[NativeFabric, Eyes]) -> None:
    fabric, _ = converged
    assert fabric.exec("client1", ["ping", "-c", "2", "-i", "0.2", "192.168.102.2"]).is_ok
    assert fabric.exec("client2", ["ping", "-c", "2", "-i", "0.2", "192.168.101.2"]).is_ok


def test_a_command_past_its_deadline_is_ended_and_says_so(converged: tuple[NativeFabric, Eyes]) -> None:
    fabric, _ = converged
    done = fabric.exec("leaf1", ["sleep", "30"], timeout_s=0.5)
    assert done.returncode == 124
    assert "0.5 s" in done.stderr


@pytest.mark.parametrize("port", ["eth1", "eth3"], ids=["uplink", "client port"])
def test_a_port_set_down_is_seen_at_the_far_end_and_comes_back_whole(
    converged: tuple[NativeFabric, Eyes], port: str
) -> None:
    fabric, eyes = converged
    far = next(
        each.peer for node in fabric.plan.nodes if node.name == "leaf1" for each in node.interfaces if each.name == port
    )
    ends = ["leaf1", far.node]
    before = eyes.state(ends)
    fabric.exec("leaf1", ["ip", "link", "set", "dev", port, "down"])
    lost = within(5, lambda: not eyes.state([far.node])[far.node].links[far.interface].has_carrier)
    assert lost is not None, "the far end never lost carrier"
    assert lost < 0.1 or os.getloadavg()[0] > 2, f"the far end lost carrier only after {lost:.3f} s"
    assert eyes.state([far.node])[far.node].links[far.interface].is_admin_up
    # zebra 8.4 doesn't reinstall static routes after a bounce of a few milliseconds, which it never notices.
    time.sleep(0.5)
    fabric.exec("leaf1", ["ip", "link", "set", "dev", port, "up"])
    assert within(DEADLINE_S, lambda: eyes.missing()[0] == 0 and eyes.state(ends) == before) is not None, (
        "addresses, routes or permanent neighbours did not come back"
    )


def test_with_both_ports_down_each_sees_no_carrier_until_both_are_up(converged: tuple[NativeFabric, Eyes]) -> None:
    fabric, eyes = converged
    before = eyes.state(["leaf2", "spine1"])
    for node, port in (("leaf2", "eth1"), ("spine1", "eth2")):
        fabric.exec(node, ["ip", "link", "set", "dev", port, "down"])
    time.sleep(0.5)
    fabric.exec("leaf2", ["ip", "link", "set", "dev", "eth1", "up"])
    time.sleep(0.2)
    assert not eyes.state(["leaf2"])["leaf2"].links["eth1"].has_carrier
    fabric.exec("spine1", ["ip", "link", "set", "dev", "eth2", "up"])
    assert within(DEADLINE_S, lambda: eyes.state(["leaf2", "spine1"]) == before) is not None


def test_a_cut_cable_is_seen_at_both_ends_while_both_ports_stay_up(converged: tuple[NativeFabric, Eyes]) -> None:
    fabric, eyes = converged
    link = next(link for link in fabric.plan.links if {link.a.node, link.b.node} == {"leaf1", "spine2"})
    wire = fabric.wire(link.id)
    for end in (wire.a_end, wire.b_end):
        fabric.exec_wire(["ip", "link", "set", "dev", end, "group", "99", "down"])
    for port in (link.a, link.b):
        view = eyes.state([port.node])[port.node].links[port.interface]
        assert view.is_admin_up
        assert not view.has_carrier
    for end in (wire.a_end, wire.b_end):
        fabric.exec_wire(["ip", "link", "set", "dev", end, "group", "0", "up"])
    assert within(DEADLINE_S, lambda: eyes.missing()[0] == 0) is not None


def test_a_router_that_never_converges_is_named(engine: NativeEngine, plan: FabricPlan) -> None:
    files = {node: dict(content) for node, content in render_files(plan).items()}
    files["leaf2"]["frr/bgpd.conf"] = files["leaf2"]["frr/bgpd.conf"].replace("remote-as 65001", "remote-as 65099")
    fabric = engine.deploy(plan, files)
    try:
        with observing(fabric) as eyes, pytest.raises(InfraError, match="missing") as caught:
            converge(eyes, deadline_s=6)
        assert caught.value.reason == "not_converged"
    finally:
        fabric.destroy()


def test_two_fabrics_of_the_same_plan_run_side_by_side(
    converged: tuple[NativeFabric, Eyes], engine: NativeEngine, plan: FabricPlan
) -> None:
    _, first_eyes = converged
    second = engine.deploy(plan, render_files(plan))
    try:
        with observing(second) as eyes:
            converge(eyes, deadline_s=DEADLINE_S)
            second.exec("leaf1", ["ip", "link", "set", "dev", "eth3", "down"])
            assert not eyes.state(["leaf1"])["leaf1"].links["eth3"].is_admin_up
            assert first_eyes.state(["leaf1"])["leaf1"].links["eth3"].is_admin_up
    finally:
        second.destroy()
    assert first_eyes.missing()[0] == 0


def test_many_cycles_leave_no_process_mount_link_or_namespace(engine: NativeEngine, plan: FabricPlan) -> None:
    files = render_files(plan)
    with traces.marked() as mark:
        before = traces.of_fabrics(mark)
        for _ in range(40):
            engine.deploy(plan, files).destroy()
        assert within(10, lambda: traces.of_fabrics(mark) == before) is not None, traces.of_fabrics(mark)


_STARTER = """
import sys
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.render import render_files
plan = plan_fabric(load_spec("xs"))
print("planned", flush=True)
fabric = NativeEngine().deploy(plan, render_files(plan))
print("up", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("delay_s", [round(random.Random(7 + n).uniform(0, 0.3), 3) for n in range(5)])
def test_killing_the_starter_at_any_moment_leaves_nothing(engine: NativeEngine, delay_s: float) -> None:
    with traces.marked() as mark:
        before = traces.of_fabrics(mark)
        starter = subprocess.Popen(
            [sys.executable, "-c", _STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path("/")
        )
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"planned\n"
        time.sleep(delay_s)
        starter.send_signal(signal.SIGKILL)
        starter.wait()
        assert within(10, lambda: traces.of_fabrics(mark) == before) is not None, traces.of_fabrics(mark)
