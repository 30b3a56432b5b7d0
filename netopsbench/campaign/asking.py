"""A question about a standing network: nothing of it is measured, and only the tools that belong to the task."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from netopsbench.agent.run import Examination
from netopsbench.campaign.trial import CALLS
from netopsbench.core.files import write_atomic
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric
from netopsbench.records.answers import Question
from netopsbench.records.trial import ToolCall
from netopsbench.tools.serving.process import serving
from netopsbench.tools.serving.server import Profile, ServerConfig
from netopsbench.vendors.lines import CommandLineRules

Examiner = Callable[[Question, Path], Examination]
"""Puts the question to somebody who finds the tools at a socket."""


class Offer(Model):
    """Which tools there are."""

    may_write: bool = False
    """Whether the tools that change devices are offered."""
    command_lines: CommandLineRules | None = None
    """Rules of devices' own command lines, which are offered only with them."""
    only: tuple[str, ...] | None = None
    """Names of the only tools that are offered; None for all."""
    profile: Profile = "own"
    """Under whose names the tools are offered."""
    secret_variables: tuple[str, ...] = ()
    """Environment variables whose values are in no record."""


def ask_on(
    fabric: Fabric, question: Question, examiner: Examiner, offer: Offer
) -> tuple[Examination, tuple[ToolCall, ...]]:
    """Put the question, with a tool server that knows the plan and the network, and nothing of the task's key."""
    with TemporaryDirectory(prefix="") as place, TemporaryDirectory(prefix="") as neutral:
        folder = Path(place)
        write_atomic(folder / "plan.json", fabric.plan.model_dump_json())
        write_atomic(folder / "fabric.json", fabric.handle.model_dump_json())
        config = ServerConfig(
            plan=folder / "plan.json",
            fabric=folder / "fabric.json",
            store=None,
            tool_calls=question.budget.tool_calls,
            socket=Path(neutral) / "tools",
            calls=folder / CALLS,
            may_write=offer.may_write,
            command_lines=offer.command_lines,
            offers=offer.only,
            profile=offer.profile,
            secret_variables=offer.secret_variables,
        )
        with serving(config) as server:
            examination = examiner(question, server.socket)
        # Only when the server has ended are those calls written down that nobody waited for.
        calls = server.calls()
    return examination, tuple(ToolCall.model_validate(call) for call in calls)
