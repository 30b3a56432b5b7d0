"""Root-cause and path tasks on running networks: keys are true, the solver finds them, reference agents separate."""

from collections.abc import Iterator

import pytest

from netopsbench.campaign.rca_trial import run_tasks
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.rca.generate import NETWORKS, Suite, generate
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.network.proving import prove
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.record import TaskTrial
from netopsbench.records.answers import Budget

pytestmark = pytest.mark.live

BUDGET = Budget(wall_time_s=300, tool_calls=400)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return generate({name: plan_fabric(load_spec(name)) for name in NETWORKS}, 1)


@pytest.fixture(scope="module")
def small_clos(engine: NativeEngine) -> Iterator[StandingNetwork]:
    with StandingNetwork("dc_clos_bgp", engine) as network:
        yield network


def _of(suite: Suite, network: str) -> list[RcaTask | PathTask]:
    return [task for task in (*suite.rca, *suite.paths) if task.network == network]


def _one_of_each(tasks: list[RcaTask | PathTask]) -> list[RcaTask | PathTask]:
    return [next(task for task in tasks if task.kind == kind) for kind in ("rca", "path")]


def test_a_task_of_each_kind_is_true_and_solved(small_clos: StandingNetwork, suite: Suite) -> None:
    proofs = [prove(task, small_clos) for task in _one_of_each(_of(suite, "dc_clos_bgp"))]
    assert [proof.problems for proof in proofs] == [(), ()]
    assert small_clos.problems() == []


def test_a_key_that_is_not_true_is_told(small_clos: StandingNetwork, suite: Suite) -> None:
    path = next(task for task in suite.paths if task.network == "dc_clos_bgp" and len(task.paths) > 1)
    short = path.model_copy(update={"paths": path.paths[:1]})
    assert any("the key lacks" in problem for problem in prove(short, small_clos).problems)


def _accuracy(trials: list[TaskTrial]) -> dict[str, list[float]]:
    assert [f"{trial.task_id}: {trial.error}" for trial in trials if trial.end == "invalid"] == []
    found: dict[str, list[float]] = {}
    for trial in trials:
        assert trial.score is not None
        found.setdefault(trial.agent, []).append(trial.score.strict.accuracy)
    return found


def test_the_tracer_restores_a_path_as_the_oracle_does_and_silence_is_worth_nothing(
    small_clos: StandingNetwork, suite: Suite
) -> None:
    path = [task for task in suite.paths if task.network == "dc_clos_bgp"][:1]
    accuracy = _accuracy(list(run_tasks(path, ["oracle", "tracer", "nop"], small_clos, BUDGET)))
    assert accuracy == {"oracle": [1.0], "tracer": [1.0], "nop": [0.0]}


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", NETWORKS)
def test_every_task_is_true_and_solved(name: str, engine: NativeEngine, suite: Suite) -> None:
    with StandingNetwork(name, engine) as network:
        proofs = [prove(task, network) for task in _of(suite, name)]
    assert [(proof.task_id, proof.problems) for proof in proofs if not proof.is_valid] == []


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", NETWORKS)
def test_reference_agents_separate(name: str, engine: NativeEngine, suite: Suite) -> None:
    tasks = _of(suite, name)
    paths = [task for task in tasks if task.kind == "path"]
    causes = [task for task in tasks if task.kind == "rca"]
    with StandingNetwork(name, engine) as network:
        if paths:
            accuracy = _accuracy(list(run_tasks(paths, ["tracer", "nop"], network, BUDGET)))
            assert sum(accuracy["tracer"]) >= 0.9 * len(paths)
            assert sum(accuracy["nop"]) == 0
        if causes:
            accuracy = _accuracy(list(run_tasks(causes, ["oracle", "sweeper", "random"], network, BUDGET)))
            assert sum(accuracy["oracle"]) == len(causes)
            assert sum(accuracy["random"]) == 0
            assert sum(accuracy["sweeper"]) > 0
