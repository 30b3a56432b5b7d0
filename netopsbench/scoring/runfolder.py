"""A run's folder, read: the plan, every trial that can be read, and what couldn't be."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from netopsbench.core.errors import Problem, SpecError
from netopsbench.records.run import RunInfo
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial
from netopsbench.records.versions import NewerFormatError, read_record
from netopsbench.scoring.facts import TrialFacts, facts_of
from netopsbench.scoring.grade import grade


@dataclass(frozen=True)
class RunRecords:
    """Everything that a run left on disk."""

    info: RunInfo
    trials: tuple[TrialFacts, ...]
    """The planned trials that were found whole, in the plan's order."""
    scores: tuple[Score, ...]
    """Of those of them that have one, in the same order."""
    unreadable: frozenset[str]
    """Ids of planned trials whose file is there but isn't a whole trial."""
    problems: tuple[str, ...]
    """One sentence for each file that was left out."""


def read_run(folder: Path) -> RunRecords:
    """Read and grade a run, one trial at a time; a trial file that is broken or not in the plan is named and left out.

    Raises SpecError when the folder has no readable `run.json`.
    """
    info = _read_info(folder / "run.json")
    planned = {trial.trial_id: trial for trial in info.planned}
    found: dict[str, TrialFacts] = {}
    scores: dict[str, Score] = {}
    unreadable: set[str] = set()
    problems: list[str] = []
    for path in sorted((folder / "trials").glob("*.json")):
        trial, problem = _read_trial(path)
        if trial is not None:
            plan = planned.get(trial.trial_id)
            if plan is None:
                problem = "its trial isn't in the run's plan"
            elif (plan.case_id, plan.agent) != (trial.case_id, trial.agent):
                problem = f"it tells of {trial.agent} on {trial.case_id}, planned {plan.agent} on {plan.case_id}"
        if trial is None or problem:
            problems.append(f"trials/{path.name} is left out: {problem}")
            unreadable |= {path.stem} & planned.keys()
        else:
            found[trial.trial_id] = facts_of(trial)
            scores.update({score.trial_id: score for score in grade_all([trial])})
    ordered = tuple(found[trial_id] for trial_id in planned if trial_id in found)
    graded = tuple(scores[trial_id] for trial_id in planned if trial_id in scores)
    return RunRecords(info, ordered, graded, frozenset(unreadable), tuple(problems))


def read_trial(folder: Path, trial_id: str) -> Trial | None:
    """One whole trial of a run; None when it can't be read."""
    return _read_trial(folder / "trials" / f"{trial_id}.json")[0]


def grade_all(trials: Iterable[Trial]) -> tuple[Score, ...]:
    """The scores of the trials that have one."""
    return tuple(grade(trial) for trial in trials if trial.end == "scored")


def _read_info(path: Path) -> RunInfo:
    try:
        return read_record(RunInfo, path.read_bytes())
    except NewerFormatError as newer:
        raise SpecError([Problem(str(path), "", "", str(newer))]) from newer
    except OSError as gone:
        wanted = f"the folder of a run holds a readable run.json ({gone.strerror})"
        raise SpecError([Problem("run folder", "", str(path.parent), wanted)]) from gone
    except ValidationError as wrong:
        raise SpecError(
            [
                Problem(str(path), ".".join(map(str, error["loc"])), _shown(error["input"]), error["msg"])
                for error in wrong.errors()
            ]
        ) from wrong


def _read_trial(path: Path) -> tuple[Trial | None, str]:
    """The trial of a file, or why there is none."""
    try:
        trial = read_record(Trial, path.read_bytes())
    except NewerFormatError as newer:
        return None, str(newer)
    except OSError as gone:
        return None, f"it can't be read ({gone.strerror})"
    except ValidationError as wrong:
        first = wrong.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return None, f"it is not a whole trial ({where + ': ' if where else ''}{first['msg']})"
    if trial.trial_id != path.stem:
        return None, f"it holds trial {trial.trial_id}"
    return trial, ""


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
