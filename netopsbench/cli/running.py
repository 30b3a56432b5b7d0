"""Runs from the command line: carried out with progress, scored, shown."""

import os
from pathlib import Path

import typer
from rich.console import Console

from netopsbench.campaign.estimate import estimate
from netopsbench.campaign.plan import RunPlan
from netopsbench.campaign.room import machine_place
from netopsbench.campaign.run import Terms, run
from netopsbench.campaign.verbs import free_folder
from netopsbench.cli.speak import FAILED, complain, note
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.report.naming import short_comparisons, short_summary, short_trials, shortener, whole_names
from netopsbench.report.tables import below
from netopsbench.report.terminal import TrialProgress, comparison_table, summary_table, trials_table
from netopsbench.report.text import duration, one_line
from netopsbench.report.write import write_scored
from netopsbench.scoring.judge_client import judge_run
from netopsbench.scoring.run import ScoredRun, score_run

_TRIALS_SHOWN = 40
"""More rows than this are read in the report, not in a terminal."""
_NAME_SHOWN = 400
"""Characters of an agent's whole name."""


def carry_out(plan: RunPlan, out: Path | None, terms: Terms) -> Path:
    """Run a plan with progress on stderr; the folder of the run."""
    folder = free_folder(out, plan.info.campaign)
    engine = NativeEngine(fetch_software(note))
    info = plan.info
    trials = _trials(len(info.planned))
    note(f"{trials} on fabric {', '.join(info.fabrics)}, agent {', '.join(info.agents)}, in {folder}")
    if info.seed_sha256:
        note(f"secret seed, SHA-256 {info.seed_sha256}; the seed is told when the run has ended")
    with TrialProgress(info.planned) as progress:
        run(plan, engine, folder, progress, terms)
    return folder


def finish(folder: Path, fail_under: float | None = None) -> None:
    """Score and report a run; exit code 1 when nothing could be scored, or an agent scored too little."""
    judge_run(folder, os.environ)
    scored = score_run(folder)
    show(scored)
    Console().print(f"Report: {write_scored(scored, folder, fail_under=fail_under)}", soft_wrap=True)
    if not scored.scores:
        raise typer.Exit(FAILED)
    if fail_under is not None:
        gate(scored, fail_under)


def show(scored: ScoredRun) -> None:
    """The tables of a run on stdout."""
    stdout = Console()
    agents = [agent.agent for agent in scored.summary.agents]
    shorten = shortener(agents)
    if len(scored.records.trials) <= _TRIALS_SHOWN:
        stdout.print(trials_table(short_trials(scored.records.trials, shorten), scored.scores))
    stdout.print(summary_table(short_summary(scored.summary, shorten)))
    if scored.summary.comparisons:
        stdout.print(comparison_table(short_comparisons(scored.summary.comparisons, shorten)))
    for line in whole_names(agents):
        stdout.print(one_line(line, _NAME_SHOWN), soft_wrap=True, markup=False, highlight=False)


def show_plan(plan: RunPlan, workers: int | None) -> None:
    """The trials on stdout, what they would take on stderr."""
    if plan.request.seed == "secret":
        note("these ids are of a secret seed that is forgotten now; a run draws another one, with other cases")
    # On stderr, so that whoever reads stdout gets the trials alone.
    note(f"{'trial':<13} {'case':<13} agent repeat")
    for planned in plan.info.planned:
        print(planned.trial_id, planned.case_id, planned.agent, planned.repeat)
    found = estimate(plan, machine_place(Path()), workers)
    agents_s = duration(found.agents_at_most_s)
    cost = "unknown before the run" if found.cost_usd is None else "none, no agent here calls a model"
    note(
        f"{_trials(found.trials)}, {found.workers} at once: about {duration(found.without_agents_s)} without the "
        f"agents, who may take up to {agents_s} together; cost: {cost}"
    )


def _trials(count: int) -> str:
    return f"{count} trial" if count == 1 else f"{count} trials"


def gate(scored: ScoredRun, fail_under: float) -> None:
    failed = below(scored.summary.agents, fail_under)
    if failed:
        complain(f"score below {fail_under:g}: {', '.join(failed)}")
        raise typer.Exit(FAILED)
