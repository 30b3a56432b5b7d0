"""Every published scale comes up whole: all routes, all pairs, and again after a link bounced."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mesh_flows import mesh_flows

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.flows import tracing, unprobed_ports
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.fabric.observe import Eyes, converge, observing
from netopsbench.fabric.queries import switches
from netopsbench.fabric.render import render_files
from netopsbench.telemetry.detect import baseline_problems
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.path_table import measured
from netopsbench.telemetry.pingmesh import expected_pairs, pingmesh
from netopsbench.telemetry.store_client import store_running

pytestmark = pytest.mark.live

QUICK = ["small", "medium"]
LARGE = ["large", "fat-tree-k8", "fat-tree-k12", "xlarge", "custom-three-pods", "custom-4-byte-as"]
SCALES = [*QUICK, *(pytest.param(scale, marks=[pytest.mark.slow, pytest.mark.timeout(600)]) for scale in LARGE)]


@contextmanager
def converged(engine: NativeEngine, scale: str) -> Iterator[tuple[NativeFabric, Eyes]]:
    plan = plan_fabric(load_spec(scale))
    fabric = engine.deploy(plan, render_files(plan))
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=240)
            yield fabric, eyes
    finally:
        fabric.destroy()


def mesh_problems(fabric: NativeFabric, folder: Path) -> tuple[str, ...]:
    """What one whole epoch of the mesh over every ordered pair and source port finds."""
    pace = pace_for(fabric.plan, "fast")
    with store_running(folder) as store, pingmesh(fabric, store.socket_path, pace) as mesh:
        window = mesh.wait_epochs(1, after_ns=0, timeout_s=60 + 8 * pace.epoch_s)
        return baseline_problems(measured(store, window), expected_pairs(fabric.plan))


def unequal_routes(eyes: Eyes, names: list[str]) -> dict[str, list[str]]:
    """Where zebra and the kernel differ for good: zebra notes what it installed a moment after the kernel has it."""
    deadline = time.monotonic() + 15
    while True:
        found = {name: routes for name, routes in eyes.unequal_routes(names).items() if routes}
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.5)


@pytest.mark.parametrize("scale", SCALES)
def test_every_pair_answers_every_link_is_crossed_and_a_bounced_uplink_comes_back_whole(
    engine: NativeEngine, scale: str, tmp_path: Path
) -> None:
    with converged(engine, scale) as (fabric, eyes):
        assert mesh_problems(fabric, tmp_path) == ()
        with tracing(fabric) as tracer:
            assert unprobed_ports(fabric.plan, tracer.paths(mesh_flows(fabric.plan))) == ()
        names = [node.name for node in switches(fabric.plan)]
        assert unequal_routes(eyes, names) == {}
        lower = next(node for node in fabric.plan.nodes if node.role in ("leaf", "edge"))
        fabric.exec(lower.name, ["vtysh", "-c", "configure terminal", "-c", "interface eth1", "-c", "shutdown"])
        # Long enough for sessions to fall and routes to go.
        time.sleep(2)
        assert eyes.missing()[0] > 0
        fabric.exec(lower.name, ["vtysh", "-c", "configure terminal", "-c", "interface eth1", "-c", "no shutdown"])
        converge(eyes, deadline_s=60)
        assert unequal_routes(eyes, names) == {}


def test_two_different_fabrics_run_side_by_side(engine: NativeEngine) -> None:
    with converged(engine, "xs") as (_, first), converged(engine, "small") as (_, second):
        assert first.missing()[0] == 0
        assert second.missing()[0] == 0
