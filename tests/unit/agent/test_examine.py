"""Mistakes of the person who chooses an agent are told before anything runs."""

from pathlib import Path

import pytest

from netopsbench.agent.run import examine
from netopsbench.core.errors import SpecError
from netopsbench.records.answers import Budget, Question

QUESTION = Question(text="?", labels=(), budget=Budget(wall_time_s=5, tool_calls=5), answer_schema={})


def test_an_unknown_agent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="known agents: baseline"):
        examine("clairvoyant", QUESTION, tmp_path / "socket")


def test_a_wrong_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="seed"):
        examine("random", QUESTION, tmp_path / "socket", options={"seed": "soon"})
