"""`netopsbench quickstart`: from nothing to a scored report."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from netopsbench.campaign.run import plan_run, run
from netopsbench.cli.speak import FAILED, note
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.report.html import write_report
from netopsbench.report.terminal import TrialProgress, summary_table, trials_table
from netopsbench.scenario.load import load_campaign
from netopsbench.scoring.run import score_run


def quickstart(
    agent: Annotated[list[str] | None, typer.Option(help="Agent to examine; may be given several times.")] = None,
    campaign: Annotated[str, typer.Option(help="Campaign by name, or path of a campaign file.")] = "quickstart",
    out: Annotated[Path | None, typer.Option(help="Folder for the run; runs/<campaign>-<time> by default.")] = None,
) -> None:
    """Bring up a small fabric, break it, examine an agent, and write the report: minutes, no root, no account.

    Exit code 1 when not a single trial could be scored.
    """
    chosen = load_campaign(campaign)
    info, scenarios = plan_run(chosen, agent or ["baseline"])
    engine = NativeEngine(fetch_software(note))
    folder = out or Path("runs") / f"{chosen.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    note(f"{len(info.planned)} trials on fabric {', '.join(chosen.scales)}, agent {', '.join(info.agents)}")
    with TrialProgress(info.planned) as progress:
        run(chosen, info, scenarios, engine, folder, progress)
    scored = score_run(folder)
    stdout = Console()
    stdout.print(trials_table(scored.records.trials, scored.scores))
    stdout.print(summary_table(scored.summary))
    stdout.print(f"Report: {write_report(folder)}", soft_wrap=True)
    if not scored.scores:
        raise typer.Exit(FAILED)
