"""The recording of a run: its cases in one file for agents, and what was wrong in another that only scoring reads."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue, ValidationError

from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.plan import RunPlan
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import remove_whole
from netopsbench.core.model import Model
from netopsbench.records.run import RunInfo
from netopsbench.records.trial import Trial
from netopsbench.records.versions import NewerFormatError, read_record
from netopsbench.replay.archive import Archive, RecordingError, write_archive
from netopsbench.replay.bundle import About, Bundle, read_case, write_bundle

RECORDING = "recording.zip"
"""In the folder of a run."""
_CASES = "recording"
"""The folder of the cases that are recorded already, until the run is over."""
_FORMAT = "netopsbench sealed truth"


class Sealed(Model):
    """What belongs to a recording and must not be in it."""

    sha256: str
    """Of the recording."""
    info: RunInfo
    """Of the run that was recorded."""


def recorded_in(plan: RunPlan, folder: RunFolder) -> dict[str, Path]:
    """Where trials record their cases, by trial: the first one of each case does; none when nobody wants it."""
    if not plan.request.record:
        return {}
    first: dict[str, str] = {}
    for planned in plan.info.planned:
        first.setdefault(planned.case_id, planned.trial_id)
    return {trial_id: folder.path / _CASES / f"{case_id}.zip" for case_id, trial_id in first.items()}


def keep_recording(plan: RunPlan, folder: RunFolder) -> Path | None:
    """Put the recorded cases of a run into one file, and the truth beside it; None when no case could be recorded.

    A case whose trial says nothing about an agent isn't worth a replay and is left out.
    """
    target = folder.path / RECORDING
    files = recorded_in(plan, folder)
    trials = [trial for trial_id in files if (trial := folder.trial(trial_id)) and trial.end == "scored"]
    kept = [trial for trial in trials if files[trial.trial_id].exists()]
    if not kept:
        return None
    about = About(
        campaign=plan.info.campaign,
        recorded_ns=plan.info.finished_ns or now_ns(),
        netopsbench=plan.info.versions.get("netopsbench", ""),
        budget=plan.cases.budget,
        most_faults=plan.cases.most_faults,
        cases=tuple(sorted(trial.case_id for trial in kept)),
    )
    write_bundle(target, about, [read_case(files[trial.trial_id]) for trial in kept])
    sealed = Sealed(sha256=Bundle(target).sha256, info=plan.info)
    parts = {f"{trial.case_id}.json": _without_agent(trial).model_dump_json().encode() for trial in kept}
    write_archive(sealed_path(target), _FORMAT, sealed.model_dump(mode="json"), parts)
    remove_whole(folder.path / _CASES)
    return target


def sealed_path(recording: Path) -> Path:
    """Where the truth of a recording lies: beside it."""
    return recording.with_suffix(".sealed")


def known_cases(bundle: Bundle, case_ids: Sequence[str]) -> tuple[str, ...]:
    """These cases of a recording, or all when none is named. Raises SpecError for each that isn't in it."""
    unknown = [case_id for case_id in case_ids if case_id not in bundle.about.cases]
    if unknown:
        wanted = f"cases of {bundle.path}: {', '.join(bundle.about.cases)}"
        raise SpecError([Problem("--case", "", case_id, wanted) for case_id in unknown])
    return tuple(case_id for case_id in bundle.about.cases if case_id in case_ids or not case_ids)


class SealedTruth:
    """What scoring knows of a recording's cases."""

    def __init__(self, bundle: Bundle) -> None:
        """Raises RecordingError when it is missing, damaged, or belongs to another recording."""
        path = sealed_path(bundle.path)
        self._archive = Archive(path, _FORMAT)
        try:
            sealed = _sealed(self._archive.about)
        except NewerFormatError as newer:
            raise RecordingError(path, "wrong_version", "about", str(newer)) from None
        except ValidationError:
            raise RecordingError(path, "damaged", "about", "its manifest lacks something; copy it again") from None
        if sealed.sha256 != bundle.sha256:
            wanted = f"it is the truth of another recording than {bundle.path}, whose SHA-256 is {bundle.sha256[:12]}"
            raise RecordingError(path, "not_alike", sealed.sha256[:12], wanted)
        self.info = sealed.info

    def trial(self, case_id: str) -> Trial:
        """The trial in which a case was recorded, without its agent. Raises RecordingError when it is damaged."""
        try:
            return read_record(Trial, self._archive.read(f"{case_id}.json"))
        except NewerFormatError as newer:
            raise RecordingError(self._archive.path, "wrong_version", case_id, str(newer)) from None
        except ValidationError:
            wanted = "it can't be understood; copy it again"
            raise RecordingError(self._archive.path, "damaged", case_id, wanted) from None


def _sealed(about: JsonValue) -> Sealed:
    """The manifest, its run of this or an earlier version. Raises ValidationError, NewerFormatError."""
    if not isinstance(about, dict) or "info" not in about:
        return Sealed.model_validate(about)
    return Sealed.model_validate({**about, "info": read_record(RunInfo, json.dumps(about["info"]).encode())})


def _without_agent(trial: Trial) -> Trial:
    """What a trial says of its case alone."""
    return trial.model_copy(
        update={
            "agent": "",
            "answer": None,
            "error": None,
            "calls": (),
            "phases": (),
            "agent_time_s": 0.0,
            "tool_time_s": 0.0,
            "infra_time_s": 0.0,
            "provider_wait_s": 0.0,
            "usage": None,
            "earlier": (),
            "agent_stderr": "",
        }
    )
