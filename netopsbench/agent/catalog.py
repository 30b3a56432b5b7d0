"""Agents by name."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from netopsbench.agent.baseline import Baseline
from netopsbench.agent.contract import Agent
from netopsbench.agent.controls import AlwaysHealthy, Constant, Nop, Random
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.records.answers import Answer


class NoOptions(Model):
    """For agents that take none."""


class ConstantOptions(Model):
    """What `constant` is told."""

    answer: Answer


class RandomOptions(Model):
    """What `random` is told."""

    seed: int = 1


def _constant(options: ConstantOptions) -> Agent:
    return Constant(options.answer)


def _random(options: RandomOptions) -> Agent:
    return Random(options.seed)


_MAKERS: Mapping[str, tuple[type[Model], Callable[[Any], Agent]]] = {
    "baseline": (NoOptions, lambda _: Baseline()),
    "nop": (NoOptions, lambda _: Nop()),
    "always-healthy": (NoOptions, lambda _: AlwaysHealthy()),
    "constant": (ConstantOptions, _constant),
    "random": (RandomOptions, _random),
}

AGENT_NAMES: tuple[str, ...] = tuple(_MAKERS)


def make_agent(name: str, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent called `name`. Raises SpecError for an unknown name and for every wrong option."""
    if name not in _MAKERS:
        raise SpecError([Problem("agent", "", name, f"known agents: {', '.join(AGENT_NAMES)}")])
    wanted, make = _MAKERS[name]
    try:
        return make(wanted.model_validate(options or {}))
    except ValidationError as wrong:
        takes = ", ".join(wanted.model_fields) or "no options"
        problems = [
            Problem(
                f"agent {name}",
                ".".join(map(str, each["loc"])),
                str(each["input"])[:80],
                f"{each['msg']}; takes {takes}",
            )
            for each in wrong.errors()
        ]
        raise SpecError(problems) from wrong
