"""A run of root-cause and path tasks as the report shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.record import TaskReport, TaskTrial
from netopsbench.report.conditions import Condition, task_conditions
from netopsbench.report.given_view import notes_of
from netopsbench.report.naming import shortener
from netopsbench.report.task_trials import TaskTrialView, task_trials
from netopsbench.scoring.counts import LATE_INVALID_LIMIT_PCT


@dataclass(frozen=True)
class TaskView:
    """What the page shows beyond the report."""

    notes: tuple[str, ...]
    """What a reader must know first."""
    conditions: tuple[Condition, ...]
    trials: tuple[TaskTrialView, ...]
    """All of them in full."""


def task_view(
    report: TaskReport, trials: Sequence[TaskTrial] = (), tasks: Sequence[RcaTask | PathTask] = ()
) -> TaskView:
    """What the page shows; `report` has the short names of agents, and whole ones in its run."""
    run = report.run
    ended = (len(report.rows), run.tasks * len(run.agents))
    notes = notes_of(run.conditions, ended if run.finished_ns is None else None)
    if run.conditions.seed_kind == "practice":
        notes.append("Practice run: the seed is public, so an agent may have met these very tasks and their keys.")
    if report.invalid:
        which = "1 trial is" if report.invalid == 1 else f"{report.invalid} trials are"
        notes.append(f"{which} invalid and in no figure: the network wasn't as the task says.")
    for counts in report.counts:
        if counts.late_invalid_pct > LATE_INVALID_LIMIT_PCT:
            notes.append(
                f"{counts.agent}: {counts.late_invalid} of {counts.asked} tries became invalid after the question "
                f"({counts.late_invalid_pct:.1f} %, limit {LATE_INVALID_LIMIT_PCT:g} %)."
            )
    return TaskView(
        notes=tuple(notes),
        conditions=task_conditions(report),
        trials=task_trials(trials, tasks, shortener(run.agents)),
    )
