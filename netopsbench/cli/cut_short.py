"""Runs of tickets and tasks that end early: what is over is reported, and the way to go on is told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from netopsbench.campaign.record import is_interruption
from netopsbench.campaign.run import RunStoppedError
from netopsbench.core.errors import InfraError


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    over: int
    planned: int

    def __str__(self) -> str:
        return f"{self.over} of {self.planned} trials are over and saved"


@contextmanager
def told_how_far(
    folder: Path, way_on: str, progress: Callable[[], Progress], report: Callable[[Path], Path]
) -> Iterator[None]:
    """Whatever ends the block early, say how far the run in `folder` has come and how to go on.

    `way_on` is the command that does; after an interruption the report of what is over is written.
    """
    go_on = f"go on with: netopsbench {way_on} {folder}"
    try:
        yield
    except (KeyboardInterrupt, InfraError) as ended:
        # Ctrl-C goes to our processes too: a network that fails while it is taken down then is no news.
        if not is_interruption(ended):
            raise
        raise KeyboardInterrupt(f"interrupted; {progress()}, report: {report(folder)}; {go_on}") from None
    except BrokenPipeError:
        # Whoever read our words has left: nobody is there to be told.
        raise
    except OSError as failure:
        where = failure.filename or folder
        raise RunStoppedError(f"{where}: {failure.strerror}; {progress()}; {go_on}") from failure
