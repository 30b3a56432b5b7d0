"""What a run of root-cause and path tasks came to: a line for each trial, and the figures."""

from typing import Literal

from netopsbench.core.model import Model
from netopsbench.rca.metrics import PathFigures, RcaFigures
from netopsbench.records.answers import Budget
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
    evidence: float
    """F1 of the commands against the golden steps."""
    rounds: int
    """Calls of tools."""
    elapsed_s: float
    tokens: int | None


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


class TaskReport(Model):
    """A run."""

    budget: Budget
    versions: dict[str, str]
    rows: tuple[TaskRow, ...]
    groups: tuple[Group, ...]

    @property
    def invalid(self) -> int:
        """Trials that are in no figure."""
        return sum(row.accuracy is None for row in self.rows)
