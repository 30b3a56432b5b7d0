"""A run on a recording: every recorded case with every agent, scored like a live run; nothing live is needed."""

import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from netopsbench.agent.run import Examination
from netopsbench.agent.trajectory import written_down
from netopsbench.campaign.contestants import (
    check_names,
    entry_for,
    known_usage,
    prices_of,
    secret_variables,
    settings_of,
)
from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.limits import Limits, check_limits
from netopsbench.campaign.plan import changes_between, examined_with, short_hash
from netopsbench.campaign.recorded import SealedTruth, known_cases
from netopsbench.campaign.replayed_agent import examined
from netopsbench.campaign.run import RunListener, check_accepted, not_yet_accepted, told_where
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import write_atomic
from netopsbench.core.kept import read_kept
from netopsbench.core.model import Model
from netopsbench.core.redact import secrets_of_environment
from netopsbench.records.run import REQUEST, PlannedTrial, Replayed, RunInfo, Sitting
from netopsbench.records.trial import ToolCall, Trial, TrialError
from netopsbench.replay.bundle import Bundle
from netopsbench.replay.playing import desk_of
from netopsbench.scenario.question import question_for
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.serving.process import read_calls


class ReplayRequest(Model):
    """What the user asks of a replay."""

    recording: Path
    agents: tuple[str, ...] = Field(min_length=1)
    repeat: int = Field(default=1, ge=1)
    cases: tuple[str, ...] = ()
    """Ids of the cases to replay; all when empty."""
    budget: Limits = Limits()
    """Limits instead of those of the run that was recorded."""


