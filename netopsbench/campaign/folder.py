"""A run's folder: what is written into it, when, and how it is found again after a crash.

`plan.json` and then `run.json` come first; `run.json` makes the folder a run. A trial that is over lies whole in
`trials/`. Tries that came to nothing lie in `attempts/`, and `journal.jsonl` tells of tries that were killed.
"""

import errno
import json
import shutil
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from pydantic import ValidationError

from netopsbench.campaign.plan import RunPlan
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import GONE, why_not_writable, write_atomic
from netopsbench.core.kept import not_a_run
from netopsbench.core.locks import try_lock
from netopsbench.records.run import PLAN, REQUEST, RUN, TRIALS, WAYS_ON, PlannedTrial, RunInfo
from netopsbench.records.trial import Attempt, Trial
from netopsbench.records.versions import NewerFormatError, read_record

KILLED = "killed"
_LOCK = "lock"
_FULL = (errno.ENOSPC, errno.EDQUOT)
"""A disk that holds no more is nobody's mistake."""
_BEFORE_A_RUN = frozenset({_LOCK, PLAN, REQUEST})
"""What is written before the file that makes a folder that of a run."""
_ASKING = "agent"
"""The phase in which the question is handed over."""


class RunFolder:
    """The folder of one run; several threads may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing = threading.Lock()

    @property
    def holds_run(self) -> bool:
        return (self.path / RUN).exists()

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Be the only process that works in the folder.

        Raises SpecError when another one does, or when it can't be written.
        """
        with self._opened_lock() as lock:
            if not try_lock(lock):
                raise SpecError([Problem("run folder", "", str(self.path), "another process works in it")])
            yield

    def _opened_lock(self) -> TextIO:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            return (self.path / _LOCK).open("w")
        except OSError as refused:
            if refused.errno in _FULL:
                raise
            reason = why_not_writable(self.path) or f"it can't be written: {refused.strerror}"
            raise SpecError([Problem("run folder", "", str(self.path), reason)]) from None

    def check_free(self) -> None:
        """Raises SpecError when no run can begin in it: it holds one or anything else, or can't be written."""
        if reason := why_not_writable(self.path):
            raise SpecError([Problem("--out", "", str(self.path), f"{reason}; choose another folder")])
        for name, way_on in WAYS_ON.items():
            if (self.path / name).exists():
                wanted = f"it holds a run already: `netopsbench {way_on}` goes on with it; or choose another folder"
                raise SpecError([Problem("--out", "", str(self.path), wanted)])
        # A run that was killed before it could begin leaves these.
        if any(self._is_foreign(path) for path in self.path.rglob("*")):
            wanted = "it holds other files already; choose a folder that is new or empty"
            raise SpecError([Problem("--out", "", str(self.path), wanted)])

    def _is_foreign(self, path: Path) -> bool:
        name = str(path.relative_to(self.path))
        return not path.is_dir() and name not in _BEFORE_A_RUN and not name.startswith((f".{PLAN}.", f".{REQUEST}."))

    def create(self, plan: RunPlan) -> None:
        """Make it the folder of a run. Raises SpecError when none can begin there."""
        self.check_free()
        write_atomic(self.path / PLAN, plan.model_dump_json())
        self.save_info(plan.info)

    def plan(self) -> RunPlan:
        """The plan with the state of the run. Raises SpecError when the folder holds no run."""
        info = self.info()
        with self._understood(PLAN):
            return _plan_with(info, (self.path / PLAN).read_bytes())

    def info(self) -> RunInfo:
        """The state of the run. Raises SpecError when the folder holds no run."""
        with self._understood(RUN):
            return read_record(RunInfo, (self.path / RUN).read_bytes())

    @contextmanager
    def _understood(self, name: str) -> Iterator[None]:
        try:
            yield
        except NewerFormatError as newer:
            raise SpecError([Problem(str(self.path / name), "", "", str(newer))]) from None
        except (OSError, ValidationError) as unreadable:
            raise not_a_run(self.path, f"the folder of a run holds {PLAN} and {RUN}", unreadable) from None

    def left(self, planned: Sequence[PlannedTrial]) -> tuple[PlannedTrial, ...]:
        """Those of the planned trials that have no result. Raises SpecError for one of a newer netopsbench."""
        return tuple(each for each in planned if self.trial(each.trial_id) is None)

    def tidy(self) -> None:
        """Remove what killed processes left: rooms of trials, files that were being written or removed."""
        for left in (self.path / "work", *self.path.glob(f".*{GONE}")):
            shutil.rmtree(left, ignore_errors=True)
        for place in (self.path, self.path / TRIALS, self.path / "attempts", self.path / "trajectories"):
            for half_written in (*place.glob(".*.json.*"), *place.glob(".*.jsonl.*")):
                half_written.unlink(missing_ok=True)

    def save_info(self, info: RunInfo) -> None:
        write_atomic(self.path / RUN, info.model_dump_json(indent=1))

    def save_trial(self, trial: Trial) -> None:
        """Keep a trial that is over."""
        write_atomic(self.path / TRIALS / f"{trial.trial_id}.json", trial.model_dump_json(indent=1))

    def save_attempt(self, trial: Trial, number: int) -> None:
        """Keep a try that came to nothing."""
        write_atomic(self.path / "attempts" / f"{trial.trial_id}.{number}.json", trial.model_dump_json(indent=1))

    def keep_trajectory(self, written: Path, trial_id: str, number: int) -> None:
        """Keep what the agent said and did in one try; nothing when it wasn't asked."""
        if written.exists():
            self.save_trajectory(written.read_bytes(), trial_id, number)

    def save_trajectory(self, told: str | bytes, trial_id: str, number: int) -> None:
        """Keep what the agent said and did in one try."""
        write_atomic(self.path / "trajectories" / f"{trial_id}.{number}.jsonl", told)

    def trial(self, trial_id: str) -> Trial | None:
        """The whole trial; None when it isn't there or isn't whole.

        Raises SpecError when a newer netopsbench wrote it: it is over, though it can't be read here.
        """
        return _read(self.path / TRIALS / f"{trial_id}.json")

    def journal(self, trial_id: str, number: int, phase: str) -> None:
        """Note that a try has come to a phase."""
        line = json.dumps({"trial": trial_id, "attempt": number, "phase": phase, "t_ns": now_ns()}) + "\n"
        with self._writing, (self.path / "journal.jsonl").open("a") as journal:
            journal.write(line)

    def earlier_attempts(self) -> dict[str, tuple[Attempt, ...]]:
        """All tries that came to nothing, by trial, in order."""
        found: dict[str, list[Attempt]] = {}
        for (trial_id, number), notes in sorted(self._notes().items()):
            kept = _read(self.path / "attempts" / f"{trial_id}.{number}.json")
            found.setdefault(trial_id, []).append(attempt_of(kept) if kept else _killed(notes))
        return {trial_id: tuple(attempts) for trial_id, attempts in found.items()}

    def _notes(self) -> dict[tuple[str, int], list[tuple[str, int]]]:
        """Phases with their times, by trial and number of the try."""
        notes: dict[tuple[str, int], list[tuple[str, int]]] = {}
        try:
            lines = (self.path / "journal.jsonl").read_text(errors="replace").splitlines()
        except FileNotFoundError:
            return notes
        for line in lines:
            try:
                note = json.loads(line)
                key, value = (str(note["trial"]), int(note["attempt"])), (str(note["phase"]), int(note["t_ns"]))
            except (ValueError, KeyError, TypeError):
                # The last line of a process that was killed while it wrote, or of a machine that lost power.
                continue
            notes.setdefault(key, []).append(value)
        return notes

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        """An empty folder for the sockets and the store of one trial; its name says nothing."""
        place = self.path / "work" / uuid.uuid4().hex[:8]
        # Under the lock, or the folder that is made here could lose its parent to one that is removed below.
        with self._writing:
            place.mkdir(parents=True, mode=0o700)
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)
            with self._writing, suppress(OSError):
                # Refused while other trials have their folders there.
                place.parent.rmdir()


