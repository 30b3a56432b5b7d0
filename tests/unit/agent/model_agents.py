"""Model agents in this process against a fake provider, for the tests of both wire formats."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from fake_provider import Provider

from netopsbench.agent.catalog import make_agent
from netopsbench.agent.models.journal import Event
from netopsbench.agent.models.model_agent import ModelAgent
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Budget, Question
from netopsbench.records.labels import LABELS

HEALTHY = ("submit_answer", {"verdict": "network_healthy", "confidence": 0.8})
LOOK: tuple[str, dict[str, Any]] = ("get_topology", {})
KEY = "sk-test-0123456789abcdef0123"
WORDS = {"anthropic": "claude", "openai": "openai-compatible"}


@dataclass
class FakeTools:
    """One tool that counts its calls, and fails when told to."""

    failure: ToolError | None = None
    device_text: tuple[str, ...] = ()
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def list_tools(self) -> list[dict[str, Any]]:
        schema = {"type": "object", "properties": {}}
        shown = {"arguments": schema, "effect": "read", "device_text": list(self.device_text)}
        return [{"name": "get_topology", "description": "The design.", **shown}]

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        self.calls.append((name, arguments))
        if self.failure is not None:
            raise self.failure
        return {"nodes": ["leaf1"]}


@dataclass
class Notes:
    """A journal to look at."""

    events: list[Event] = field(default_factory=list)

    def note(self, event: Event) -> None:
        self.events.append(event)

    @property
    def total(self) -> Any:
        return [each.total for each in self.events if each.total][-1]

    @property
    def waits(self) -> list[float]:
        return [each.wait_s for each in self.events if each.wait_s is not None]


@dataclass
class Asked:
    """How it went."""

    notes: Notes = field(default_factory=Notes)
    slept: list[float] = field(default_factory=list)
    tools: FakeTools = field(default_factory=FakeTools)

    def ask(self, kind: str, at: Provider, monkeypatch: pytest.MonkeyPatch, **more: Any) -> Answer:
        """Let an agent answer; `budget` is of the question, everything else are its options."""
        monkeypatch.setenv("FAKE_KEY", KEY)
        budget = Budget(wall_time_s=60, tool_calls=10, **more.pop("budget", {}))
        options = {"model": "claude-sonnet-4-5", "base_url": at.url, "key_env": "FAKE_KEY", **more}
        agent = make_agent(WORDS[kind], options)
        assert isinstance(agent, ModelAgent)
        agent = ModelAgent(agent.make_chat, agent.price, self.notes, self.slept.append)
        question = Question(text="What is wrong?", labels=LABELS, budget=budget, answer_schema={"type": "object"})
        return agent.answer(question, self.tools)
