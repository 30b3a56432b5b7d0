"""`netopsbench quickstart`: from nothing to a scored report."""

from pathlib import Path
from typing import Annotated

import typer

from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.replayed import ReplayRequest
from netopsbench.campaign.run import Terms
from netopsbench.cli.replay import SHIPPED, find_recording, refuse_beside_replay
from netopsbench.cli.replay import replay as replay_recording
from netopsbench.cli.running import carry_out, finish

_CAMPAIGN = "quickstart"
_ONE_AT_A_TIME = Terms(workers=1)
"""Quick enough, and easy to follow."""


def quickstart(
    agent: Annotated[list[str] | None, typer.Option(help="Agent to examine; may be given several times.")] = None,
    campaign: Annotated[str, typer.Option(help="Campaign by name, or path of a campaign file.")] = _CAMPAIGN,
    out: Annotated[Path | None, typer.Option(help="Folder for the run; runs/<campaign>-<time> by default.")] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="No fabric: the recorded cases that come along, on any system.")
    ] = False,
) -> None:
    """Bring up a small fabric, break it, examine an agent, and write the report: minutes, no root, no account.

    Exit code 1 when not a single trial could be scored.
    """
    agents = tuple(agent or ["baseline"])
    if replay:
        refuse_beside_replay({"--campaign": campaign != _CAMPAIGN})
        finish(replay_recording(ReplayRequest(recording=find_recording(SHIPPED), agents=agents), out))
        return
    plan = plan_run(RunRequest(source=campaign, agents=agents))
    finish(carry_out(plan, out, _ONE_AT_A_TIME))
