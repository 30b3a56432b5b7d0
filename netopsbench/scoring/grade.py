"""What one trial is worth: the `localize` task, by rule, from the record alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from netopsbench.records.answers import Answer, Finding, Location
from netopsbench.records.score import Score
from netopsbench.records.trial import Trial
from netopsbench.records.truth import FaultTruth, Truth
from netopsbench.scoring.names import fault_label, place


@dataclass(frozen=True)
class Grade:
    """The worth of an answer against a truth; the fields are those of `Score`."""

    strict: float
    paper: float
    is_detected: bool
    is_device_right: bool | None
    is_interface_right: bool | None
    is_type_right: bool | None
    why: str


def grade(trial: Trial) -> Score:
    """The score of a trial in which the agent was examined; an agent that failed scores 0.

    Raises ValueError for a trial that ended invalid or unsupported: such a trial has no score.
    """
    if trial.end != "scored":
        raise ValueError(f"trial {trial.trial_id} ended {trial.end}: it has no score")
    if trial.error is not None and trial.error.side == "agent":
        worth = _nothing(trial.truth, f"the agent failed: {trial.error.reason}")
    else:
        worth = grade_answer(trial.truth, trial.answer)
    return Score(
        trial_id=trial.trial_id,
        case_id=trial.case_id,
        agent=trial.agent,
        strict=worth.strict,
        paper=worth.paper,
        is_detected=worth.is_detected,
        is_device_right=worth.is_device_right,
        is_interface_right=worth.is_interface_right,
        is_type_right=worth.is_type_right,
        why=worth.why,
    )


def grade_answer(truth: Truth, answer: Answer | None) -> Grade:
    """The worth of an answer; no answer is worth nothing."""
    if answer is None:
        return _nothing(truth, "no answer")
    if not truth.is_faulty:
        return _grade_healthy(answer)
    if answer.verdict != "fault_detected":
        return _nothing(truth, f"the verdict is {answer.verdict}, but there is a fault")
    if len(truth.faults) == 1:
        return _grade_single(truth, answer.findings)
    return _grade_several(truth, answer.findings)


def _grade_healthy(answer: Answer) -> Grade:
    is_right = answer.verdict == "network_healthy"
    worth = float(is_right)
    ending = "and it is" if is_right else "but the network is healthy"
    return Grade(worth, worth, is_right, None, None, None, f"the verdict is {answer.verdict}, {ending}")


def _nothing(truth: Truth, why: str, *, is_detected: bool = False) -> Grade:
    is_right = False if truth.is_faulty else None
    is_interface_right = False if any(map(_has_interface, truth.faults)) else None
    return Grade(0.0, 0.0, is_detected, is_right, is_interface_right, is_right, why)


def _grade_single(truth: Truth, findings: Sequence[Finding]) -> Grade:
    if len(findings) != 1:
        why = f"{len(findings)} findings, where exactly one is an answer"
        return _nothing(truth, why, is_detected=True)
    fault, finding = truth.faults[0], findings[0]
    is_device_right = _names_device(finding, fault)
    is_type_right = fault_label(finding.fault_type) == fault.fault_type
    if not _has_interface(fault):
        worth = float(is_device_right)
        why = f"the device {_said(finding.location.device)} is {_judged(is_device_right)}"
        return Grade(worth, worth, True, is_device_right, None, is_type_right, why)
    is_interface_right = _names_place(finding, fault)
    strict = 0.5 * is_device_right + 0.5 * is_interface_right
    why = (
        f"the device {_said(finding.location.device)} is {_judged(is_device_right)}, "
        f"the interface {_said(finding.location.interface)} {_judged(is_interface_right)}"
    )
    paper = max(_paper_worth(finding, location) for location in fault.accepted)
    if paper > strict:
        why += " (as published, the port's name counts on any device)"
    return Grade(strict, paper, True, is_device_right, is_interface_right, is_type_right, why)


def _grade_several(truth: Truth, findings: Sequence[Finding]) -> Grade:
    """F1 over whole locations, each finding counted as written and matched with one fault at most."""
    found = _matched(truth.faults, findings, whole_place=True)
    devices = _matched(truth.faults, findings, whole_place=False)
    worth = 2 * found / (len(findings) + len(truth.faults))
    named_types = sorted(fault_label(finding.fault_type) for finding in findings)
    return Grade(
        strict=worth,
        paper=worth,
        is_detected=True,
        is_device_right=devices == len(truth.faults) == len(findings),
        is_interface_right=(
            found == len(truth.faults) == len(findings) if any(map(_has_interface, truth.faults)) else None
        ),
        is_type_right=named_types == sorted(fault.fault_type for fault in truth.faults),
        why=f"{found} of {len(truth.faults)} faults located with {len(findings)} findings (F1)",
    )


def _matched(faults: Sequence[FaultTruth], findings: Sequence[Finding], *, whole_place: bool) -> int:
    """How many faults can be given a right finding of their own (augmenting paths)."""
    names = _names_place if whole_place else _names_device
    taken: dict[int, int] = {}

    def assign(fault: int, tried: set[int]) -> bool:
        for index, finding in enumerate(findings):
            if index in tried or not names(finding, faults[fault]):
                continue
            tried.add(index)
            if index not in taken or assign(taken[index], tried):
                taken[index] = fault
                return True
        return False

    return sum(assign(fault, set()) for fault in range(len(faults)))


def _names_device(finding: Finding, fault: FaultTruth) -> bool:
    device, _ = place(finding.location)
    return device is not None and any(device == place(accepted)[0] for accepted in fault.accepted)


def _names_place(finding: Finding, fault: FaultTruth) -> bool:
    """Whether the device, and the interface where the truth has one, are those of one accepted end."""
    if not _has_interface(fault):
        return _names_device(finding, fault)
    named = place(finding.location)
    return None not in named and any(named == place(accepted) for accepted in fault.accepted)


def _paper_worth(finding: Finding, accepted: Location) -> float:
    """As published: half for the device, half for the interface, whatever device it stands on."""
    device, interface = place(finding.location)
    right_device, right_interface = place(accepted)
    return 0.5 * (device is not None and device == right_device) + 0.5 * (
        interface is not None and interface == right_interface
    )


def _has_interface(fault: FaultTruth) -> bool:
    return fault.accepted[0].interface is not None


def _judged(is_right: bool) -> str:
    return "right" if is_right else "wrong"


def _said(name: str | None) -> str:
    return name.strip() if name and name.strip() else "(none named)"
