"""Replays from the command line: a recording by name or path, agents against it, no fabric."""

from collections.abc import Mapping
from pathlib import Path

from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.recorded import RECORDING, known_cases, sealed_path
from netopsbench.campaign.replayed import Replay, ReplayRequest, request_of
from netopsbench.campaign.verbs import free_folder
from netopsbench.cli.speak import note
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import find_data
from netopsbench.replay.bundle import Bundle, RecordedCase
from netopsbench.report.terminal import TrialProgress

SHIPPED = "smoke"
"""The recording that comes with the package."""


def find_recording(name: str) -> Path:
    """A recording that ships with the package, by name, or the one at a path. Raises SpecError."""
    return find_data("recordings", name, ".zip")


def recorded_case(recording: str | None, case_id: str | None, *, or_first: bool = False) -> RecordedCase | None:
    """The case of a recording that is named on the command line; None when no recording is.

    Without `case_id` the only one, or with `or_first` the first of several. Raises SpecError.
    """
    if recording is None:
        if case_id is not None:
            raise SpecError([Problem("--case", "", case_id, "name the recording it is in: --replay RECORDING")])
        return None
    bundle = Bundle(find_recording(recording))
    cases = known_cases(bundle, () if case_id is None else (case_id,))
    if len(cases) > 1 and not or_first:
        raise SpecError([Problem("--case", "", "", f"name one case of {bundle.path}: {', '.join(cases)}")])
    return bundle.case(cases[0])


def replay(request: ReplayRequest, out: Path | None) -> Path:
    """Replay with progress on stderr; the folder of the run."""
    replaying = Replay(request)
    info = replaying.info
    folder = free_folder(out, f"{info.campaign}-replayed")
    trials = "1 trial" if len(info.planned) == 1 else f"{len(info.planned)} trials"
    note(f"{trials} replayed from {request.recording}, agent {', '.join(info.agents)}, in {folder}")
    with TrialProgress(info.planned) as progress:
        replaying.carry_out(folder, progress)
    return folder


def resume_replay(folder: Path, *, accept_changes: bool) -> None:
    """Go on with a replay that was cut short, with progress on stderr."""
    place = RunFolder(folder)
    planned = place.info().planned
    missing = len(place.left(planned))
    tell_missing(len(planned), missing)
    if missing:
        replaying = Replay(request_of(folder))
        with TrialProgress(planned, done=len(planned) - missing) as progress:
            replaying.go_on(folder, progress, accept_changes=accept_changes)


def tell_missing(planned: int, missing: int) -> None:
    """How far a run has come, on stderr."""
    note(f"{planned - missing} of {planned} trials have a result, {missing} are left")


def refuse_beside_replay(options: Mapping[str, bool]) -> None:
    """Raises SpecError for each option, by name, that was given and means nothing for a recording."""
    given = [name for name, is_given in options.items() if is_given]
    if given:
        wanted = "a recording has its cases already, and nothing live is needed; leave it out"
        raise SpecError([Problem(name, "", "", wanted) for name in given])


def tell_recording(folder: Path, what: str = "case") -> None:
    """Where the recording of a run lies, on stderr; `what` is recorded."""
    recording = folder / RECORDING
    if not recording.exists():
        note(f"nothing was recorded: no {what} could be scored")
        return
    size = recording.stat().st_size
    note(f"Recording: {recording} ({size / 1e6:.2f} MB), for agents; {sealed_path(recording)} is for scoring alone")
