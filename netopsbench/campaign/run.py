"""A whole run: every case with every agent, each trial saved as soon as it is over."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from netopsbench.campaign.cases import plans_of
from netopsbench.campaign.contestants import entry_for, known_usage
from netopsbench.campaign.folder import KILLED, RunFolder, attempt_of
from netopsbench.campaign.plan import RunPlan, changes_since
from netopsbench.campaign.record import TrialOrder
from netopsbench.campaign.recorded import keep_recording, recorded_in
from netopsbench.campaign.room import Place, Room, machine_place, place_of, workers_for
from netopsbench.campaign.trial import TRAJECTORY, run_trial
from netopsbench.campaign.workers import Workers
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import NetopsbenchError, Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Engine
from netopsbench.records.run import PlannedTrial, RunInfo, Sitting
from netopsbench.records.trial import Attempt, Trial
from netopsbench.records.truth import Truth
from netopsbench.scenario.model import Scenario
from netopsbench.scenario.question import question_for
from netopsbench.scenario.truth import truth_of
from netopsbench.telemetry.services.state import EMBEDDED

ATTEMPTS = 2
"""An invalid trial is tried once more."""

_INTERRUPTED = "interrupted"


class RunStoppedError(NetopsbenchError):
    """For the user: the run ended early; the trials that were over are saved."""


class Terms(Model):
    """How a run is carried out; what comes out doesn't depend on it."""

    workers: int | None = None
    """Trials at once; as many as the machine holds when None."""
    telemetry: str = EMBEDDED
    """Where records go. Another store than the embedded one holds those of one trial at a time, so there is one worker
    then. Its address may hold a token and is not written down."""
    accept_changes: bool = False
    """Whether a resumption goes on although something was changed."""


AS_USUAL = Terms()


class RunListener(Protocol):
    """Hears how a run goes, from several threads."""

    def phase(self, trial_id: str, phase: str) -> None: ...

    def finished(self, trial: Trial) -> None: ...


def run(plan: RunPlan, engine: Engine, folder: Path, listener: RunListener, terms: Terms = AS_USUAL) -> RunInfo:
    """Carry out a plan in `folder`.

    Raises RunStoppedError when nothing can be written any more, KeyboardInterrupt that names the folder when the user
    interrupts, SpecError when `folder` holds another run or another process works in it.
    """
    place = RunFolder(folder)
    with told_where(folder), place.claimed():
        place.create(plan)
        return _Run(plan, place, engine, listener, terms).carry_out(plan.info.planned)


def resume(folder: Path, engine: Engine, listener: RunListener, terms: Terms = AS_USUAL) -> RunInfo:
    """Run the planned trials that `folder` has no result of.

    Raises SpecError naming whatever the results depend on that is not as it was planned, unless the changes are
    accepted: then they are written down, and the cases stay those that were planned. Else it raises what `run` does.
    """
    place = RunFolder(folder)
    if not place.holds_run:
        place.plan()
    with told_where(folder), place.claimed():
        plan = place.plan()
        trials = left(folder, plan)
        changes = _changes(plan) if trials else ()
        check_accepted(folder, changes, are_accepted=terms.accept_changes)
        place.tidy()
        return _Run(plan, place, engine, listener, terms).carry_out(trials, changes)


def check_accepted(folder: Path, changes: Sequence[str], *, are_accepted: bool) -> None:
    """Raises SpecError naming every change since a run was planned, unless they are accepted."""
    if changes and not are_accepted:
        way_out = "`--accept-changes` goes on with what was planned, and writes it down"
        raise SpecError([Problem(str(folder), "", change, way_out) for change in changes])


def left(folder: Path, plan: RunPlan) -> tuple[PlannedTrial, ...]:
    """The planned trials without a result, in the plan's order."""
    return RunFolder(folder).left(plan.info.planned)


