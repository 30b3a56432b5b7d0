"""Agents that other packages bring along, in the entry-point group `netopsbench.agents`."""

from importlib import metadata

from netopsbench.agent.contract import Agent
from netopsbench.agent.options import PythonOptions
from netopsbench.agent.spec import hint_at_file
from netopsbench.core.errors import Problem, SpecError

GROUP = "netopsbench.agents"


def plugin_names() -> list[str]:
    """Names of the agents that installed packages bring along."""
    return sorted({point.name for point in metadata.entry_points(group=GROUP)})


def entry_point(name: str) -> metadata.EntryPoint:
    """The agent's entry point, not loaded yet. Raises SpecError when no installed package has it."""
    points = metadata.entry_points(group=GROUP, name=name)
    if not points:
        known = ", ".join(plugin_names()) or "none"
        wanted = (
            f"{hint_at_file(name)}no installed package has this entry point in the group {GROUP}; there are: {known}"
        )
        raise SpecError([Problem("agent python", "name", name, wanted)])
    return next(iter(points))


def plugged_in(options: PythonOptions) -> Agent:
    """Load an agent and make it: the entry point names a class or function that returns something with `answer`.

    Raises SpecError when there is no such entry point, or when what it makes can't answer.
    """
    made = entry_point(options.name).load()(**options.options)
    if not callable(getattr(made, "answer", None)):
        wanted = "what it makes needs a method `answer(question, tools)`"
        raise SpecError([Problem("agent python", "name", options.name, wanted)])
    agent: Agent = made
    return agent
