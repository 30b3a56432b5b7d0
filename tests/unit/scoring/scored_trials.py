"""Trials as short as scoring needs them."""

from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.records.run import PlannedTrial, RunInfo
from netopsbench.records.trial import ToolCall, Trial, TrialError
from netopsbench.records.truth import FaultTruth, Truth

HEALTHY = Truth()


def at(place: str) -> Location:
    """`leaf1:eth2` or `leaf1` as a location."""
    device, colon, interface = place.partition(":")
    return Location(device=device, interface=interface if colon else None)


def faulty(fault_type: str, *accepted: str) -> Truth:
    return Truth(faults=(FaultTruth(fault_type=fault_type, accepted=tuple(map(at, accepted))),))


def two_faults(one: Truth, other: Truth) -> Truth:
    return Truth(faults=one.faults + other.faults)


def says(fault_type: str, *places: str) -> Answer:
    """An answer that claims this fault at each of the places."""
    findings = tuple(Finding(fault_type=fault_type, location=at(place)) for place in places)
    return Answer(verdict="fault_detected", findings=findings)


def says_healthy() -> Answer:
    return Answer(verdict="network_healthy")


def trial(
    trial_id: str = "t1",
    *,
    truth: Truth = HEALTHY,
    answer: Answer | None = None,
    error: TrialError | None = None,
    case_id: str = "",
    agent: str = "a",
    end: str = "scored",
    scale: str = "xs",
    difficulty: str = "easy",
    time_s: float = 1.0,
    calls: int = 0,
    asked: bool = True,
) -> Trial:
    call = ToolCall(tool="get_topology", arguments={}, started_ns=0, elapsed_s=0.1, is_error=False, result="{}")
    return Trial.model_validate(
        {
            "trial_id": trial_id,
            "case_id": case_id or trial_id.replace("t", "c"),
            "agent": agent,
            "fabric": scale,
            "scale": scale,
            "difficulty": difficulty,
            "seed": 1,
            "started_ns": 0,
            "end": end,
            "was_question_asked": asked,
            "truth": truth,
            "answer": answer,
            "error": error,
            "calls": (call,) * calls,
            "agent_time_s": time_s,
        }
    )


def crashed() -> TrialError:
    return TrialError(side="agent", reason="crashed", message="exit code 1")


def broke(reason: str) -> TrialError:
    return TrialError(side="infra", reason=reason, message="see the log")


def run_of(*trials: Trial, seed_kind: str = "practice") -> RunInfo:
    """A run that planned exactly these trials."""
    return RunInfo.model_validate(
        {
            "run_id": "r1",
            "campaign": "quickstart",
            "fabrics": ("xs",),
            "agents": tuple(dict.fromkeys(each.agent for each in trials)),
            "seed_kind": seed_kind,
            "started_ns": 0,
            "planned": tuple(
                PlannedTrial(trial_id=each.trial_id, case_id=each.case_id, agent=each.agent) for each in trials
            ),
        }
    )
