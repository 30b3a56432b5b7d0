"""`netopsbench benchmark prepare` and `check`: cases written out as files, and judged before anything runs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.campaign.cases import Cases, holds_cases, load_cases, plans_of, suites_of
from netopsbench.campaign.plan import seed_hash
from netopsbench.cli.speak import note
from netopsbench.cli.task_tables import counts_table
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.rca.checking import CheckedSuite, check_suite
from netopsbench.rca.files import SUITE, suite_files
from netopsbench.rca.generate import NETWORKS, generate
from netopsbench.scenario.campaign import Campaign
from netopsbench.scenario.check import CheckedScale, check_cases
from netopsbench.scenario.load import load_campaign
from netopsbench.scenario.manifest import MANIFEST, Manifest
from netopsbench.scenario.prepare import fresh_seed, prepare, write_prepared
from netopsbench.scenario.truth import truth_of
from netopsbench.scoring.floor import Floor, floor

_DEFAULT = "netopsbench"
_USUAL_SEED = 1
"""Of a suite."""


def prepare_(
    scales: Annotated[str | None, typer.Option(help="Scales, xs,large; all of the campaign's by default.")] = None,
    spec: Annotated[str | None, typer.Option(help=f"Campaign by name or path; {_DEFAULT} by default.")] = None,
    seed: Annotated[str | None, typer.Option(help="Draw other cases: a number, or secret.")] = None,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder for each scale.")] = Path("scenarios/generated"),
    suite: Annotated[
        str | None, typer.Option(help=f"Instead of a campaign's cases: {SUITE}, root-cause and path tasks.")
    ] = None,
) -> None:
    """Write a campaign's cases as files, with a manifest for each scale; the same bytes on every machine."""
    if suite is not None:
        if suite != SUITE:
            raise SpecError([Problem("--suite", "", suite, f"known suites: {SUITE}")])
        _refuse_beside_suite({"--scales": scales, "--spec": spec})
        _prepare_suite(seed, out)
        return
    campaign = _chosen(load_campaign(_DEFAULT if spec is None else spec), scales)
    is_secret = seed == "secret"
    if seed is not None:
        campaign = campaign.model_copy(update={"seed": fresh_seed() if is_secret else _number(seed)})
    plans = {scale: plan_fabric(load_spec(scale)) for scale in campaign.scales}
    files = prepare(campaign, plans, is_secret=is_secret)
    for scale, folder in zip(files, write_prepared(files, out), strict=True):
        manifest = Manifest.model_validate_json(files[scale][MANIFEST])
        print(folder)
        note(f"{scale}: {len(manifest.scenarios)} cases, {_in_words(manifest)}")
        _note_secret(manifest.seed_sha256, "cases")


def check_(
    source: Annotated[
        str, typer.Argument(help=f"Prepared folder of cases or of --suite {SUITE}, or campaign by name or path.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The figures as JSON.")] = False,
) -> None:
    """Check cases: files, faults against fabrics, doubles, telemetry that shows them; and print their floor.

    Root-cause and path tasks: files, networks, labels, golden steps, counts. Nothing is started.
    """
    suites = [check_suite(folder) for folder in suites_of(source)]
    has_cases = not suites or holds_cases(Path(source))
    figures = _cases(load_cases(source), as_json) if has_cases else {}
    if suites:
        figures["suites"] = _suites(suites, as_json)
    if as_json:
        print(json.dumps(figures, indent=1))


def _cases(cases: Cases, as_json: bool) -> dict[str, object]:
    """The figures of cases, which are shown too unless they are wanted as JSON."""
    checked, problems = check_cases(cases.scenarios, plans_of(cases))
    if problems:
        raise SpecError(problems)
    floors = {scale.scale: _floor(cases, scale.scale) for scale in checked}
    if not as_json:
        _show(checked, floors)
        note(f"{len(cases.scenarios)} cases of {cases.name}: no mistake found")
    figures = [{**scale.model_dump(), "floor": floors[scale.scale].model_dump(mode="json")} for scale in checked]
    return {"name": cases.name, "scales": figures}