class _Run:
    """A plan while it is carried out."""

    def __init__(self, plan: RunPlan, folder: RunFolder, engine: Engine, listener: RunListener, terms: Terms) -> None:
        self._plan = plan
        self._terms = terms
        self._folder = folder
        self._engine = engine
        self._listener = listener
        self._question = question_for(
            plan.cases.budget,
            plan.cases.most_faults,
            has_shell=plan.cases.has_shell,
            has_command_lines=plan.cases.has_command_lines,
        )
        self._scenario_of = {scenario.id: scenario for scenario in plan.cases.scenarios}
        fabrics = plans_of(plan.cases)
        self._place_of = {name: place_of(fabric) for name, fabric in fabrics.items()}
        self._truth_of: dict[str, Truth] = {
            scenario.id: truth_of(scenario.faults, fabrics[scenario.fabric]) for scenario in plan.cases.scenarios
        }
        self._earlier = folder.earlier_attempts()
        self._versions = dict(plan.info.versions)
        self._recordings = recorded_in(plan, folder)

    def carry_out(self, trials: Sequence[PlannedTrial], changes: Sequence[str] = ()) -> RunInfo:
        workers = self._terms.workers if self._terms.telemetry == EMBEDDED else 1
        machine = machine_place(self._folder.path)
        count = workers or workers_for([self._place(planned) for planned in trials], machine)
        # Whoever asks for more workers than fit gets them: only then trials don't wait for each other.
        self._room = Room(machine if workers is None else Place(float("inf"), float("inf")))
        sitting = Sitting(started_ns=now_ns(), workers=count, accepted_changes=tuple(changes))
        info = self._plan.info.model_copy(update={"sittings": (*self._plan.info.sittings, sitting)})
        self._folder.save_info(info)
        self._workers = Workers(trials, self._settle)
        self._workers.run(count)
        finished = info.model_copy(
            update={"finished_ns": info.finished_ns or now_ns(), "versions": self._versions, "seed": self._plan.seed}
        )
        self._folder.save_info(finished)
        if self._recordings:
            keep_recording(self._plan.model_copy(update={"info": finished}), self._folder)
        return finished

    def _place(self, planned: PlannedTrial) -> Place:
        return self._place_of[self._scenario(planned).fabric]

    def _scenario(self, planned: PlannedTrial) -> Scenario:
        return self._scenario_of[planned.case_id]

    def _settle(self, planned: PlannedTrial) -> None:
        """Try a trial until it has a result, and save that. Raises KeyboardInterrupt when it is to end before."""
        earlier = self._earlier.get(planned.trial_id, ())
        while True:
            # A second try is made while nothing else runs: whatever it ends with, no neighbour is to blame.
            invalid = [attempt for attempt in earlier if attempt.reason not in (KILLED, _INTERRUPTED)]
            with self._room.taken(self._place(planned), self._workers.stop, alone=bool(invalid)) as is_in:
                if not is_in:
                    return
                trial = self._tried(planned, earlier)
            if trial.end != "invalid" or len(invalid) + 1 >= ATTEMPTS:
                break
            earlier = (*earlier, attempt_of(trial))
        self._folder.save_trial(trial)
        self._versions.update(trial.versions)
        self._listener.finished(trial)

    def _tried(self, planned: PlannedTrial, earlier: tuple[Attempt, ...]) -> Trial:
        scenario, number = self._scenario(planned), len(earlier) + 1
        order = TrialOrder(
            trial_id=planned.trial_id,
            contestant=planned.agent,
            scenario=scenario,
            repeat=planned.repeat,
            telemetry=self._terms.telemetry,
            has_shell=self._plan.cases.has_shell,
            has_command_lines=self._plan.cases.has_command_lines,
            recording=self._recordings.get(planned.trial_id),
        )
        entry = entry_for(planned.agent, self._truth_of[scenario.id], list(self._truth_of.values()))

        def hear(phase: str) -> None:
            self._folder.journal(planned.trial_id, number, phase)
            self._listener.phase(planned.trial_id, phase)

        trial: Trial | None = None
        try:
            with self._folder.workplace() as place, self._workers.interruptible():
                trial = run_trial(order, entry, self._question, self._engine, place, hear)
                self._folder.keep_trajectory(place / TRAJECTORY, planned.trial_id, number)
        except KeyboardInterrupt:
            # It may strike between the end of the trial and the end of the block: then the trial is whole.
            if trial is None:
                raise
        assert trial is not None
        known = known_usage(planned.agent)
        # A try that was killed told nothing, but one that calls no model took nothing either.
        tries = tuple(each.model_copy(update={"usage": each.usage or known}) for each in earlier)
        trial = trial.model_copy(update={"earlier": tries, "usage": trial.usage or known})
        if trial.end == "invalid":
            self._folder.save_attempt(trial, number)
            # Ctrl-C goes to the processes of the trial too, which then fail in their own ways.
            if self._workers.stop.is_set() or _is_interrupted(trial):
                raise KeyboardInterrupt
        return trial


def _is_interrupted(trial: Trial) -> bool:
    return trial.error is not None and trial.error.reason == _INTERRUPTED


def _changes(plan: RunPlan) -> tuple[str, ...]:
    """What is not as it was planned, apart from what an earlier resumption accepted already."""
    try:
        found = changes_since(plan)
    except SpecError as gone:
        found = tuple(f"the cases can't be made again: {problem}" for problem in gone.problems)
    return not_yet_accepted(found, plan.info.sittings)


def not_yet_accepted(changes: Sequence[str], sittings: Sequence[Sitting]) -> tuple[str, ...]:
    """The changes that no earlier sitting has accepted already."""
    accepted = {change for sitting in sittings for change in sitting.accepted_changes}
    return tuple(change for change in changes if change not in accepted)


@contextmanager
def told_where(folder: Path) -> Iterator[None]:
    """Whatever ends the run early, say where the trials are that were over."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; the trials that were over are saved in {folder}; "
            f"go on with: netopsbench benchmark resume {folder}"
        ) from None
    except OSError as full:
        kept = f"; the trials that were over are saved in {folder}" if RunFolder(folder).holds_run else ""
        raise RunStoppedError(f"can't write {full.filename or folder}: {full.strerror}{kept}") from full
