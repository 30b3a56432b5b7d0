"""The recorded tasks of a run in one file: what devices told on their command lines, and no word of the key."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netopsbench.core.model import Model
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Budget
from netopsbench.replay.archive import Archive, RecordingError, write_archive
from netopsbench.replay.bundle import plan_name
from netopsbench.replay.devices import read_book
from netopsbench.vendors.lines import CommandLineRules
from netopsbench.vendors.recorded import FactBook

TASKS_FORMAT = "netopsbench recorded tasks"
_TASK_FORMAT = "netopsbench recorded task"
_TAPE, _BOOK, _PLAN = "task.json", "devices.z", "plan.json"


class TaskTape(Model):
    """What a recorded task is."""

    task_id: str
    text: str
    """The question."""
    plan: str
    """The digest of its network's plan."""
    rules: CommandLineRules
    """Vendors of the devices, and what is denied."""
    left_out: int
    """Usual questions for which there was no time."""


class AboutTasks(Model):
    """What a recording says of itself."""

    recorded_ns: int
    netopsbench: str
    """The version that recorded it."""
    budget: Budget
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class RecordedTask:
    """One task as it lies in a recording."""

    tape: TaskTape
    plan: FabricPlan
    book: bytes
    """What devices told, packed."""


def write_task(path: Path, task: RecordedTask) -> None:
    """Keep one task until its run is over. Raises OSError."""
    parts = {_TAPE: _told(task.tape), _BOOK: task.book, _PLAN: task.plan.model_dump_json().encode()}
    write_archive(path, _TASK_FORMAT, {"task": task.tape.task_id}, parts)


def read_task(path: Path) -> RecordedTask:
    """A task that `write_task` kept. Raises RecordingError."""
    archive = Archive(path, _TASK_FORMAT)
    return RecordedTask(
        tape=archive.understood(_TAPE, TaskTape),
        plan=archive.understood(_PLAN, FabricPlan),
        book=archive.read(_BOOK),
    )


def write_tasks(path: Path, about: AboutTasks, tasks: Sequence[RecordedTask]) -> None:
    """Write the tasks into one file. Raises OSError."""
    parts: dict[str, bytes] = {}
    for task in tasks:
        parts[plan_name(task.tape.plan)] = task.plan.model_dump_json().encode()
        parts[f"tasks/{task.tape.task_id}/{_TAPE}"] = _told(task.tape)
        parts[f"tasks/{task.tape.task_id}/{_BOOK}"] = task.book
    write_archive(path, TASKS_FORMAT, about.model_dump(mode="json"), parts)


def is_of_tasks(path: Path) -> bool:
    """Whether a file is a recording of tasks that can be opened."""
    try:
        Archive(path, TASKS_FORMAT)
    except RecordingError:
        return False
    return True


class TaskBundle:
    """A recording of tasks, open for replay."""

    def __init__(self, path: Path) -> None:
        """Raises RecordingError for a file that is none, is damaged or of another version."""
        self.archive = Archive(path, TASKS_FORMAT)
        self.about = self.archive.about_as(AboutTasks)
        self._plans: dict[str, FabricPlan] = {}

    @property
    def path(self) -> Path:
        return self.archive.path

    @property
    def sha256(self) -> str:
        """Of the whole file."""
        return self.archive.sha256

    def task(self, task_id: str) -> RecordedTask:
        """One task. Raises RecordingError when it is damaged."""
        tape = self.archive.understood(f"tasks/{task_id}/{_TAPE}", TaskTape)
        if tape.plan not in self._plans:
            self._plans[tape.plan] = self.archive.understood(plan_name(tape.plan), FabricPlan)
        book = self.archive.read(f"tasks/{task_id}/{_BOOK}")
        return RecordedTask(tape=tape, plan=self._plans[tape.plan], book=book)

    def book(self, task_id: str) -> FactBook:
        """What devices told in a task. Raises RecordingError when it is damaged."""
        name = f"tasks/{task_id}/{_BOOK}"
        try:
            return read_book(self.archive.read(name))
        except ValueError:
            wanted = "it can't be understood; record again"
            raise RecordingError(self.path, "damaged", name, wanted) from None

    def check(self) -> None:
        """Read every part once. Raises RecordingError for the first that is damaged."""
        self.archive.check()


def _told(tape: TaskTape) -> bytes:
    return tape.model_dump_json().encode()
