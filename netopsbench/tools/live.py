"""The tools on a running fabric without a case: what was measured is what somebody has measured, or nothing."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from netopsbench.fabric.engine import Fabric
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.collectors.collecting import Collecting, collecting
from netopsbench.telemetry.pace import pace_for
from netopsbench.telemetry.pingmesh import Pingmesh, pingmesh
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.tools.context import ToolContext
from netopsbench.tools.telemetry.unmeasured import NEVER, NothingMeasured

Look = Callable[[], ToolContext]
"""What the tools see at this moment."""

EPOCHS = 4
"""Rounds of probing in a window."""
_EPOCH_SLACK = 4


def unmeasured(fabric: Fabric) -> ToolContext:
    """What tools can see of a fabric without measurements: the devices as they are now."""
    store = NothingMeasured("this fabric runs without one; add --measure")
    return ToolContext(plan=fabric.plan, fabric=fabric, store=store, baseline=NEVER, current=NEVER)


@contextmanager
def measuring(fabric: Fabric) -> Iterator[Look]:
    """Probe the fabric and poll its devices for the block.

    The baseline is what the first rounds found; the time in question is always the last rounds, baseline excluded.
    Raises InfraError("telemetry_failed") when measuring fails.
    """
    pace = pace_for(fabric.plan, "fast")
    deadline_s = 10 + _EPOCH_SLACK * EPOCHS * pace.epoch_s
    with (
        tempfile.TemporaryDirectory() as folder,
        store_running(Path(folder)) as store,
        collecting(fabric, store.socket_path, "fast") as collectors,
        pingmesh(fabric, store.socket_path, pace) as mesh,
    ):
        baseline = mesh.wait_epochs(EPOCHS, after_ns=0, timeout_s=deadline_s)
        mesh.wait_epochs(EPOCHS, after_ns=baseline.until_ns, timeout_s=deadline_s)
        yield lambda: _now(fabric, store, baseline, mesh, collectors)


def _now(fabric: Fabric, store: StoreClient, baseline: Window, mesh: Pingmesh, collectors: Collecting) -> ToolContext:
    collectors.poll_now()
    last = mesh.reports()[-EPOCHS:]
    current = Window(since_ns=last[0].started_ns, until_ns=last[-1].ended_ns)
    return ToolContext(plan=fabric.plan, fabric=fabric, store=store, baseline=baseline, current=current)