def attempt_of(trial: Trial) -> Attempt:
    """What is kept of a try in the trial that came after it."""
    return Attempt(
        started_ns=trial.started_ns,
        reason=trial.error.reason if trial.error else trial.end,
        was_question_asked=trial.was_question_asked,
        agent_time_s=trial.agent_time_s,
        tool_time_s=trial.tool_time_s,
        infra_time_s=trial.infra_time_s,
        usage=trial.usage,
    )


def _killed(notes: list[tuple[str, int]]) -> Attempt:
    """A try that left no record: known up to the last phase it came to."""
    times = [t_ns for _, t_ns in notes]
    return Attempt(
        started_ns=times[0],
        reason=KILLED,
        was_question_asked=any(phase == _ASKING for phase, _ in notes),
        infra_time_s=(max(times) - times[0]) / 1e9,
    )


def _plan_with(info: RunInfo, raw: bytes) -> RunPlan:
    """The plan with the state of the run, which stands newer in `run.json`. Raises ValidationError."""
    try:
        content = json.loads(raw)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        return RunPlan.model_validate_json(raw)
    return RunPlan.model_validate_json(json.dumps({**content, "info": info.model_dump(mode="json")}))


def _read(path: Path) -> Trial | None:
    try:
        return read_record(Trial, path.read_bytes())
    except NewerFormatError as newer:
        raise SpecError([Problem(str(path), "", "", str(newer))]) from None
    except (OSError, ValidationError):
        return None
