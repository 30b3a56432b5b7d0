"""Agents that installed packages bring along, found by their entry points."""

from pathlib import Path

import pytest

from netopsbench.agent.catalog import make_agent
from netopsbench.agent.plugins import plugin_names
from netopsbench.core.errors import SpecError
from netopsbench.records.answers import Answer, Budget, Question

CODE = """
from netopsbench.records.answers import Answer

class Mine:
    def __init__(self, mood="calm"):
        self.mood = mood

    def answer(self, question, tools):
        return Answer(verdict="inconclusive", reasoning=self.mood)

def nothing():
    return None
"""
QUESTION = Question(text="?", labels=(), budget=Budget(wall_time_s=5, tool_calls=5), answer_schema={})


class NoTools:
    def list_tools(self) -> list[dict[str, object]]:
        return []

    def call(self, name: str, /, **arguments: object) -> dict[str, object]:
        return {}


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "brought_along-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brought-along\nVersion: 1.0\n")
    points = "[netopsbench.agents]\nmine = brought_along:Mine\nhollow = brought_along:nothing\n"
    (about / "entry_points.txt").write_text(points)
    (tmp_path / "brought_along.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)


def test_it_is_listed_and_answers_with_its_options() -> None:
    assert {"mine", "hollow"} <= set(plugin_names())
    agent = make_agent("python", {"name": "mine", "options": {"mood": "grim"}})
    assert agent.answer(QUESTION, NoTools()) == Answer(verdict="inconclusive", reasoning="grim")


def test_what_cannot_answer_is_refused() -> None:
    with pytest.raises(SpecError, match="method `answer"):
        make_agent("python", {"name": "hollow"})


def test_an_unknown_one_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SpecError, match="mine"):
        make_agent("python", {"name": "theirs"})
