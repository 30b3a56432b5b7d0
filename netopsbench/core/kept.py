"""Records of trials, a file each, written whole as soon as a trial is over and found again after a crash."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.core.model import Model

M = TypeVar("M", bound=Model)


class Kept(Generic[M]):
    """The trials of a run that are over, by what was given and to which agent."""

    def __init__(self, folder: Path, model: type[M]) -> None:
        self._folder = folder
        self._model = model

    def save(self, subject: str, agent: str, trial: M) -> None:
        """Keep a trial. Raises OSError."""
        write_atomic(self._path(subject, agent), trial.model_dump_json(indent=1))

    def find(self, subject: str, agent: str) -> M | None:
        """The trial; None when it isn't there or isn't whole."""
        try:
            return self._model.model_validate_json(self._path(subject, agent).read_bytes())
        except (OSError, ValidationError):
            return None

    def left(self, subject: str, agents: Sequence[str]) -> list[str]:
        """The agents that have no trial with it, in their order."""
        return [agent for agent in agents if self.find(subject, agent) is None]

    def whole(self) -> list[M]:
        """All trials, by the names of their files. Raises OSError, ValidationError for one that isn't readable."""
        paths = sorted(self._folder.glob("*.json"))
        return [self._model.model_validate_json(path.read_bytes()) for path in paths]

    def _path(self, subject: str, agent: str) -> Path:
        return self._folder / kept_name(subject, agent)


def kept_name(subject: str, agent: str) -> str:
    """The name of a trial's file."""
    # Agents are called by anything that can be typed, which makes no name of a file.
    digest = hashlib.sha256(f"{subject} {agent}".encode()).hexdigest()[:8]
    return f"{subject}-{digest}.json"


def read_kept(path: Path, model: type[M], wanted: str) -> M:
    """The record in a file of a run's folder. Raises SpecError, `wanted` being what such a folder holds."""
    try:
        return model.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as unreadable:
        raise not_a_run(path.parent, wanted, unreadable) from None


def not_a_run(folder: Path, wanted: str, unreadable: OSError | ValidationError) -> SpecError:
    """The error for a folder that doesn't hold what it should."""
    reason = unreadable.strerror if isinstance(unreadable, OSError) else str(unreadable).splitlines()[0]
    return SpecError([Problem("run folder", "", str(folder), f"{wanted} ({reason})")])
