"""A whole run: every case with every agent, each trial saved as soon as it is over."""

import fcntl
import hashlib
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from netopsbench.campaign.contestants import Entry, check_names, entry_for
from netopsbench.campaign.record import TrialOrder
from netopsbench.campaign.trial import run_trial
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import NetopsbenchError, Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Engine
from netopsbench.fabric.load import load_spec
from netopsbench.records.answers import Question
from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.records.trial import Trial
from netopsbench.records.truth import Truth
from netopsbench.scenario.campaign import Campaign
from netopsbench.scenario.generate import generate
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.question import question_for
from netopsbench.scenario.truth import truth_of

ATTEMPTS = 2
"""An invalid trial is tried once more."""


class RunStoppedError(NetopsbenchError):
    """For the user: the run ended early; the trials that were over are saved."""


class RunListener(Protocol):
    """Hears how a run goes."""

    def phase(self, trial_id: str, phase: str) -> None: ...

    def finished(self, trial: Trial) -> None: ...


def plan_run(campaign: Campaign, agents: Sequence[str]) -> tuple[RunInfo, tuple[Scenario, ...]]:
    """Everything a run will do, before it does anything.

    Raises SpecError for unknown agents and for a campaign that doesn't fit its fabrics.
    """
    check_names(agents)
    plans = {scale: plan_fabric(load_spec(scale)) for scale in campaign.scales}
    scenarios = generate(campaign, plans)
    planned = tuple(
        PlannedTrial(trial_id=trial_id(scenario, agent), case_id=scenario.id, agent=agent)
        for scenario in scenarios
        for agent in agents
    )
    info = RunInfo(
        run_id=uuid.uuid4().hex[:12],
        campaign=campaign.name,
        fabrics=campaign.scales,
        agents=tuple(agents),
        seed_kind="practice",
        seed=campaign.seed,
        started_ns=now_ns(),
        planned=planned,
    )
    return info, scenarios


def trial_id(scenario: Scenario, agent: str) -> str:
    """The same case with the same agent has the same id in every run; the id tells neither."""
    return "t" + hashlib.sha256(f"{scenario.id} {agent}".encode()).hexdigest()[:12]


def run(
    campaign: Campaign,
    info: RunInfo,
    scenarios: Sequence[Scenario],
    engine: Engine,
    folder: Path,
    listener: RunListener,
) -> RunInfo:
    """Run all planned trials into `folder`, one after the other.

    Raises RunStoppedError when nothing can be written any more, KeyboardInterrupt that names the folder when the user
    interrupts, SpecError when `folder` holds another run or another process works in it.
    """
    question = question_for(campaign.budget)
    scenario_of = {scenario.id: scenario for scenario in scenarios}
    truths = _truths(scenarios)
    versions: dict[str, str] = {}
    with _told_where(folder), _claimed(folder):
        write_atomic(folder / "run.json", info.model_dump_json(indent=1))
        for planned in info.planned:
            scenario = scenario_of[planned.case_id]
            order = TrialOrder(trial_id=planned.trial_id, contestant=planned.agent, scenario=scenario)
            entry = entry_for(planned.agent, truths[scenario.id], list(truths.values()))
            trial = _attempted(order, entry, question, engine, folder, listener)
            write_atomic(folder / "trials" / f"{trial.trial_id}.json", trial.model_dump_json(indent=1))
            listener.finished(trial)
            versions = dict(trial.versions)
            if _is_interrupted(trial):
                raise KeyboardInterrupt
        finished = info.model_copy(update={"finished_ns": now_ns(), "versions": versions})
        write_atomic(folder / "run.json", finished.model_dump_json(indent=1))
    return finished


def _attempted(
    order: TrialOrder, entry: Entry, question: Question, engine: Engine, folder: Path, listener: RunListener
) -> Trial:
    """The trial, tried once more when it was invalid."""
    for number in range(1, ATTEMPTS + 1):
        with _workplace(folder) as place:
            trial = run_trial(
                order, entry, question, engine, place, lambda phase: listener.phase(order.trial_id, phase)
            )
        if trial.end != "invalid" or _is_interrupted(trial) or number == ATTEMPTS:
            break
    return trial


def _is_interrupted(trial: Trial) -> bool:
    return trial.error is not None and trial.error.reason == "interrupted"


def _truths(scenarios: Sequence[Scenario]) -> dict[str, Truth]:
    plans = {name: plan_fabric(load_spec(name)) for name in {scenario.fabric for scenario in scenarios}}
    return {scenario.id: truth_of(scenario.faults, plans[scenario.fabric]) for scenario in scenarios}


@contextmanager
def _told_where(folder: Path) -> Iterator[None]:
    """Whatever ends the run early, say where the trials are that were over."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; the trials that were over are saved in {folder}") from None
    except OSError as full:
        raise RunStoppedError(
            f"can't write {full.filename or folder}: {full.strerror}; the trials that were over are saved in {folder}"
        ) from full


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Be the only process that works in a run folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "run.json").exists():
        raise SpecError([Problem("run folder", "", str(folder), "it holds a run already; choose another --out")])
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SpecError([Problem("run folder", "", str(folder), "another process runs in it")]) from None
        yield


@contextmanager
def _workplace(folder: Path) -> Iterator[Path]:
    """An empty folder for the sockets and the store of one trial; its name says nothing."""
    place = folder / "work" / uuid.uuid4().hex[:8]
    place.mkdir(parents=True, mode=0o700)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
