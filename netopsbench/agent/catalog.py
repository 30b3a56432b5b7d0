"""Agents by name."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.agent.contract import Agent
from netopsbench.agent.controls import AlwaysHealthy, Constant, Nop, Random
from netopsbench.agent.labs.checks_first import ChecksFirst
from netopsbench.agent.models.openai_compatible import openai_agent
from netopsbench.agent.options import (
    ClaudeOptions,
    CommandOptions,
    ConstantOptions,
    HttpOptions,
    NoOptions,
    OpenAiOptions,
    PythonOptions,
    RandomOptions,
)
from netopsbench.agent.plugins import plugged_in
from netopsbench.agent.programs.http import HttpAgent
from netopsbench.agent.sweeper.sweeper import Sweeper
from netopsbench.agent.ticket_agents import Believer, RandomDevice
from netopsbench.agent.tracer.path_tracer import PathTracer
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.redact import redacted_text


def _constant(options: ConstantOptions) -> Agent:
    return Constant(options.answer)


def _random(options: RandomOptions) -> Agent:
    return Random(options.seed)


def _claude(options: ClaudeOptions) -> Agent:
    # The SDK is an extra: everybody else does without it.
    from netopsbench.agent.models.claude import claude_agent

    return claude_agent(options)


_MAKERS: Mapping[str, tuple[type[Model], Callable[[Any], Agent]]] = {
    "baseline": (NoOptions, lambda _: Baseline()),
    "nop": (NoOptions, lambda _: Nop()),
    "always-healthy": (NoOptions, lambda _: AlwaysHealthy()),
    "constant": (ConstantOptions, _constant),
    "random": (RandomOptions, _random),
    "believer": (NoOptions, lambda _: Believer()),
    "checks-first": (NoOptions, lambda _: ChecksFirst()),
    "random-device": (RandomOptions, lambda options: RandomDevice(options.seed)),
    "tracer": (NoOptions, lambda _: PathTracer()),
    "sweeper": (NoOptions, lambda _: Sweeper()),
    "claude": (ClaudeOptions, _claude),
    "openai-compatible": (OpenAiOptions, openai_agent),
    "http": (HttpOptions, HttpAgent),
    "python": (PythonOptions, plugged_in),
}

AGENT_NAMES: tuple[str, ...] = ("baseline", "nop", "always-healthy", "constant", "random")
"""Agents that need to be told nothing, or by the benchmark alone."""


def checked_options(name: str, options: Mapping[str, Any] | None = None) -> Model:
    """The options of the agent called `name`. Raises SpecError for an unknown name and for every wrong option."""
    if name != "command" and name not in _MAKERS:
        known = ", ".join((*_MAKERS, "command"))
        raise SpecError([Problem("agent", "", name, f"known agents: {known}")])
    wanted = CommandOptions if name == "command" else _MAKERS[name][0]
    try:
        return wanted.model_validate(options or {})
    except ValidationError as wrong:
        takes = ", ".join(wanted.model_fields) or "no options"
        problems = [
            Problem(
                f"agent {name}",
                ".".join(map(str, each["loc"])),
                "" if each["type"] == "missing" else redacted_text(str(each["input"])[:80]),
                f"{each['msg']}; takes {takes}",
            )
            for each in wrong.errors()
        ]
        raise SpecError(problems) from wrong


def make_agent(name: str, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent called `name`. Raises SpecError for an unknown name, for one that is a program, for a wrong option."""
    checked = checked_options(name, options)
    if name not in _MAKERS:
        raise SpecError([Problem("agent", "", name, "a program has no object in Python")])
    return _MAKERS[name][1](checked)
