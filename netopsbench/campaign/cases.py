"""Where a run's cases come from: a campaign file, or a folder of scenario files with a manifest."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import known_data
from netopsbench.core.model import Model
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.files import is_suite
from netopsbench.records.answers import Budget
from netopsbench.scenario.generate import generate
from netopsbench.scenario.load import check_scenario, load_campaign, load_scenario
from netopsbench.scenario.manifest import MANIFEST, Manifest, load_manifest, manifest_problems, secret_seed
from netopsbench.scenario.model import Scenario

Timing = Literal["fast", "paper"]


class Cases(Model):
    """The cases of a run."""

    name: str
    seed: int | None
    """The seed that they were drawn with, also when it is secret; None when it isn't known here."""
    seed_sha256: str = ""
    """Of a secret seed."""
    budget: Budget
    most_faults: int = 1
    """How many faults a case can have."""
    has_shell: bool = False
    """Whether agents are offered a shell on devices."""
    has_command_lines: bool = False
    """Whether agents are offered the command lines of devices, each in its vendor's words."""
    scenarios: tuple[Scenario, ...]
    """In the order of their ids, which tells nothing."""

    @property
    def fabrics(self) -> tuple[str, ...]:
        """Every fabric that is needed, once, in the order of first use by size of name."""
        return tuple(sorted({scenario.fabric for scenario in self.scenarios}))


def load_cases(
    source: str, *, seed: int | None = None, timing: Timing | None = None, only: Sequence[str] = ()
) -> Cases:
    """The cases of a campaign, by name or path, or those of a folder.

    `seed` draws a campaign's cases anew, `timing` changes the collectors' pace (and with it the cases' ids), `only`
    keeps the cases with these ids. Raises SpecError with every mistake.
    """
    # A folder that happens to be called like a campaign, such as a checkout's package, is not meant.
    is_folder = source not in known_data("campaigns") and Path(source).is_dir()
    cases = _from_folder(Path(source), seed) if is_folder else _from_campaign(source, seed)
    if timing is not None:
        cases = cases.model_copy(update={"scenarios": _in_timing(cases.scenarios, timing)})
    return _only(cases, only, source) if only else cases


def plans_of(cases: Cases) -> dict[str, FabricPlan]:
    """The plan of every fabric that the cases need, by name."""
    return {name: plan_fabric(load_spec(name)) for name in cases.fabrics}


def _from_campaign(source: str, seed: int | None) -> Cases:
    campaign = load_campaign(source)
    if seed is not None:
        campaign = campaign.model_copy(update={"seed": seed})
    plans = {scale: plan_fabric(load_spec(scale)) for scale in campaign.scales}
    return Cases(
        name=campaign.name,
        seed=campaign.seed,
        budget=campaign.budget,
        most_faults=campaign.most_faults,
        has_shell=campaign.tools.shell,
        has_command_lines=campaign.tools.command_lines,
        scenarios=generate(campaign, plans),
    )


def _from_folder(folder: Path, seed: int | None) -> Cases:
    """The cases of a prepared folder, or those of all prepared folders in it."""
    if seed is not None:
        raise SpecError([Problem("--seed", "", str(seed), "the cases of a folder are drawn already; leave it out")])
    inner = _prepared_in(folder)
    if (folder / MANIFEST).exists() and not is_suite(folder):
        return _from_manifest(folder)
    if not inner:
        raise SpecError([_without_cases(folder)])
    parts = [_from_manifest(path) for path in inner]
    kinds = {part.model_copy(update={"scenarios": ()}) for part in parts}
    if len(kinds) > 1:
        names = ", ".join(path.name for path in inner)
        wanted = f"{names} were prepared from different campaigns or seeds; run them one by one"
        raise SpecError([Problem(str(folder), "", "", wanted)])
    scenarios = [scenario for part in parts for scenario in part.scenarios]
    ordered = tuple(sorted(scenarios, key=lambda scenario: scenario.id))
    return parts[0].model_copy(update={"scenarios": ordered})


