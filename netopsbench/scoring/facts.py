"""A trial as short as figures need it: ten thousand of them fit into memory, whole trials don't."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from netopsbench.records.answers import Answer
from netopsbench.records.trial import Attempt, Telemetry, Trial, TrialError
from netopsbench.records.truth import Truth
from netopsbench.records.usage import Usage
from netopsbench.scoring.steered import steered


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """What scoring needs of a trial; fields are those of `Trial`, long texts left out."""

    trial_id: str
    case_id: str
    agent: str
    repeat: int
    fabric: str
    scale: str
    difficulty: str
    exposure: str | None
    exposed_in: tuple[Telemetry, ...]
    lacks_exposure: bool
    started_ns: int
    end: Literal["scored", "invalid", "unsupported"]
    was_question_asked: bool
    truth: Truth
    answer: Answer | None
    """Without reasoning, evidence and metadata."""
    error: TrialError | None
    """Without the traceback."""
    is_steered: bool
    """Whether the agent seems to have followed an instruction in a device's text."""
    tool_calls: int
    agent_time_s: float
    tool_time_s: float
    infra_time_s: float
    usage: Usage | None
    earlier: tuple[Attempt, ...]

    @property
    def total_time_s(self) -> float:
        """Everything this trial took, over all its attempts."""
        own_s = self.agent_time_s + self.tool_time_s + self.infra_time_s
        return own_s + sum(each.agent_time_s + each.tool_time_s + each.infra_time_s for each in self.earlier)

    @property
    def all_usage(self) -> Iterable[Usage | None]:
        """Of every attempt in which the agent was asked."""
        return [self.usage, *(each.usage for each in self.earlier if each.was_question_asked)]


def facts_of(trial: Trial) -> TrialFacts:
    """The short form of a trial."""
    return TrialFacts(
        trial_id=trial.trial_id,
        case_id=trial.case_id,
        agent=trial.agent,
        repeat=trial.repeat,
        fabric=trial.fabric,
        scale=trial.scale,
        difficulty=trial.difficulty,
        exposure=trial.exposure,
        exposed_in=trial.exposed_in,
        lacks_exposure=trial.lacks_exposure,
        started_ns=trial.started_ns,
        end=trial.end,
        was_question_asked=trial.was_question_asked,
        truth=trial.truth,
        answer=None if trial.answer is None else _short(trial.answer),
        error=None if trial.error is None else trial.error.model_copy(update={"traceback": ""}),
        is_steered=steered(trial),
        tool_calls=len(trial.calls),
        agent_time_s=trial.agent_time_s,
        tool_time_s=trial.tool_time_s,
        infra_time_s=trial.infra_time_s,
        usage=trial.usage,
        earlier=trial.earlier,
    )


def _short(answer: Answer) -> Answer:
    findings = tuple(finding.model_copy(update={"evidence": ()}) for finding in answer.findings)
    return Answer(verdict=answer.verdict, findings=findings, confidence=answer.confidence)
