"""`netopsbench benchmark`: run a campaign, go on with it, score it, report and compare."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from netopsbench.campaign.cases import Timing
from netopsbench.campaign.folder import RunFolder
from netopsbench.campaign.limits import LIMITS, parse_limits
from netopsbench.campaign.plan import RunRequest, plan_run
from netopsbench.campaign.replayed import ReplayRequest, is_of_replay
from netopsbench.campaign.run import Terms, left, resume
from netopsbench.campaign.task_plan import asked_for
from netopsbench.cli.numbers import count, share
from netopsbench.cli.replay import find_recording, refuse_beside_replay, resume_replay, tell_missing, tell_recording
from netopsbench.cli.replay import replay as replay_recording
from netopsbench.cli.running import carry_out, finish, gate, show, show_plan
from netopsbench.cli.speak import note, plainly
from netopsbench.cli.task_run import examine_on_tasks, holds_tasks, refuse_recording_twice, resume_tasks
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.rca.record import TaskSource
from netopsbench.records.run import TASKS, TICKETS, WAYS_ON
from netopsbench.report.naming import short_comparisons, shortener, whole_names
from netopsbench.report.terminal import TrialProgress, comparison_table
from netopsbench.report.write import write_scored
from netopsbench.scoring.compare import compare_runs
from netopsbench.scoring.judge_client import judge_run
from netopsbench.scoring.run import score_run
from netopsbench.telemetry.services.state import EMBEDDED

benchmark = typer.Typer(help="Run campaigns, score them, read and compare the results.", no_args_is_help=True)

RunPath = Annotated[Path, typer.Argument(help="Folder of a run.")]
Workers = Annotated[str, typer.Option(help="Trials at once: a number, or auto for as many as the machine holds.")]
Telemetry = Annotated[
    str,
    typer.Option(
        envvar="NETOPSBENCH_TELEMETRY",
        help="Where records go: duckdb, or influx://… (alone: those of `telemetry up`); one worker then.",
    ),
]
Form = Literal["csv", "parquet"]
FailUnder = Annotated[float | None, share("Exit with 1 when an agent scores less than this; controls don't count.")]
_MOST_REPEATS = 1_000
_MOST_WORKERS = 1_000


@benchmark.command("run")
@plainly
def run_(
    context: typer.Context,
    agent: Annotated[list[str], typer.Option(help="Agent to examine; may be given several times.")],
    source: Annotated[
        str | None, typer.Argument(help="Campaign by name or path, or a folder of scenario files.", show_default=False)
    ] = None,
    case: Annotated[list[str] | None, typer.Option(help="Only the case with this id; may be repeated.")] = None,
    dry_run: Annotated[bool, typer.Option(help="Say what would be run, and how long it would take.")] = False,
    repeat: Annotated[int, count("How often each agent gets each case.", most=_MOST_REPEATS)] = 1,
    budget: Annotated[
        list[str] | None,
        typer.Option(help=f"Another limit than the campaign's, or than the recording's: {LIMITS}; may be repeated."),
    ] = None,
    workers: Workers = "auto",
    timing: Annotated[str | None, typer.Option(help="Pace of the collectors, fast or paper.")] = None,
    seed: Annotated[str | None, typer.Option(help="Draw other cases: a number, or secret for a headline run.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run; runs/<name>-<time> by default.")] = None,
    telemetry: Telemetry = EMBEDDED,
    fail_under: FailUnder = None,
    record: Annotated[bool, typer.Option("--record", help="Record each case, so that it can be replayed.")] = False,
    replay: Annotated[
        str | None, typer.Option(help="Instead of a campaign: a recording by name or path; no fabric is needed.")
    ] = None,
) -> None:
    """Give every case of a campaign, or of a recording, to every agent, and write the report.

    Root-cause and path tasks, prepared or recorded, are run as `netopsbench rca run` runs them.
    """
    limits = parse_limits(budget or ())
    given = {
        "--timing": timing is not None,
        "--seed": seed is not None,
        "--workers": workers != "auto",
        # Where the variable is set, it is for the runs that have telemetry.
        "--telemetry": telemetry != EMBEDDED and not _is_of_environment(context, "telemetry"),
    }
    if (tasks := _tasks_of(source, replay)) is not None:
        _refuse_for_tasks({**given, "--repeat": repeat > 1, "--fail-under": fail_under is not None})
        refuse_recording_twice(tasks, record)
        chosen = tasks.model_copy(update={"ids": tuple(case or ())})
        examine_on_tasks(asked_for(chosen, is_recorded=record, id_option="--case"), agent, limits, out, dry_run=dry_run)
    elif replay is not None:
        refuse_beside_replay({"SOURCE": source is not None, **given, "--dry-run": dry_run, "--record": record})
        cases = tuple(case or ())
        recording = find_recording(replay)
        wanted = ReplayRequest(recording=recording, agents=tuple(agent), repeat=repeat, cases=cases, budget=limits)
        finish(replay_recording(wanted, out), fail_under)
    elif source is not None:
        request = RunRequest(
            source=source,
            agents=tuple(agent),
            repeat=repeat,
            timing=_timing(timing),
            seed=_seed(seed),
            cases=tuple(case or ()),
            budget=limits,
            record=record,
        )
        _run_campaign(request, Terms(workers=_workers(workers), telemetry=telemetry), out, fail_under, dry_run=dry_run)
    else:
        raise SpecError([Problem("benchmark run", "SOURCE", "", "name a campaign, or a recording with --replay")])


def _run_campaign(
    request: RunRequest, terms: Terms, out: Path | None, fail_under: float | None, *, dry_run: bool
) -> None:
    plan = plan_run(request)
    if dry_run:
        show_plan(plan, terms.workers)
        return
    folder = carry_out(plan, out, terms)
    if request.record:
        tell_recording(folder)
    finish(folder, fail_under)


def _tasks_of(source: str | None, replay: str | None) -> TaskSource | None:
    """Root-cause and path tasks at a path; None where there is something else."""
    if source is not None and replay is None and Path(source).is_dir() and holds_tasks(Path(source)):
        return TaskSource(folder=Path(source).resolve())
    if replay is not None and source is None and Path(replay).is_file() and holds_tasks(Path(replay)):
        return TaskSource(recording=Path(replay).resolve())
    return None


def _refuse_for_tasks(options: Mapping[str, bool]) -> None:
    wanted = "root-cause and path tasks are run as they are, one after the other; leave it out"
    if problems := [Problem(name, "", "", wanted) for name, value in options.items() if value]:
        raise SpecError(problems)


@benchmark.command("resume")
@plainly
def resume_(
    run_folder: RunPath,
    workers: Workers = "auto",
    accept_changes: Annotated[bool, typer.Option(help="Go on although something was changed; written down.")] = False,
    telemetry: Telemetry = EMBEDDED,
    fail_under: FailUnder = None,
) -> None:
    """Go on with a run that was cut short: what is finished stays, what is missing is run."""
    if (run_folder / TASKS).exists():
        _refuse_for_tasks({"--workers": workers != "auto", "--fail-under": fail_under is not None})
        resume_tasks(run_folder, accept_changes=accept_changes)
        return
    if is_of_replay(run_folder):
        refuse_beside_replay({"--workers": workers != "auto"})
        resume_replay(run_folder, accept_changes=accept_changes)
        finish(run_folder, fail_under)
        return
    if (run_folder / TICKETS).exists():
        wanted = f"it holds a run of tickets; go on with: netopsbench {WAYS_ON[TICKETS]} {run_folder}"
        raise SpecError([Problem("run folder", "", str(run_folder), wanted)])
    terms = Terms(workers=_workers(workers), telemetry=telemetry, accept_changes=accept_changes)
    plan = RunFolder(run_folder).plan()
    missing = len(left(run_folder, plan))
    tell_missing(len(plan.info.planned), missing)
    engine = NativeEngine(fetch_software(note))
    with TrialProgress(plan.info.planned, done=len(plan.info.planned) - missing) as progress:
        resume(run_folder, engine, progress, terms)
    finish(run_folder, fail_under)


@benchmark.command("score")
@plainly
def score_(
    run_folder: RunPath,
    as_json: Annotated[bool, typer.Option("--json", help="The figures as JSON.")] = False,
) -> None:
    """Score a run from its records, as often as you like; nothing live is needed."""
    scored = score_run(run_folder)
    if as_json:
        print(scored.summary.model_dump_json(indent=2))
    else:
        show(scored)


@benchmark.command("report")
@plainly
def report_(
    run_folder: RunPath,
    form: Annotated[Form, typer.Option("--format", help="Of the table of trials: csv, or parquet beside it.")] = "csv",
    fail_under: FailUnder = None,
) -> None:
    """Score a run and write its report: HTML, Markdown, JSON, CSV, JUnit XML."""
    judge_run(run_folder, os.environ)
    scored = score_run(run_folder)
    page = write_scored(scored, run_folder, fail_under=fail_under)
    if form == "parquet":
        # Loading its library takes longer than a small report.
        from netopsbench.report.parquet import write_parquet

        print(write_parquet(scored, run_folder))
    Console().print(f"Report: {page}", soft_wrap=True)
    if fail_under is not None:
        gate(scored, fail_under)


@benchmark.command("compare")
@plainly
def compare_(
    run_a: RunPath,
    run_b: Annotated[Path | None, typer.Argument(help="Folder of another run; left out, agents of one run.")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Agents to compare; the last one in the second run.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The figures as JSON.")] = False,
) -> None:
    """Differences between two runs, or between agents of one, on the cases that are valid for both."""
    compared = compare_runs(run_a, run_b, agent or ())
    if as_json:
        print(compared.model_dump_json(indent=2))
        return
    # Between two runs each side is told as `agent in folder`.
    places = [f" in {run_a.name}", f" in {run_b.name}"] if run_b else []
    sides = [side for each in compared.comparisons for side in (each.a, each.b)]
    agents = [next((side.removesuffix(place) for place in places if side.endswith(place)), side) for side in sides]
    Console().print(comparison_table(short_comparisons(compared.comparisons, shortener(agents))))
    for line in whole_names(agents):
        note(line)
    for each in compared.notes:
        note(f"! {each}")


def _is_of_environment(context: typer.Context, option: str) -> bool:
    source = context.get_parameter_source(option)
    return source is not None and source.name == "ENVIRONMENT"


def _workers(given: str) -> int | None:
    if given == "auto":
        return None
    if given.isascii() and given.isdigit() and len(given) < 5 and 0 < int(given) <= _MOST_WORKERS:
        return int(given)
    raise SpecError([Problem("--workers", "", given, f"a number from 1 to {_MOST_WORKERS}, or auto")])


def _seed(given: str | None) -> int | Literal["secret"] | None:
    if given is None:
        return None
    if given == "secret":
        return "secret"
    if given.isascii() and given.isdigit() and len(given) < 20:
        return int(given)
    raise SpecError([Problem("--seed", "", given, "a whole number from 0 on, or secret")])


def _timing(given: str | None) -> Timing | None:
    match given:
        case None | "fast" | "paper":
            return given
        case _:
            raise SpecError([Problem("--timing", "", given, "fast or paper")])
