"""What a shell shows beside the words of a configuration tells nothing: its length, the numbers of its files."""

import numpy as np
import pytest
from faults_in_turn import watched_fabric
from guessing import Matrix, auc_of_guess, chance_band
from shell_view import shell_view

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.queries import switches
from netopsbench.faults.benign import draw_events
from netopsbench.faults.benign_play import play
from netopsbench.faults.catalog import KINDS
from netopsbench.faults.housekeeping import gathered
from netopsbench.faults.inject import injected, sham
from netopsbench.faults.snapshot import take
from netopsbench.records.answers import Budget
from netopsbench.scenario.campaign import Amount, Campaign, Template
from netopsbench.scenario.generate import generate
from netopsbench.scenario.model import Scenario

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(3600)]

XS = plan_fabric(load_spec("xs"))
SWITCHES = [node.name for node in switches(XS)]
# A switch that is down shows no configuration at all, and is meant not to.
READABLE = [kind for kind in KINDS.values() if kind.name != "device_down"]
OF_EACH = 4 * len(READABLE)


def cases() -> tuple[Scenario, ...]:
    templates = tuple(
        Template(
            name=f"{kind.name} {turn}",
            fault_type=kind.name,
            device_role="spine" if "leaf" not in kind.roles else "leaf",
            parameters=dict(kind.variant_keys[turn % len(kind.variant_keys)]),
            count=1,
        )
        for kind in READABLE
        for turn in range(4)
    )
    campaign = Campaign(
        version=1,
        name="readable",
        seed=11,
        scales=("xs",),
        budget=Budget(wall_time_s=60, tool_calls=500),
        healthy=Amount(count=OF_EACH),
        fault_templates=templates,
    )
    return generate(campaign, {"xs": XS})


def looked_at(engine: NativeEngine, case: Scenario) -> list[float]:
    """One case as far as the question, without telemetry, on a fabric of its own."""
    with watched_fabric(engine) as (fabric, witness):
        before = take(witness.eyes, fabric.plan)
        play(fabric, (*gathered(fabric.plan, case.seed), *draw_events(fabric.plan, case.seed)), witness, before)
        held = (
            injected(fabric, case.faults, witness, seed=case.seed)
            if case.faults
            else sham(fabric, witness, before, seed=case.seed)
        )
        with held:
            return shell_view(fabric, SWITCHES)


@pytest.fixture(scope="module")
def seen(engine: NativeEngine) -> tuple[Matrix, list[bool]]:
    """One row of figures for each case, and whether it was faulty."""
    drawn = cases()
    return np.array([looked_at(engine, case) for case in drawn]), [bool(case.faults) for case in drawn]


def test_lengths_and_file_numbers_tell_nothing(seen: tuple[Matrix, list[bool]]) -> None:
    rows, labels = seen
    low, high = chance_band(rows, labels)
    assert low <= auc_of_guess(rows, labels) <= high


def test_one_more_line_everywhere_would_be_noticed(seen: tuple[Matrix, list[bool]]) -> None:
    rows, labels = seen
    slip = rows.copy()
    slip[np.array(labels), 0] += 6
    assert auc_of_guess(slip, labels) > chance_band(rows, labels)[1]
