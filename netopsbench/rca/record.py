"""A run of root-cause and path tasks: what was given to whom, its trials, and what it came to."""

from pathlib import Path
from typing import Literal

from netopsbench.core.model import Model
from netopsbench.rca.metrics import PathFigures, RcaFigures
from netopsbench.rca.model import PathTask, RcaTask, Task
from netopsbench.records.answers import Answer, Budget
from netopsbench.records.conditions import Conditions
from netopsbench.records.trial import Attempt, Receipt, ToolCall, TrialError
from netopsbench.scoring.statistics import Estimate


class TaskScore(Model):
    """What an answer is worth."""

    task_id: str
    agent: str
    kind: str
    strict: RcaFigures | PathFigures
    """As published."""
    tolerant: RcaFigures | PathFigures
    """With other separators, blanks and prose forgiven."""
    node_similarity: float | None = None
    """Of a wrong root-cause answer, by the strict reader: how near the devices that it names are to the true ones."""
    evidence: float
    """F1 of the commands against the golden steps."""
    rounds: int
    """Calls of tools."""
    elapsed_s: float
    tokens: int | None


class TaskTrial(Model):
    """Everything that happened to one task with one agent."""

    task_id: str
    agent: str
    end: Literal["scored", "invalid"]
    """`invalid`: the network wasn't as the task says; it is in no figure."""
    score: TaskScore | None = None
    answer: Answer | None = None
    error: TrialError | None = None
    calls: tuple[ToolCall, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    elapsed_s: float = 0.0
    was_question_asked: bool = True
    """Whether the agent had the question when it ended."""
    earlier: tuple[Attempt, ...] = ()
    """The try before it, which was invalid."""


class TaskSource(Model):
    """Which tasks are given: a folder's or a recording's, all or some of them."""

    folder: Path | None = None
    recording: Path | None = None
    """Instead of a folder."""
    ids: tuple[str, ...] = ()
    """All when there are none, here and below."""
    kind: str | None = None
    networks: tuple[str, ...] = ()
    limit: int | None = None
    """The first so many of them."""


class Drawing(Model):
    """What tasks were drawn with."""

    seed: int | None = None
    """Also a secret one, for its owner's eyes; None where it isn't known here."""
    seed_sha256: str = ""
    """Of a secret seed: SHA-256 of its decimal digits."""


class TaskPlan(Model):
    """Tasks that can be given to agents, with their keys."""

    source: TaskSource
    drawn: Drawing = Drawing()
    is_recorded: bool = False
    """Whether what devices tell is recorded, so that the tasks can be replayed."""
    tasks: tuple[Task, ...]


class TaskRun(Model):
    """What was run."""

    run_id: str
    name: str
    """What the tasks are called."""
    agents: tuple[str, ...]
    tasks: int
    budget: Budget
    """For each task."""
    conditions: Conditions = Conditions()
    started_ns: int
    finished_ns: int | None = None
    """None while it goes on, or when it was cut short."""


class Group(Model):
    """One agent on the tasks that have something in common; a task may be in several groups."""

    kind: str
    """`rca` or `path`."""
    name: str
    agent: str
    tasks: int
    strict: dict[str, Estimate]
    tolerant: dict[str, Estimate]
    """By the tolerant reader; evidence doesn't depend on it."""
    failures: dict[str, int]
    """Wrong root-cause answers by class."""
    rounds: float
    elapsed_s: float
    tokens: float | None
    """Means per task; tokens of those that told."""


class TaskRow(Model):
    """One task with one agent."""

    task_id: str
    kind: Literal["rca", "path"]
    network: str
    agent: str
    error: str = ""
    """Why it is invalid, or how the agent failed."""
    accuracy: float | None = None
    """None when it is invalid, here and below."""
    tolerant: float | None = None
    failure: str = ""
    evidence: float | None = None
    rounds: int | None = None
    elapsed_s: float = 0.0


class TaskCounts(Model):
    """What became of one agent's trials."""

    agent: str
    trials: int
    invalid: int
    asked: int
    """Times that the question was handed over, earlier tries included."""
    late_invalid: int
    """Those of `asked` after which the try became invalid, whether or not the next one was better."""

    @property
    def late_invalid_pct(self) -> float:
        """Share of the asked questions after which the try became invalid, in percent."""
        return 100 * self.late_invalid / self.asked if self.asked else 0.0


class TaskReport(Model):
    """The figures of a run."""

    run: TaskRun
    counts: tuple[TaskCounts, ...]
    """By agent."""
    rows: tuple[TaskRow, ...]
    groups: tuple[Group, ...]
    invalid_reasons: dict[str, int]
    """How many trials are in no figure, for which reason."""

    @property
    def invalid(self) -> int:
        """Trials that are in no figure."""
        return sum(self.invalid_reasons.values())


def row_of(task: RcaTask | PathTask, trial: TaskTrial) -> TaskRow:
    """A trial in short."""
    score = trial.score
    row = TaskRow(
        task_id=task.id,
        kind=task.kind,
        network=task.network,
        agent=trial.agent,
        error=f"{trial.error.reason}: {trial.error.message}" if trial.error else "",
        elapsed_s=trial.elapsed_s,
    )
    if score is None:
        return row
    return row.model_copy(
        update={
            "accuracy": score.strict.accuracy,
            "tolerant": score.tolerant.accuracy,
            "failure": (score.strict.failure or "") if isinstance(score.strict, RcaFigures) else "",
            "evidence": score.evidence,
            "rounds": score.rounds,
        }
    )