def _suites(suites: Sequence[CheckedSuite], as_json: bool) -> list[dict[str, object]]:
    """The figures of suites, which are shown too unless they are wanted as JSON."""
    for suite in () if as_json else suites:
        Console().print(counts_table(suite.by_network))
        told = f"{suite.rca} root-cause tasks with {suite.root_causes} root causes, {suite.path} path tasks"
        note(f"{told} in {suite.folder}: no mistake found")
        note(f"whether they hold on running networks is proven by: netopsbench rca prove {suite.folder}")
    return [suite.model_dump() for suite in suites]


def _refuse_beside_suite(given: dict[str, str | None]) -> None:
    """Raises SpecError naming every option that says nothing of a suite."""
    wanted = f"leave it out: --suite {SUITE} has networks and numbers of tasks of its own"
    problems = [Problem(option, "", value, wanted) for option, value in given.items() if value is not None]
    if problems:
        raise SpecError(problems)


def _prepare_suite(given: str | None, out: Path) -> None:
    is_secret = given == "secret"
    seed = fresh_seed() if is_secret else _number(given) if given is not None else _USUAL_SEED
    plans = {name: plan_fabric(load_spec(name)) for name in NETWORKS}
    drawn = generate(plans, seed)
    (folder,) = write_prepared({SUITE: suite_files(drawn, plans, seed, is_secret=is_secret)}, out)
    print(folder)
    causes = sum(len(task.causes) for task in drawn.rca)
    note(f"{len(drawn.rca)} root-cause tasks with {causes} root causes, {len(drawn.paths)} path tasks")
    if is_secret:
        _note_secret(seed_hash(seed), "tasks")
    else:
        note(f"seed {seed} is public and gives everybody the keys: for practice; --seed secret draws tasks to rank by")


def _note_secret(hashed: str, what: str) -> None:
    if hashed:
        note(f"secret seed, SHA-256 {hashed}; the seed is told when a run of the {what} has ended")


def _show(checked: Sequence[CheckedScale], floors: dict[str, Floor]) -> None:
    table = Table("scale", "cases", "healthy", "truths", "shown by", "always faulty", "floor")
    for scale in checked:
        shown = ", ".join(f"{kind} {count}" for kind, count in sorted(scale.by_exposure.items()))
        found = floors[scale.scale]
        figures = [str(scale.cases), str(scale.healthy), str(scale.distinct_truths)]
        table.add_row(scale.scale, *figures, shown, f"{found.always_faulty:.3f}", f"{found.value:.3f}")
    Console().print(table)


def _floor(cases: Cases, scale: str) -> Floor:
    plans = plans_of(cases)
    return floor([truth_of(case.faults, plans[case.fabric]) for case in cases.scenarios if case.scale == scale])


def _chosen(campaign: Campaign, scales: str | None) -> Campaign:
    if scales is None:
        return campaign
    wanted = tuple(dict.fromkeys(name.strip() for name in scales.split(",") if name.strip()))
    known = ", ".join(campaign.scales)
    problems = [
        Problem("--scales", "", name, f"scales of {campaign.name}: {known}")
        for name in wanted
        if name not in campaign.scales
    ]
    if problems or not wanted:
        raise SpecError(problems or [Problem("--scales", "", scales, f"scales of {campaign.name}: {known}")])
    return campaign.model_copy(update={"scales": wanted})


def _number(seed: str) -> int:
    if seed.isascii() and seed.isdigit() and len(seed) < 20:
        return int(seed)
    raise SpecError([Problem("--seed", "", seed, "a whole number from 0 on, or secret")])


def _in_words(manifest: Manifest) -> str:
    counts = manifest.counts
    return "" if counts is None else ", ".join(f"{count} {kind}" for kind, count in counts.by_fault.items())
