"""`netopsbench quickstart`: from nothing to a scored report."""

from pathlib import Path
from typing import Annotated

import typer

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.cli.benchmark import carry_out, finish

_ONE_AT_A_TIME = 1
"""Quick enough, and easy to follow."""


def quickstart(
    agent: Annotated[list[str] | None, typer.Option(help="Agent to examine; may be given several times.")] = None,
    campaign: Annotated[str, typer.Option(help="Campaign by name, or path of a campaign file.")] = "quickstart",
    out: Annotated[Path | None, typer.Option(help="Folder for the run; runs/<campaign>-<time> by default.")] = None,
) -> None:
    """Bring up a small fabric, break it, examine an agent, and write the report: minutes, no root, no account.

    Exit code 1 when not a single trial could be scored.
    """
    plan = plan_run(RunRequest(source=campaign, agents=tuple(agent or ["baseline"])))
    finish(carry_out(plan, out, _ONE_AT_A_TIME))
