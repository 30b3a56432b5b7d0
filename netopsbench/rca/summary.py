"""Figures of a run: means with 95 % intervals, for all tasks and by what tasks are like."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from netopsbench.rca.labels import CATEGORIES
from netopsbench.rca.metrics import RcaFigures
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.record import Group, TaskCounts, TaskScore, TaskTrial
from netopsbench.scoring.statistics import Estimate, average, mean

RCA_FIGURES = ("accuracy", "location", "identification", "hierarchical", "evidence")
PATH_FIGURES = ("accuracy", "endpoints", "restored", "evidence")
_MANY = 3
_LONG_CHAIN = 3


def summarize(tasks: Sequence[RcaTask | PathTask], scores: Sequence[TaskScore]) -> list[Group]:
    """All groups that have a task, the whole family first."""
    by_id = {task.id: task for task in tasks}
    found: dict[tuple[str, str, str], list[TaskScore]] = defaultdict(list)
    for score in scores:
        task = by_id[score.task_id]
        for name in groups_of(task):
            found[task.kind, name, score.agent].append(score)
    order = {"rca": 0, "path": 1}
    ranked = sorted(found.items(), key=lambda item: (order[item[0][0]], item[0][1] != "all", item[0][1], item[0][2]))
    return [_group(*key, members) for key, members in ranked]


def counts_of(agent: str, trials: Sequence[TaskTrial]) -> TaskCounts:
    """What became of an agent's trials; `trials` are those of all agents."""
    own = [trial for trial in trials if trial.agent == agent]
    late = [trial.end == "invalid" for trial in own if trial.was_question_asked]
    retried = sum(attempt.was_question_asked for trial in own for attempt in trial.earlier)
    return TaskCounts(
        agent=agent,
        trials=len(own),
        invalid=sum(trial.end == "invalid" for trial in own),
        asked=len(late) + retried,
        late_invalid=sum(late) + retried,
    )


def groups_of(task: RcaTask | PathTask) -> Iterator[str]:
    """Everything that a task is counted under."""
    told = task.metadata
    yield "all"
    yield f"observability {told.observability}"
    yield f"vendors {'mixed' if told.is_heterogeneous else 'alike'}"
    if task.kind == "rca":
        yield from (f"category {category}, {CATEGORIES[category]}" for category in told.categories)
        yield f"causes {told.causes if told.causes < _MANY else f'{_MANY}+'}"
        yield f"chain {told.chain_length if told.chain_length < _LONG_CHAIN else f'{_LONG_CHAIN}+'}"
    else:
        yield f"paths {'one' if told.paths == 1 else 'several'}"


def _group(kind: str, name: str, agent: str, scores: Sequence[TaskScore]) -> Group:
    figures = RCA_FIGURES if kind == "rca" else PATH_FIGURES
    failures = Counter(
        score.strict.failure for score in scores if isinstance(score.strict, RcaFigures) and score.strict.failure
    )
    tokens = [float(score.tokens) for score in scores if score.tokens is not None]
    return Group(
        kind=kind,
        name=name,
        agent=agent,
        tasks=len({score.task_id for score in scores}),
        strict={figure: _estimated(scores, figure, is_strict=True) for figure in figures},
        tolerant={figure: _estimated(scores, figure, is_strict=False) for figure in figures if figure != "evidence"},
        failures={str(failure): count for failure, count in sorted(failures.items())},
        rounds=mean([float(score.rounds) for score in scores]),
        elapsed_s=mean([score.elapsed_s for score in scores]),
        tokens=mean(tokens) if tokens else None,
    )


def _estimated(scores: Sequence[TaskScore], figure: str, *, is_strict: bool) -> Estimate:
    values = []
    for score in scores:
        graded = score.strict if is_strict else score.tolerant
        values.append((score.task_id, score.evidence if figure == "evidence" else float(getattr(graded, figure))))
    found = average(values)
    if found is None:
        raise ValueError("a group without scores has no figures")
    return found
