"""Trials of root-cause and path tasks in full: what was asked, what was answered, and what would have been right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netopsbench.core.kept import kept_name
from netopsbench.rca.answer import RestoredPath, Said, Triple, read_paths, read_triples
from netopsbench.rca.commands import EXECUTE, typed_in
from netopsbench.rca.grade import steps_of
from netopsbench.rca.metrics import FAILURES, RcaFigures
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.naming import told_paths, told_triples
from netopsbench.rca.record import TaskRow, TaskScore, TaskTrial, row_of
from netopsbench.rca.solving.evidence import Look
from netopsbench.records.trial import ToolCall
from netopsbench.report.naming import Shorten
from netopsbench.report.text import score_text, seconds
from netopsbench.report.ticket_trials import call_line
from netopsbench.report.trial_view import Excerpt, excerpt

_NAMES = {
    "accuracy": "Accuracy",
    "location": "Location",
    "identification": "Causes",
    "hierarchical": "Hierarchical",
    "endpoints": "Ends",
    "restored": "Steps",
}


@dataclass(frozen=True)
class Line:
    """A line of an answer or of a key, or a command."""

    text: str
    is_common: bool
    """In answer and key; of a command: a golden step."""
    is_refused: bool = False
    """Of an answer: it fits no form; of a command: it ended with an error."""


@dataclass(frozen=True)
class TaskTrialView:
    """Everything a reader may ask of one trial of a task."""

    anchor: str
    record: str
    """Its file, in the run's folder."""
    row: TaskRow
    trial: TaskTrial
    grade: str
    asked: str
    """The task in a sentence."""
    denied: tuple[str, ...]
    said: tuple[Line, ...]
    """As the strict reader reads it."""
    words: Excerpt
    """The answer as it was written."""
    key: tuple[Line, ...]
    figures: tuple[tuple[str, str, str], ...]
    """Name, by the strict reader, by the tolerant one; empty where it doesn't apply."""
    failure: str
    golden: tuple[Line, ...]
    commands: tuple[Line, ...]
    """Every call."""
    elapsed: str


def task_trials(
    trials: Sequence[TaskTrial], tasks: Sequence[RcaTask | PathTask], shorten: Shorten
) -> tuple[TaskTrialView, ...]:
    """Trials in the given order, numbered from 1."""
    by_id = {task.id: task for task in tasks}
    return tuple(_view(number, trial, by_id, shorten) for number, trial in enumerate(trials, start=1))


def _view(number: int, trial: TaskTrial, by_id: Mapping[str, RcaTask | PathTask], shorten: Shorten) -> TaskTrialView:
    task = by_id[trial.task_id]
    text = trial.answer.reasoning if trial.answer is not None else ""
    said, key = _compared(task, text)
    row = row_of(task, trial).model_copy(update={"agent": shorten(trial.agent)})
    steps = steps_of(task, typed_in(trial.calls))
    return TaskTrialView(
        anchor=f"trial-{number}",
        record=f"trials/{kept_name(trial.task_id, trial.agent)}",
        row=row,
        trial=trial,
        grade="none" if row.accuracy is None else "right" if row.accuracy == 1 else "wrong",
        asked=_asked(task),
        denied=tuple(map(_look, task.denied)),
        said=said,
        words=excerpt(text),
        key=key,
        figures=tuple(_figures(trial.score)) if trial.score else (),
        failure=_failure(trial.score),
        golden=tuple(Line(_look(look), is_taken) for look, is_taken in steps.golden),
        commands=tuple(_commands(trial.calls, steps.are_golden)),
        elapsed=seconds(trial.elapsed_s),
    )


def _asked(task: RcaTask | PathTask) -> str:
    if task.kind == "rca":
        return f"Find all root causes of what users at {task.source} report on the way to {task.target}."
    which = "the way" if len(task.paths) == 1 else "all the ways"
    return f"Restore {which} that packets from {task.source} to {task.target} take."


def _compared(task: RcaTask | PathTask, text: str) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The lines of an answer and of the key, as devices name their interfaces."""
    if task.kind == "rca":
        return _lines(read_triples(text, "strict"), told_triples(task))
    return _lines(read_paths(text, "strict"), told_paths(task))


def _lines(
    said: Said[Triple] | Said[RestoredPath], gold: frozenset[Triple] | frozenset[RestoredPath]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    told, right = set(map(str, said.entries)), set(map(str, gold))
    named = [Line(_spaced(each), each in right) for each in sorted(told)]
    refused = [Line(each, is_common=False, is_refused=True) for each in said.rejected]
    return (*named, *refused), tuple(Line(_spaced(each), each in told) for each in sorted(right))


def _spaced(line: str) -> str:
    """A path with room to break a line between its steps."""
    return line.replace("->", " → ")


def _figures(score: TaskScore) -> list[tuple[str, str, str]]:
    strict, tolerant = score.strict.model_dump(), score.tolerant.model_dump()
    found = [
        (name, score_text(strict[key]), score_text(tolerant[key])) for key, name in _NAMES.items() if key in strict
    ]
    near = [] if score.node_similarity is None else [("Nearness of devices", score_text(score.node_similarity), "")]
    return [*found, *near, ("Evidence", score_text(score.evidence), "")]


def _failure(score: TaskScore | None) -> str:
    """The class of a wrong root-cause answer, with its meaning."""
    if score is None or not isinstance(score.strict, RcaFigures) or score.strict.failure is None:
        return ""
    return f"{score.strict.failure}: {FAILURES[score.strict.failure]}"


def _commands(calls: Sequence[ToolCall], are_golden: Sequence[bool]) -> list[Line]:
    """All calls; `are_golden` tells of those commands that count."""
    golden = iter(are_golden)
    return [Line(_call(call), bool(typed_in([call])) and next(golden), call.is_error) for call in calls]


def _call(call: ToolCall) -> str:
    if call.tool != EXECUTE:
        return call_line(call)
    return f"{call.arguments.get('device', '')}: {call.arguments.get('command', '')}"


def _look(look: Look) -> str:
    return str(look).replace("_", " ")
