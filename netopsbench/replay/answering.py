"""Command lines of a recording by numbers of questions: each task or case is one question, in the recording's order."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from netopsbench.replay.archive import RecordingError
from netopsbench.replay.bundle import Bundle
from netopsbench.replay.playing import desk_of, task_desk
from netopsbench.replay.task_bundle import TaskBundle
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter

MakeMeter = Callable[[int], Meter]
"""The meter of a question by its number."""


class RecordedDesks(Mapping[int, Desk]):
    """A desk for each question, made when somebody asks for it: most are never needed."""

    def __init__(self, names: tuple[str, ...], make: Callable[[str, Meter], Desk], meter: MakeMeter) -> None:
        self.names = names
        """Of the tasks or cases; the first is question 1."""
        self._make = make
        self._meter = meter
        self._made: dict[int, Desk] = {}

    def __getitem__(self, number: int) -> Desk:
        if not 1 <= number <= len(self.names):
            raise KeyError(number)
        if number not in self._made:
            # Two clients that ask at once may both make one; setdefault lets the first stay.
            self._made.setdefault(number, self._make(self.names[number - 1], self._meter(number)))
        return self._made[number]

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, len(self.names) + 1))

    def __len__(self) -> int:
        return len(self.names)


def recorded_desks(path: Path, meter: MakeMeter) -> RecordedDesks:
    """The questions of a recording of tasks, or of cases in which command lines were offered.

    Raises RecordingError for a file that is neither, or is damaged.
    """
    try:
        tasks = TaskBundle(path)
    except RecordingError as other:
        if other.damage != "not_a_recording":
            raise
    else:
        tasks.check()
        return RecordedDesks(
            tasks.about.tasks, lambda name, one: task_desk(tasks.task(name), tasks.book(name), one), meter
        )
    cases = Bundle(path)
    cases.check()
    offering = tuple(name for name in cases.about.cases if cases.case(name).tape.command_lines is not None)
    if not offering:
        wanted = "record a campaign with `tools: {command_lines: true}`, or tasks with `netopsbench rca run --record`"
        raise RecordingError(path, "not_a_recording", "no command lines in any case", wanted)
    return RecordedDesks(offering, lambda name, one: desk_of(cases.case(name), one), meter)
