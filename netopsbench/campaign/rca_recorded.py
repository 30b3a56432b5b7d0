"""The recording of root-cause and path tasks: what devices told in one file, the keys in another; and its replay."""

import os
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter, ValidationError

from netopsbench.campaign.contestants import secret_variables
from netopsbench.campaign.rca_trial import entry_of, judged
from netopsbench.campaign.recorded import RECORDING, sealed_path
from netopsbench.campaign.replayed_agent import examined
from netopsbench.core.clock import now_ns
from netopsbench.core.files import remove_whole
from netopsbench.core.model import Model
from netopsbench.core.redact import secrets_of_environment
from netopsbench.rca.model import PathTask, RcaTask, Task
from netopsbench.rca.question import task_question
from netopsbench.rca.record import Drawing, TaskTrial
from netopsbench.records.answers import Budget
from netopsbench.records.trial import ToolCall
from netopsbench.replay.archive import Archive, RecordingError, write_archive
from netopsbench.replay.playing import task_desk
from netopsbench.replay.task_bundle import AboutTasks, TaskBundle, read_task, write_tasks
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.process import read_calls

_FORMAT = "netopsbench sealed tasks"
_TASK: TypeAdapter[RcaTask | PathTask] = TypeAdapter(Task)


class SealedTasks(Model):
    """What belongs to a recording and must not be in it; the tasks themselves lie beside it."""

    sha256: str
    """Of the recording."""
    drawn: Drawing = Drawing()


def keep_tasks(
    files: Path, tasks: Sequence[RcaTask | PathTask], drawn: Drawing, budget: Budget, folder: Path
) -> Path | None:
    """Put recorded tasks into one file in `folder`, and their keys beside it; None when none could be recorded.

    `files` is the folder in which trials left them; it is removed.
    """
    kept = {task.id: task for task in tasks if (files / f"{task.id}.zip").exists()}
    if not kept:
        remove_whole(files)
        return None
    target = folder / RECORDING
    about = AboutTasks(
        recorded_ns=now_ns(), netopsbench=metadata.version("netopsbench"), budget=budget, tasks=tuple(kept)
    )
    write_tasks(target, about, [read_task(files / f"{task_id}.zip") for task_id in kept])
    sealed = SealedTasks(sha256=TaskBundle(target).sha256, drawn=drawn)
    keys = {f"{task_id}.json": task.model_dump_json().encode() for task_id, task in kept.items()}
    write_archive(sealed_path(target), _FORMAT, sealed.model_dump(mode="json"), keys)
    remove_whole(files)
    return target


class TaskReplay:
    """Recorded tasks with their keys, ready to be given to agents; nothing live is needed."""

    def __init__(self, recording: Path) -> None:
        """Raises RecordingError for a recording that can't be used, and for keys that aren't its own."""
        self.bundle = TaskBundle(recording)
        self.bundle.check()
        self.tasks, self.drawn = _keys(self.bundle)

    def trials(self, tasks: Sequence[RcaTask | PathTask], agents: Sequence[str], budget: Budget) -> Iterator[TaskTrial]:
        """Each task with each agent, one after the other. Raises RecordingError for a damaged one."""
        for task in tasks:
            for agent in agents:
                yield self._trial(task, agent, budget)

    def _trial(self, task: RcaTask | PathTask, agent: str, budget: Budget) -> TaskTrial:
        recorded, book = self.bundle.task(task.id), self.bundle.book(task.id)
        question = task_question(task, recorded.plan, budget)
        with TemporaryDirectory() as room:
            path = Path(room) / "calls.jsonl"
            secrets = secrets_of_environment(os.environ, secret_variables(agent))
            meter = Meter(path, budget.tool_calls, secrets)
            try:
                examination = examined(entry_of(agent, task), question, task_desk(recorded, book, meter))
            finally:
                meter.close()
            calls = [ToolCall.model_validate(call) for call in read_calls(path)]
        trial = judged(task, recorded.plan, agent, examination, calls)
        return trial.model_copy(update={"elapsed_s": round(examination.elapsed_s, 3)})


def _keys(bundle: TaskBundle) -> tuple[tuple[RcaTask | PathTask, ...], Drawing]:
    """The tasks of a recording and what they were drawn with, out of the file beside it."""
    path = sealed_path(bundle.path)
    archive = Archive(path, _FORMAT)
    try:
        sealed = SealedTasks.model_validate(archive.about)
        tasks = tuple(_TASK.validate_json(archive.read(f"{task_id}.json")) for task_id in bundle.about.tasks)
    except ValidationError:
        raise RecordingError(path, "damaged", "tasks", "it can't be understood; copy it again") from None
    if sealed.sha256 != bundle.sha256:
        wanted = f"it has the keys of another recording than {bundle.path}, whose SHA-256 is {bundle.sha256[:12]}"
        raise RecordingError(path, "not_alike", sealed.sha256[:12], wanted)
    return tasks, sealed.drawn
