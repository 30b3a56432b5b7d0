"""Where a run's cases come from: a campaign file, or a folder of scenario files with a manifest."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.problems import load_model
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.answers import Budget
from netopsbench.scenario.generate import generate
from netopsbench.scenario.load import check_scenario, load_campaign, load_scenario
from netopsbench.scenario.model import Scenario

MANIFEST = "manifest.yaml"
Timing = Literal["fast", "paper"]


class Manifest(Model):
    """What a folder of scenario files holds, `manifest.yaml` in it."""

    version: Literal[1]
    name: str
    """Of the campaign that the cases were made for."""
    seed: int | None = None
    """The seed that they were drawn with; None when they were written by hand."""
    budget: Budget
    """For each case, so that the question is the same in all."""
    scenarios: dict[str, str] = Field(min_length=1)
    """Path of each scenario file below the folder, and the SHA-256 of its bytes in hex."""


class Cases(Model):
    """The cases of a run."""

    name: str
    seed: int | None
    budget: Budget
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
    cases = _from_folder(Path(source), seed) if Path(source).is_dir() else _from_campaign(source, seed)
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
    return Cases(name=campaign.name, seed=campaign.seed, budget=campaign.budget, scenarios=generate(campaign, plans))


def _from_folder(folder: Path, seed: int | None) -> Cases:
    if seed is not None:
        raise SpecError([Problem("--seed", "", str(seed), "the cases of a folder are drawn already; leave it out")])
    manifest = load_model(Manifest, folder / MANIFEST)
    problems = list(_manifest_problems(folder, manifest.scenarios))
    if problems:
        raise SpecError(problems)
    scenarios: dict[str, Scenario] = {}
    for path in manifest.scenarios:
        try:
            scenario = load_scenario(str(folder / path))
            check_scenario(scenario, plan_fabric(load_spec(scenario.fabric)), str(folder / path))
        except SpecError as wrong:
            problems += wrong.problems
            continue
        if scenario.id in scenarios:
            problems.append(Problem(str(folder / path), "", scenario.id, "another file holds the same case"))
        scenarios[scenario.id] = scenario
    if problems:
        raise SpecError(problems)
    ordered = tuple(scenarios[case_id] for case_id in sorted(scenarios))
    return Cases(name=manifest.name, seed=manifest.seed, budget=manifest.budget, scenarios=ordered)


def _manifest_problems(folder: Path, scenarios: Mapping[str, str]) -> Iterator[Problem]:
    source = str(folder / MANIFEST)
    for path, digest in scenarios.items():
        try:
            found = hashlib.sha256((folder / path).read_bytes()).hexdigest()
        except OSError as gone:
            yield Problem(source, "scenarios", path, f"a file below this folder ({gone.strerror})")
            continue
        if found != digest:
            yield Problem(source, f"scenarios.{path}", digest[:12], f"the file was changed, its hash is {found}")


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
