"""From an agent's name and options to the program that is started."""

import json
import os
from collections.abc import Mapping
from typing import Any

from netopsbench.agent.catalog import checked_options
from netopsbench.agent.models.prices import price_of, told
from netopsbench.agent.options import (
    ClaudeOptions,
    CommandOptions,
    HttpOptions,
    OpenAiOptions,
    PythonOptions,
)
from netopsbench.agent.plugins import entry_point
from netopsbench.agent.programs.command import command_program
from netopsbench.agent.programs.program import Program
from netopsbench.agent.programs.sandbox import python_program
from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.records.answers import Budget
from netopsbench.records.prices import Price

_PASSED_ON = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")
"""How the network is reached from here."""


def program_for(agent: str, options: Mapping[str, Any] | None = None) -> Program:
    """What to start. Raises SpecError for an unknown agent, a wrong option, a key or a file that isn't there."""
    checked = checked_options(agent, options)
    if isinstance(checked, CommandOptions):
        return command_program(checked)
    if isinstance(checked, PythonOptions):
        # Looked up but not loaded: what it does belongs into the sandbox.
        entry_point(checked.name)
    argv = python_program(
        "netopsbench.agent.host", agent, "--options", json.dumps(_seen_inside(checked, options or {}))
    )
    if isinstance(checked, ClaudeOptions | OpenAiOptions | HttpOptions):
        key = _key(agent, checked.key_env)
        known = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return Program(argv, "network", {**known, **key}, tuple(key.values()), is_ours=True)
    return Program(argv)


def key_variables(agent: str, options: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Names of the environment variables that hold an agent's keys."""
    checked = checked_options(agent, options)
    if not isinstance(checked, ClaudeOptions | OpenAiOptions | HttpOptions) or checked.key_env is None:
        return ()
    return (checked.key_env,)


def known_price(agent: str, options: Mapping[str, Any] | None) -> Price | None:
    """What the model of an agent costs; None for one that speaks to no model, and where nobody knows the price."""
    checked = checked_options(agent, options)
    return price_of(checked.model, checked) if isinstance(checked, ClaudeOptions | OpenAiOptions) else None


def check_money(agent: str, options: Mapping[str, Any] | None, budget: Budget) -> None:
    """Raises SpecError when the budget limits money and nobody knows what this model costs."""
    checked = checked_options(agent, options)
    if budget.cost_usd is None or not isinstance(checked, ClaudeOptions | OpenAiOptions):
        return
    if price_of(checked.model, checked) is None:
        wanted = (
            "the budget limits cost_usd, and its price is unknown; give input_usd and output_usd per million tokens, "
            "or a list of your own as prices=FILE"
        )
        raise SpecError([Problem(f"agent {agent}", "model", checked.model, wanted)])


def _seen_inside(checked: Model, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for the process in the sandbox, which sees no list of the user's."""
    seen = dict(options)
    if isinstance(checked, ClaudeOptions | OpenAiOptions) and seen.pop("prices", None) is not None:
        price = price_of(checked.model, checked)
        seen |= told(price) if price is not None else {}
    return seen


def _key(agent: str, variable: str | None) -> dict[str, str]:
    if variable is None:
        return {}
    if not os.environ.get(variable):
        wanted = f"the environment variable {variable} isn't set; it holds the key, or key_env=NAME names another one"
        raise SpecError([Problem(f"agent {agent}", "key_env", variable, wanted)])
    return {variable: os.environ[variable]}