def suites_of(source: str) -> list[Path]:
    """Folders of root-cause and path tasks at a path: it itself, or those in it."""
    folder = Path(source)
    if source in known_data("campaigns") or not folder.is_dir():
        return []
    if is_suite(folder):
        return [folder]
    return sorted(path for path in folder.iterdir() if path.is_dir() and is_suite(path))


def holds_cases(folder: Path) -> bool:
    """Whether a folder is one of prepared cases, or has such folders in it."""
    return not is_suite(folder) and ((folder / MANIFEST).exists() or bool(_prepared_in(folder)))


def _prepared_in(folder: Path) -> list[Path]:
    """Folders of prepared cases in a folder, without those of root-cause and path tasks."""
    return sorted(path.parent for path in folder.glob(f"*/{MANIFEST}") if not is_suite(path.parent))


def _without_cases(folder: Path) -> Problem:
    if suites := suites_of(str(folder)):
        return Problem(str(folder), "", "", f"it holds tasks, no cases; run them with: netopsbench rca run {suites[0]}")
    wanted = f"it has no {MANIFEST}, so it holds neither cases nor tasks; `netopsbench benchmark prepare` writes them"
    return Problem(str(folder), "", "", wanted)


def _from_manifest(folder: Path) -> Cases:
    manifest = load_manifest(folder)
    problems = list(manifest_problems(folder, manifest))
    if problems:
        raise SpecError(problems)
    plans: dict[str, FabricPlan] = {}
    scenarios: dict[str, Scenario] = {}
    for path in manifest.scenarios:
        source = str(folder / path)
        try:
            scenario = load_scenario(source)
            if scenario.fabric not in plans:
                plans[scenario.fabric] = plan_fabric(load_spec(scenario.fabric))
            check_scenario(scenario, plans[scenario.fabric], source)
        except SpecError as wrong:
            problems += wrong.problems
            continue
        if scenario.id in scenarios:
            problems.append(Problem(source, "", scenario.id, "another file holds the same case"))
        scenarios[scenario.id] = scenario
    problems += _other_fabrics(folder, manifest, plans)
    if problems:
        raise SpecError(problems)
    secret = secret_seed(folder, manifest)
    return Cases(
        name=manifest.name,
        seed=manifest.seed if secret is None else secret,
        seed_sha256=manifest.seed_sha256,
        budget=manifest.budget,
        most_faults=manifest.most_faults,
        has_shell=manifest.has_shell,
        has_command_lines=manifest.has_command_lines,
        scenarios=tuple(scenarios[case_id] for case_id in sorted(scenarios)),
    )


def _other_fabrics(folder: Path, manifest: Manifest, plans: Mapping[str, FabricPlan]) -> Iterator[Problem]:
    for name, digest in manifest.fabrics.items():
        if name in plans and plans[name].digest != digest:
            wanted = "the fabric was changed since the cases were prepared; prepare them again"
            yield Problem(str(folder / MANIFEST), f"fabrics.{name}", digest[:12], wanted)


def _in_timing(scenarios: Sequence[Scenario], timing: Timing) -> tuple[Scenario, ...]:
    paced = [
        each.model_copy(update={"timeline": each.timeline.model_copy(update={"timing": timing})}) for each in scenarios
    ]
    return tuple(sorted(paced, key=lambda scenario: scenario.id))


def _only(cases: Cases, wanted: Sequence[str], source: str) -> Cases:
    known = {scenario.id for scenario in cases.scenarios}
    unknown = [case_id for case_id in wanted if case_id not in known]
    if unknown:
        shown = ", ".join(sorted(known)[:12]) + (", …" if len(known) > 12 else "")
        raise SpecError([Problem("--case", "", case_id, f"cases of {source}: {shown}") for case_id in unknown])
    kept = tuple(scenario for scenario in cases.scenarios if scenario.id in wanted)
    return cases.model_copy(update={"scenarios": kept})
