"""The report of a run of root-cause and path tasks, written into its folder."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.files import write_atomic
from netopsbench.core.kept import Kept, not_a_run, read_kept
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.record import TaskPlan, TaskReport, TaskRun, TaskTrial, row_of
from netopsbench.rca.summary import counts_of, summarize
from netopsbench.records.conditions import reasons_of
from netopsbench.records.run import PLAN, TASKS, TRIALS
from netopsbench.report.html import INDEX, Pages
from netopsbench.report.naming import short_tasks
from netopsbench.report.task_view import task_view

RESULT = "result.json"
"""All trials, and the figures."""
_WANTED = f"the folder of a run of tasks holds {TASKS}, {PLAN} and {TRIALS}/"


def write_task_report(folder: Path) -> Path:
    """Work a run's figures out and write `report.html` and `result.json`; the path of the page.

    Raises SpecError when the folder isn't one of a run of tasks.
    """
    tasks, trials, report = _read(folder)
    whole = {
        "trials": [trial.model_dump(mode="json") for trial in trials],
        "report": report.model_dump(mode="json"),
    }
    write_atomic(folder / RESULT, json.dumps(whole, indent=1) + "\n")
    page, short = folder / INDEX, short_tasks(report)
    write_atomic(page, Pages().tasks(short, task_view(short, trials, tasks)))
    return page


def read_task_report(folder: Path) -> TaskReport:
    """The figures of a run's trials, as far as they have come. Raises SpecError for what isn't readable."""
    return _read(folder)[-1]


def report_of(tasks: Sequence[RcaTask | PathTask], run: TaskRun, trials: Sequence[TaskTrial]) -> TaskReport:
    """The figures of some trials; invalid ones are in none of them."""
    by_id = {task.id: task for task in tasks}
    return TaskReport(
        run=run,
        counts=tuple(counts_of(agent, trials) for agent in run.agents),
        rows=tuple(row_of(by_id[trial.task_id], trial) for trial in trials),
        groups=tuple(summarize(tasks, [trial.score for trial in trials if trial.score is not None])),
        invalid_reasons=reasons_of(trial.error for trial in trials if trial.end == "invalid"),
    )


def _read(folder: Path) -> tuple[Sequence[RcaTask | PathTask], list[TaskTrial], TaskReport]:
    run = read_kept(folder / TASKS, TaskRun, _WANTED)
    tasks = read_kept(folder / PLAN, TaskPlan, _WANTED).tasks
    try:
        found = Kept(folder / TRIALS, TaskTrial).whole()
    except (OSError, ValidationError) as unreadable:
        raise not_a_run(folder, _WANTED, unreadable) from None
    # The order in which they were given, whatever their files are called.
    place = {(task.id, agent): n for n, (task, agent) in enumerate((t, a) for t in tasks for a in run.agents)}
    trials = sorted(found, key=lambda trial: place[trial.task_id, trial.agent])
    return tasks, trials, report_of(tasks, run, trials)
