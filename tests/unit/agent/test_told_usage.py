"""What an agent tells of its own model counts, but never to the credit of others."""

from typing import Any

import pytest

from netopsbench.agent.models.usage import told_usage
from netopsbench.records.answers import Answer


def told(usage: Any) -> Answer:
    return Answer.model_validate({"verdict": "inconclusive", "metadata": {"usage": usage}})


@pytest.mark.parametrize(
    "usage",
    [
        {"cost_usd": -1.0},
        {"input_tokens": -5},
        {"output_tokens": 10, "cached_input_tokens": -1},
        {"cost_usd": float("nan")},
        {"cost_usd": float("inf")},
        {"cost_usd": "inf"},
        {"input_tokens": 10**30},
    ],
)
def test_impossible_figures_are_not_known(usage: dict[str, Any]) -> None:
    assert told_usage((), told(usage)) is None


def test_possible_figures_are_taken() -> None:
    usage = told_usage((), told({"input_tokens": 10, "output_tokens": 0, "cost_usd": 0.5}))
    assert usage is not None
    assert (usage.tokens, usage.cost_usd) == (10, 0.5)
