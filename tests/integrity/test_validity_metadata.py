"""What surrounds the evidence in real trials tells nothing: counts of records, ages, log lines, times of files."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from guessing import Matrix, auc_of_guess, chance_band
from shell_view import shell_view

from netopsbench.agent.run import Examination
from netopsbench.campaign.record import TrialOrder
from netopsbench.campaign.trial import conduct
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric, NodeFiles, ProgressCallback
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.queries import switches
from netopsbench.faults.catalog import KINDS
from netopsbench.records.answers import Budget, Question
from netopsbench.scenario.campaign import Amount, Campaign, Template
from netopsbench.scenario.generate import generate
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.question import question_for
from netopsbench.tools.client import ToolClient

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(7200)]

XS = plan_fabric(load_spec("xs"))
SWITCHES = [node.name for node in switches(XS)]
BUDGET = Budget(wall_time_s=60, tool_calls=500)
# Faults that end no session: of the others the logs speak, and are meant to.
QUIET = [
    (kind, keys, 4 // len(KINDS[kind].variant_keys))
    for kind in (
        "packet_loss",
        "packet_corruption",
        "high_latency",
        "blackhole_route",
        "static_route_misconfig",
        "acl_misconfig",
        "mtu_mismatch",
        "route_policy_misconfig",
    )
    for keys in KINDS[kind].variant_keys
]
"""Kind, variant, and how many: not more than there are places on the smallest fabric."""
OF_EACH = sum(count for _, _, count in QUIET)


class Remembering:
    """The engine, and the fabric that it brought up last."""

    def __init__(self, engine: NativeEngine) -> None:
        self._engine = engine
        self.fabric: Fabric | None = None

    def deploy(self, plan: FabricPlan, files: NodeFiles, progress: ProgressCallback | None = None) -> Fabric:
        self.fabric = self._engine.deploy(plan, files, progress)
        return self.fabric


def cases() -> tuple[Scenario, ...]:
    templates = tuple(
        Template(
            name=" ".join((kind, *keys.values())),
            fault_type=kind,
            device_role="spine" if kind == "mtu_mismatch" else "leaf",
            parameters=dict(keys),
            count=count,
        )
        for kind, keys, count in QUIET
    )
    campaign = Campaign(
        version=1,
        name="quiet",
        seed=5,
        scales=("xs",),
        budget=BUDGET,
        healthy=Amount(count=OF_EACH),
        fault_templates=templates,
    )
    return generate(campaign, {"xs": XS})


def surroundings(fabric: Fabric, socket: Path, started_s: float) -> list[float]:
    """Figures that lie around the evidence, read as an agent with every tool could, and more."""
    tools = ToolClient(socket)
    mesh = tools.call("get_pingmesh_summary", limit=1)
    windows = [mesh["baseline"], mesh["current"]]
    metrics = [tools.call("get_interface_metrics", device=name) for name in SWITCHES]
    events = tools.call("query_bgp_events", limit=1)
    logs = [tools.call("get_device_logs", device=name, limit=1) for name in SWITCHES]
    shown = [tools.call("get_device_config", device=name, limit=1)["page"]["total"] for name in SWITCHES]
    tools.close()
    return [
        *(window["length_s"] for window in windows),
        *(window["epochs"] for window in windows),
        *(window["pairs_seen"] for window in windows),
        *(window["collector"]["epochs_complete"] for window in windows),
        events["span"]["until_s"] - events["span"]["since_s"],
        -events["span"]["since_s"],
        *(sum(metric[when]["collector"]["polls"] for metric in metrics) for when in ("baseline", "current")),
        sum(log["page"]["total"] for log in logs),
        sum(shown),
        time.time() - started_s,
        *file_ages(fabric),
        *shell_view(fabric, SWITCHES),
    ]


def file_ages(fabric: Fabric) -> list[float]:
    """Of the saved configurations: the ages of the newest and the oldest, and how many were written at all."""
    written = []
    for name in SWITCHES:
        done = fabric.exec(name, ["sh", "-c", "stat -c %Y /etc/frr/*.conf; date +%s"])
        *times, now = [int(word) for word in done.stdout.split()]
        written += [now - each for each in times]
    newest = min(written)
    return [newest, max(written), sum(age <= newest + 2 for age in written)]


@pytest.fixture(scope="module")
def observed(engine: NativeEngine) -> tuple[Matrix, list[bool]]:
    """One row of figures for each trial, and whether it was faulty."""
    rows: list[list[float]] = []
    labels: list[bool] = []
    remembering = Remembering(engine)
    for number, case in enumerate(cases()):
        started_s = time.time()

        def look(_: Question, socket: Path, started_s: float = started_s) -> Examination:
            assert remembering.fabric is not None
            rows.append(surroundings(remembering.fabric, socket, started_s))
            return Examination(answer=None, failure=None, message="", stderr="", elapsed_s=0.0)

        order = TrialOrder(trial_id=f"t{number}", contestant="observer", scenario=case)
        with TemporaryDirectory() as place:
            trial = conduct(order, look, question_for(BUDGET), remembering, Path(place), lambda _: None)
        assert trial.end == "scored", trial.error
        labels.append(bool(case.faults))
    return np.array(rows), labels


def test_metadata_of_real_trials_tells_nothing(observed: tuple[Matrix, list[bool]]) -> None:
    rows, labels = observed
    assert sum(labels) == len(labels) - sum(labels) == OF_EACH
    low, high = chance_band(rows, labels)
    assert low <= auc_of_guess(rows, labels) <= high


def test_no_single_figure_parts_them(observed: tuple[Matrix, list[bool]]) -> None:
    rows, labels = observed
    faulty = np.array(labels)
    for column in rows.T:
        apart = column[faulty].min() > column[~faulty].max() or column[faulty].max() < column[~faulty].min()
        assert not apart, column


def test_a_longer_window_for_faults_would_be_noticed(observed: tuple[Matrix, list[bool]]) -> None:
    rows, labels = observed
    slip = rows.copy()
    slip[np.array(labels), 1] += 3.0
    assert auc_of_guess(slip, labels) > chance_band(rows, labels)[1]