class Replay:
    """A recording with its truth, ready to be given to agents."""

    def __init__(self, request: ReplayRequest) -> None:
        """Raises SpecError for unknown agents and cases, RecordingError for a recording that can't be used."""
        check_names(request.agents)
        # A path that means the same wherever the run is gone on with.
        self._request = request.model_copy(update={"recording": request.recording.resolve()})
        self._bundle = Bundle(request.recording)
        self._bundle.check()
        self._truth = SealedTruth(self._bundle)
        about = self._bundle.about
        chosen = known_cases(self._bundle, request.cases)
        self._budget = request.budget.over(about.budget)
        check_limits(request.agents, self._budget)
        # A recording is of one run, in which all cases offered the same.
        self._has_command_lines = any(map(self._bundle.has_command_lines, chosen[:1]))
        self._question = question_for(self._budget, about.most_faults, has_command_lines=self._has_command_lines)
        self._trials = {case_id: self._truth.trial(case_id) for case_id in chosen}
        self.info = self._planned(request)

    def _planned(self, request: ReplayRequest) -> RunInfo:
        recorded, about = self._truth.info, self._bundle.about
        agents = tuple(dict.fromkeys(request.agents))
        sha256 = self._bundle.sha256
        # Without limits of their own, trials keep the ids that they always had.
        own = self._budget.model_dump(exclude={"tells_turns"})
        limits = [own] if self._budget != about.budget else []
        planned = tuple(
            PlannedTrial(
                trial_id=f"t{short_hash([sha256, case_id, agent, settings_of(agent), repeat, *limits])}",
                case_id=case_id,
                agent=agent,
                repeat=repeat,
            )
            for repeat in range(1, request.repeat + 1)
            for case_id in self._trials
            for agent in agents
        )
        return recorded.model_copy(
            update={
                "run_id": uuid.uuid4().hex[:12],
                "agents": agents,
                "budget": self._budget,
                "has_shell": False,
                "has_command_lines": self._has_command_lines,
                "prices": prices_of(agents),
                "started_ns": now_ns(),
                "finished_ns": None,
                "planned": planned,
                "sittings": (),
                "fingerprint": {
                    **examined_with(agents),
                    "recording": sha256[:12],
                },
                "replayed": Replayed(
                    recording=self._bundle.path.name,
                    sha256=sha256,
                    recorded_ns=about.recorded_ns,
                    netopsbench=about.netopsbench,
                ),
            }
        )

    def carry_out(self, folder: Path, listener: RunListener) -> RunInfo:
        """Give every case to every agent, in `folder`, one after the other.

        Raises what a run raises.
        """
        place = RunFolder(folder)
        with told_where(folder), place.claimed():
            place.check_free()
            write_atomic(folder / REQUEST, self._request.model_dump_json(indent=1))
            return self._sit(place, self.info, listener)

    def go_on(self, folder: Path, listener: RunListener, *, accept_changes: bool = False) -> RunInfo:
        """Give the cases that have no result in `folder`. Raises what the resumption of a run raises."""
        place = RunFolder(folder)
        with told_where(folder), place.claimed():
            info = place.info()
            self._check_recording(info)
            found = changes_between(info.fingerprint, self.info.fingerprint) if place.left(info.planned) else ()
            changes = not_yet_accepted(found, info.sittings)
            check_accepted(folder, changes, are_accepted=accept_changes)
            place.tidy()
            return self._sit(place, info, listener, changes)

    def _sit(self, place: RunFolder, info: RunInfo, listener: RunListener, changes: Sequence[str] = ()) -> RunInfo:
        sitting = Sitting(started_ns=now_ns(), workers=1, accepted_changes=tuple(changes))
        info = info.model_copy(update={"sittings": (*info.sittings, sitting)})
        place.save_info(info)
        for planned in place.left(info.planned):
            listener.phase(planned.trial_id, "replay")
            trial = self._trial(planned, place)
            place.save_trial(trial)
            listener.finished(trial)
        finished = info.model_copy(update={"finished_ns": info.finished_ns or now_ns()})
        place.save_info(finished)
        return finished

    def _check_recording(self, info: RunInfo) -> None:
        known = info.replayed
        if known is not None and known.sha256 != self._bundle.sha256:
            wanted = f"the run's recording has the SHA-256 {known.sha256[:12]}; put it back, or begin another run"
            raise SpecError([Problem(str(self._bundle.path), "SHA-256", self._bundle.sha256[:12], wanted)])

    def _trial(self, planned: PlannedTrial, place: RunFolder) -> Trial:
        recorded = self._trials[planned.case_id]
        entry = entry_for(planned.agent, recorded.truth, [each.truth for each in self._trials.values()])
        secrets = secrets_of_environment(os.environ, secret_variables(planned.agent))
        started_ns = now_ns()
        with TemporaryDirectory() as room:
            path = Path(room) / "calls.jsonl"
            meter = Meter(path, self._question.budget.tool_calls, secrets)
            try:
                examination = examined(entry, self._question, desk_of(self._bundle.case(planned.case_id), meter))
            finally:
                meter.close()
            made = read_calls(path)
        examination, told = written_down(self._question, examination, made, started_ns, secrets)
        place.save_trajectory(told, planned.trial_id, 1)
        calls = tuple(ToolCall.model_validate(call) for call in made)
        return _answered(recorded, planned, examination, calls, started_ns)


def replay(request: ReplayRequest, folder: Path, listener: RunListener) -> RunInfo:
    """Replay a recording; see `Replay`."""
    return Replay(request).carry_out(folder, listener)


def is_of_replay(folder: Path) -> bool:
    """Whether a folder is that of a replay."""
    return (folder / REQUEST).exists()


def request_of(folder: Path) -> ReplayRequest:
    """What was asked of the replay in a folder. Raises SpecError when that can't be read."""
    return read_kept(folder / REQUEST, ReplayRequest, f"the folder of a replay holds {REQUEST}")


def _answered(
    recorded: Trial, planned: PlannedTrial, examination: Examination, calls: Sequence[ToolCall], started_ns: int
) -> Trial:
    """The trial of a replayed case."""
    tool_s = min(examination.elapsed_s, sum(call.elapsed_s for call in calls))
    error = None
    if examination.failure is not None:
        error = TrialError(side="agent", reason=examination.failure, message=examination.message)
    return recorded.model_copy(
        update={
            "trial_id": planned.trial_id,
            "agent": planned.agent,
            "repeat": planned.repeat,
            "started_ns": started_ns,
            "answer": examination.answer,
            "error": error,
            "calls": tuple(calls),
            "agent_time_s": max(0.0, examination.elapsed_s - tool_s - examination.waited_s),
            "tool_time_s": tool_s,
            "provider_wait_s": examination.waited_s,
            "agent_access": examination.access,
            "usage": examination.usage or known_usage(planned.agent),
            "agent_stderr": examination.stderr,
        }
    )
