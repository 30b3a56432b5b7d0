"""What an agent's model took, from its journal or from its own word, and whether that was too much."""

from collections.abc import Sequence

from pydantic import ValidationError

from netopsbench.agent.models.journal import Event
from netopsbench.records.answers import AgentFailure, Answer, Budget
from netopsbench.records.usage import Usage

TOLD_IN = "usage"
"""Key of an answer's `metadata` in which an agent can tell what its own model took."""


def told_usage(events: Sequence[Event], answer: Answer | None) -> Usage | None:
    """The last total of the journal, else what the answer says; None when neither says anything."""
    totals = [each.total for each in events if each.total is not None]
    if totals:
        return totals[-1]
    if answer is None or TOLD_IN not in answer.metadata:
        return None
    try:
        return Usage.model_validate(answer.metadata[TOLD_IN])
    except ValidationError:
        # Its own word in a shape of its own: not known, which is not nothing.
        return None


def exceeded_by(usage: Usage | None, budget: Budget) -> tuple[AgentFailure, str] | None:
    """The limit that was exceeded, with a message."""
    if usage is None:
        return None
    if budget.tokens is not None and usage.tokens is not None and usage.tokens > budget.tokens:
        return "tokens_exceeded", f"{usage.tokens} tokens, {budget.tokens} were allowed"
    if budget.cost_usd is not None and usage.cost_usd is not None and usage.cost_usd > budget.cost_usd:
        return "cost_exceeded", f"{usage.cost_usd:.4f} US dollars, {budget.cost_usd:g} were allowed"
    return None
