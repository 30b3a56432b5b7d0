"""What an agent is asked, and what it says."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from netopsbench.core.model import Model
from netopsbench.core.storable import storable
from netopsbench.records.labels import FaultLabel

AgentFailure = Literal[
    "no_answer",
    "malformed_answer",
    "crashed",
    "refused",
    "provider_failed",
    "wall_time_exceeded",
    "tool_calls_exceeded",
    "turns_exceeded",
    "tokens_exceeded",
    "cost_exceeded",
]
"""Why an agent scores 0 without a verdict. A closed list."""

Verdict = Literal["fault_detected", "network_healthy", "inconclusive"]


class Budget(Model):
    """What an agent may use up; told to it in the question, but for turns that are to be kept from it."""

    wall_time_s: float = Field(gt=0)
    tool_calls: int = Field(gt=0)
    turns: int | None = Field(default=None, gt=0)
    """Replies of a model; None is no limit, here and below."""
    tells_turns: bool = True
    """Whether the agent hears of the limit on turns; it holds either way."""
    tokens: int | None = Field(default=None, gt=0)
    """All tokens of all requests to a model, cached ones too."""
    cost_usd: float | None = Field(default=None, gt=0)

    def as_told(self) -> "Budget":
        """What the agent hears of it."""
        return self if self.tells_turns else self.model_copy(update={"turns": None, "tells_turns": True})


class Question(Model):
    """The whole task as the agent sees it; the same bytes for healthy and faulty cases of a campaign."""

    task: Literal["localize", "ticket", "rca", "path"] = "localize"
    text: str
    labels: tuple[FaultLabel, ...]
    budget: Budget
    answer_schema: dict[str, Any]
    """JSON schema of `Answer`."""

    def as_told(self) -> "Question":
        """The question without what is kept from the agent."""
        return self.model_copy(update={"budget": self.budget.as_told()})


class Location(Model):
    """A device, and an interface of it where one is meant."""

    device: str
    interface: str | None = None

    def __str__(self) -> str:
        return self.device if self.interface is None else f"{self.device}:{self.interface}"


class Finding(Model):
    """One fault that the agent claims."""

    fault_type: str
    location: Location
    evidence: tuple[str, ...] = ()


class Answer(Model):
    """An agent's diagnosis."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    confidence: float | None = Field(default=None, ge=0, le=1)
    reasoning: str = ""
    metadata: Annotated[dict[str, Any], BeforeValidator(storable)] = Field(default_factory=dict)
    """Whatever else it says; a mark stands where no record could hold it."""
