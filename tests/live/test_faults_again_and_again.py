"""Twenty times each fault on one fabric, as a trial makes them: never one that isn't seen, or isn't gone."""

from collections.abc import Iterator
from pathlib import Path

import faults_in_turn
import pytest
from case_runs import Follower

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.run import Terms, run
from netopsbench.core.errors import InfraError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.running import NativeFabric
from netopsbench.faults.catalog import change_of
from netopsbench.faults.inject import injected, sham
from netopsbench.faults.snapshot import take, wait_restored
from netopsbench.faults.witness import Witness
from netopsbench.records.faults import FaultSpec
from netopsbench.scoring.run import score_run

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(3600)]

TIMES = 20
FAULTS = faults_in_turn.one_of_each(plan_fabric(load_spec("xs")))


@pytest.fixture(scope="module")
def watched(engine: NativeEngine) -> Iterator[tuple[NativeFabric, Witness]]:
    with faults_in_turn.watched_fabric(engine) as both:
        yield both


def trouble_of(fabric: NativeFabric, witness: Witness, fault: FaultSpec, seed: int) -> str:
    """What would have made a trial of this fault invalid; empty when nothing."""
    try:
        before = take(witness.eyes, fabric.plan)
        with injected(fabric, [fault], witness, seed=seed) as injection:
            injection.recheck()
        wait_restored(witness, before, fabric.plan, change_of(fault, fabric.plan).effect.paths)
    except InfraError as failure:
        return f"{failure.reason}: {failure}"
    return ""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: "-".join(map(str, fault.model_dump(mode="json").values())))
def test_no_repetition_of_a_fault_is_invalid(watched: tuple[NativeFabric, Witness], fault: FaultSpec) -> None:
    fabric, witness = watched
    assert [words for seed in range(TIMES) if (words := trouble_of(fabric, witness, fault, seed))] == []


def test_no_repetition_of_a_sham_injection_is_invalid(watched: tuple[NativeFabric, Witness]) -> None:
    fabric, witness = watched
    before = take(witness.eyes, fabric.plan)
    for seed in range(TIMES):
        with sham(fabric, witness, before, seed=seed) as injection:
            assert injection.recheck().is_as_expected
        assert wait_restored(witness, before, fabric.plan).is_as_expected


def test_one_case_of_every_fault_is_scored(engine: NativeEngine, tmp_path: Path) -> None:
    plan = plan_run(RunRequest(source="smoke", agents=("nop",)))
    run(plan, engine, tmp_path / "run", Follower(), Terms(workers=1))
    scored = score_run(tmp_path / "run")
    (agent,) = scored.summary.agents
    assert (agent.counts.invalid, agent.counts.scored) == (0, len(plan.info.planned))
    assert not [trial.earlier for trial in scored.records.trials if trial.earlier]
