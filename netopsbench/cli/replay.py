"""Replays from the command line: a recording by name or path, agents against it, no fabric."""

from collections.abc import Mapping
from pathlib import Path

from netopsbench.campaign.recorded import RECORDING, sealed_path
from netopsbench.campaign.replayed import Replay, ReplayRequest
from netopsbench.campaign.verbs import default_folder
from netopsbench.cli.speak import note
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import find_data
from netopsbench.report.terminal import TrialProgress

SHIPPED = "smoke"
"""The recording that comes with the package."""


def find_recording(name: str) -> Path:
    """A recording that ships with the package, by name, or the one at a path. Raises SpecError."""
    return find_data("recordings", name, ".zip")


def replay(request: ReplayRequest, out: Path | None) -> Path:
    """Replay with progress on stderr; the folder of the run."""
    replaying = Replay(request)
    info = replaying.info
    folder = out or default_folder(f"{info.campaign}-replayed")
    note(f"{len(info.planned)} trials replayed from {request.recording}, agent {', '.join(info.agents)}, in {folder}")
    with TrialProgress(info.planned) as progress:
        replaying.carry_out(folder, progress)
    return folder


def refuse_beside_replay(options: Mapping[str, bool]) -> None:
    """Raises SpecError for each option, by name, that was given and means nothing for a recording."""
    given = [name for name, is_given in options.items() if is_given]
    if given:
        raise SpecError([Problem(name, "", "", "a recording has its cases already; leave it out") for name in given])


def tell_recording(folder: Path) -> None:
    """Where the recording of a run lies, on stderr."""
    recording = folder / RECORDING
    if not recording.exists():
        note("nothing was recorded: no case could be scored")
        return
    size = recording.stat().st_size
    note(f"Recording: {recording} ({size / 1e6:.2f} MB), for agents; {sealed_path(recording)} is for scoring alone")
