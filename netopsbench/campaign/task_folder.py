"""A run of root-cause and path tasks in its folder: begun, carried out trial by trial, gone on with after a crash.

`plan.json` and then `tasks.json` come first; a trial that is over lies whole in `trials/`.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from netopsbench.campaign.conditions import conditions_now, sat_down, sat_down_again
from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.plan import examined_with
from netopsbench.campaign.rca_recorded import TaskReplay, keep_tasks
from netopsbench.campaign.rca_trial import run_tasks
from netopsbench.campaign.task_plan import Asked, asked_for
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.core.kept import Kept, read_kept
from netopsbench.fabric.engine import Engine
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.network.standing import StandingNetwork
from netopsbench.rca.record import Drawing, TaskPlan, TaskRun, TaskTrial
from netopsbench.records.answers import Budget
from netopsbench.records.run import PLAN, TASKS, TRIALS

RECORDED = "recording"
"""Folder of the tasks that are recorded already, until the run is over."""


@dataclass(frozen=True)
class Left:
    """A task with the agents that haven't had it."""

    task: RcaTask | PathTask
    agents: Sequence[str]
    recording: Path | None
    """Folder to record it into; None when it is recorded already, or nobody wants it."""


Give = Callable[[Sequence[Left], Budget], Iterator[TaskTrial]]
"""Gives tasks to agents, on running networks or from a recording."""


class TaskFolder:
    """The folder of a run of tasks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._trials = Kept(path / TRIALS, TaskTrial)

    def begin(self, asked: Asked, agents: Sequence[str], budget: Budget, versions: Mapping[str, str]) -> TaskRun:
        """Make it the folder of a run. Raises SpecError when none can begin there."""
        RunFolder(self.path).check_free()
        names = tuple(dict.fromkeys(agents))
        known = conditions_now(names, asked.fingerprint, versions)
        told = {**_told_before(asked.plan.drawn), "replayed": asked.replayed}
        run = TaskRun(
            run_id=self.path.name,
            name=asked.name,
            agents=names,
            tasks=len(asked.plan.tasks),
            budget=budget,
            conditions=sat_down(known.model_copy(update=told)),
            started_ns=now_ns(),
        )
        write_atomic(self.path / PLAN, asked.plan.model_dump_json())
        self._save(run)
        return run

    def go_on(self, *, accept_changes: bool) -> TaskRun:
        """The run once more, with what was changed since, if that is accepted.

        Raises SpecError for a folder of no run, and for changes that aren't accepted.
        """
        plan, run = self.plan(), self.run()

        def now() -> dict[str, str]:
            return {**examined_with(run.agents), **asked_for(plan.source).fingerprint}

        conditions = run.conditions
        if self._left(plan, run):
            conditions = sat_down_again(self.path, conditions, now, accept_changes=accept_changes)
        again = run.model_copy(update={"conditions": conditions})
        RunFolder(self.path).tidy()
        self._save(again)
        return again

    def give(self, plan: TaskPlan, run: TaskRun, give: Give) -> Generator[TaskTrial]:
        """Every task to every agent that had it not; each trial is kept before it is handed on.

        The recording is made when all are over. Whoever stops before closes this, so that no network is left.
        """
        files = self.path / RECORDED
        if plan.is_recorded:
            files.mkdir(exist_ok=True)
        for trial in give(self._left(plan, run), run.budget):
            self._trials.save(trial.task_id, trial.agent, trial)
            yield trial
        if plan.is_recorded and run.finished_ns is None:
            keep_tasks(files, self._recorded(plan, run), plan.drawn, run.budget, self.path)
        # Only now a secret seed may be told.
        conditions = run.conditions.model_copy(update={"seed": plan.drawn.seed})
        self._save(run.model_copy(update={"finished_ns": run.finished_ns or now_ns(), "conditions": conditions}))

    def over(self, plan: TaskPlan, run: TaskRun) -> int:
        """How many trials are over."""
        return len(plan.tasks) * len(run.agents) - sum(len(each.agents) for each in self._left(plan, run))

    def plan(self) -> TaskPlan:
        """Raises SpecError when the folder isn't that of a run of tasks."""
        return read_kept(self.path / PLAN, TaskPlan, f"the folder of a run of tasks holds {TASKS} and {PLAN}")

    def run(self) -> TaskRun:
        """Raises SpecError when the folder isn't that of a run of tasks."""
        return read_kept(self.path / TASKS, TaskRun, f"the folder of a run of tasks holds {TASKS} and {PLAN}")

    def _left(self, plan: TaskPlan, run: TaskRun) -> list[Left]:
        left = [(task, self._trials.left(task.id, run.agents)) for task in plan.tasks]
        return [Left(task, agents, self._records(plan, run, task)) for task, agents in left if agents]

    def _records(self, plan: TaskPlan, run: TaskRun, task: RcaTask | PathTask) -> Path | None:
        """Where the next trial of a task records it; what a trial left that wasn't over is replaced."""
        return self.path / RECORDED if plan.is_recorded and not self._is_scored(run, task) else None

    def _recorded(self, plan: TaskPlan, run: TaskRun) -> list[RcaTask | PathTask]:
        return [task for task in plan.tasks if self._is_scored(run, task)]

    def _is_scored(self, run: TaskRun, task: RcaTask | PathTask) -> bool:
        trials = (self._trials.find(task.id, agent) for agent in run.agents)
        return any(trial is not None and trial.end == "scored" for trial in trials)

    def _save(self, run: TaskRun) -> None:
        write_atomic(self.path / TASKS, run.model_dump_json(indent=1))


def _told_before(drawn: Drawing) -> dict[str, str | int | None]:
    """What a run may say of the seed before it has ended."""
    if not drawn.seed_sha256:
        return {"seed": drawn.seed}
    return {"seed_kind": "headline", "seed_sha256": drawn.seed_sha256}


def on_networks(engine: Engine) -> Give:
    """Give tasks on running networks, each of which is brought up once for all of its tasks."""

    def give(left: Sequence[Left], budget: Budget) -> Iterator[TaskTrial]:
        for name in dict.fromkeys(each.task.network for each in left):
            with StandingNetwork(name, engine) as network:
                for each in left:
                    if each.task.network == name:
                        yield from run_tasks([each.task], each.agents, network, budget, each.recording)

    return give


def from_recording(replay: TaskReplay) -> Give:
    """Give tasks that were recorded; nothing live is needed."""

    def give(left: Sequence[Left], budget: Budget) -> Iterator[TaskTrial]:
        for each in left:
            yield from replay.trials([each.task], each.agents, budget)

    return give


def nothing(_: Sequence[Left], __: Budget) -> Iterator[TaskTrial]:
    """Give nothing, where all trials are over."""
    yield from ()


def same_recording(plan: TaskPlan, run: TaskRun) -> TaskReplay | None:
    """The recording that a run is answered from; None for a run on networks.

    Raises SpecError when another one lies there now, RecordingError when none does.
    """
    if plan.source.recording is None:
        return None
    replay, known = TaskReplay(plan.source.recording), run.conditions.replayed
    if known is not None and replay.bundle.sha256 != known.sha256:
        wanted = f"the run's recording has the SHA-256 {known.sha256[:12]}; put it back, or begin another run"
        raise SpecError([Problem(str(replay.bundle.path), "SHA-256", replay.bundle.sha256[:12], wanted)])
    return replay
