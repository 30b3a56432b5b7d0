"""Puts the question of a recorded case to an agent: here, when the agent is a rule of ours, else shut in."""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.agent.catalog import make_agent
from netopsbench.agent.contract import Agent
from netopsbench.agent.run import Examination, examine
from netopsbench.campaign.contestants import Entry
from netopsbench.core.errors import UnsupportedError
from netopsbench.records.answers import AgentFailure, Answer, Question
from netopsbench.tools.serving.aside import served
from netopsbench.tools.serving.desk import Desk

_BASELINE = "baseline"
HERE = frozenset({_BASELINE, "nop", "always-healthy", "constant", "random", "tracer", "sweeper"})
"""Agents of this package that need nothing but the tools, so that they run in this process, on every system."""


class DeskTools:
    """The tools of a desk in the same process."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def list_tools(self) -> list[dict[str, Any]]:
        """Name, description and argument schema of every tool. Costs no call."""
        return self._desk.schemas()

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Run a tool. Raises ToolError."""
        return self._desk.call(name, arguments)


def examined(entry: Entry, question: Question, desk: Desk) -> Examination:
    """How an agent of the catalogue fares with the question.

    Raises UnsupportedError for one that has to be shut in where that can't be done.
    """
    if entry.agent in HERE:
        # Nothing changes while one waits for a recording.
        agent = Baseline(lambda _: None) if entry.agent == _BASELINE else make_agent(entry.agent, entry.options)
        return examined_here(agent, question, desk)
    if sys.platform != "linux":
        wanted = f"replayed on {sys.platform} are: {', '.join(sorted(HERE))}; run {entry.agent} on Linux"
        raise UnsupportedError(f"agents that are programs or call a model are shut in, which needs Linux; {wanted}")
    # The agent's list of mounts shows where the socket lies: its path must say nothing.
    with TemporaryDirectory(prefix="") as neutral, served(desk, Path(neutral) / "tools") as socket:
        return examine(entry.agent, question, socket, options=entry.options)


def examined_here(agent: Agent, question: Question, desk: Desk) -> Examination:
    """How an agent fares that is believed to keep no secret door open: it runs in this process."""
    started = time.monotonic()
    answer: Answer | None = None
    failure: AgentFailure | None = None
    message = ""
    try:
        answer = agent.answer(question, DeskTools(desk))
    except Exception as crash:  # noqa: BLE001 - whatever an agent dies of is its outcome
        failure, message = "crashed", f"{type(crash).__name__}: {crash}"
    if desk.status()["is_exceeded"]:
        answer, failure = None, "tool_calls_exceeded"
        message = f"more than the {question.budget.tool_calls} tool calls that were allowed"
    return Examination(
        answer=answer,
        failure=failure,
        message=message,
        stderr="",
        elapsed_s=round(time.monotonic() - started, 6),
    )
