"""A prepared suite, checked without anything running: manifest, files, and whether each task fits its network."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.core.problems import load_model
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking.repertoire import broken_of
from netopsbench.rca.files import counts_of, read_tasks
from netopsbench.rca.generate import Suite
from netopsbench.rca.labels import CAUSE_BY_LABEL
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.solving.evidence import is_denied
from netopsbench.scenario.manifest import MANIFEST, listed_problems

Read = Mapping[Path, RcaTask | PathTask]


class SuiteManifest(Model):
    """`manifest.json` of a suite."""

    version: Literal[1]
    suite: Literal["ctbench"]
    seed: int | None
    """None when it is secret."""
    seed_sha256: str
    """Of a secret seed: SHA-256 of its decimal digits."""
    networks: dict[str, str]
    """Digest of the plan of each network that the tasks were drawn for."""
    counts: dict[str, JsonValue]
    """The suite in figures."""
    labels_not_made: dict[str, str]
    """Why a label is in no task."""
    tasks: dict[str, str] = Field(min_length=1)
    """Path of each task's file below the folder, and the SHA-256 of its bytes in hex."""


class CheckedSuite(Model):
    """A suite in which no mistake was found, counted."""

    folder: str
    rca: int
    path: int
    root_causes: int
    by_network: dict[str, dict[str, int]]
    """Tasks of each kind, by network."""


def check_suite(folder: Path) -> CheckedSuite:
    """Check the suite in `folder`. Raises SpecError with every mistake of every file."""
    tasks, problems = read_tasks(folder)
    plans, unknown = _plans(tasks)
    problems += unknown
    for path, task in tasks.items():
        if task.network in plans:
            problems += _task_problems(str(path), task, plans[task.network])
    suite = _suite(tasks)
    try:
        manifest = load_model(SuiteManifest, folder / MANIFEST)
        problems += listed_problems(folder, manifest.tasks, "tasks")
        problems += _drawn_for_others(folder, manifest, plans)
        # Tasks that are wrong can't be counted.
        problems += [] if problems else _miscounted(folder, manifest, suite)
    except SpecError as wrong:
        problems += wrong.problems
    if problems:
        raise SpecError(problems)
    return _counted(folder, suite)


def _plans(tasks: Read) -> tuple[dict[str, FabricPlan], list[Problem]]:
    """The networks of the tasks, and a mistake for each task whose network there isn't."""
    plans: dict[str, FabricPlan] = {}
    missing: dict[str, str] = {}
    for name in dict.fromkeys(task.network for task in tasks.values()):
        try:
            plans[name] = plan_fabric(load_spec(name))
        except SpecError as wrong:
            missing[name] = "; ".join(problem.wanted for problem in wrong.problems)
    problems = [
        Problem(str(path), "network", task.network, missing[task.network])
        for path, task in tasks.items()
        if task.network in missing
    ]
    return plans, problems


def _task_problems(source: str, task: RcaTask | PathTask, plan: FabricPlan) -> Iterator[Problem]:
    """What of a task can't be so on its network, or by its own words."""
    known = {node.name for node in plan.nodes}
    for key, name in sorted(_named(task)):
        if name not in known:
            yield Problem(source, key, name, f"a device or host of {plan.name}: {', '.join(sorted(known))}")
    denied = frozenset(task.denied)
    for look in task.golden:
        if is_denied(frozenset({look}), denied):
            yield Problem(source, "golden", str(look), "a question that `denied` leaves permitted")
    if isinstance(task, RcaTask):
        yield from _cause_problems(source, task, plan)


def _cause_problems(source: str, task: RcaTask, plan: FabricPlan) -> Iterator[Problem]:
    for number, cause in enumerate(task.causes, start=1):
        label = cause.triple.cause
        if label not in CAUSE_BY_LABEL:
            yield Problem(source, f"causes[{number}].triple.cause", label, "a cause of `netopsbench rca labels`")
            continue
        try:
            broken_of([cause], plan)
        except SpecError as wrong:
            yield from (Problem(source, f"causes[{number}]", each.value, each.wanted) for each in wrong.problems)


def _named(task: RcaTask | PathTask) -> set[tuple[str, str]]:
    """Every device and host that a task names, with the key it stands under."""
    named = {("source", task.source), ("target", task.target)}
    named |= {("vendors", device) for device in task.vendors}
    named |= {("golden", look.device) for look in task.golden}
    named |= {("denied", look.device) for look in task.denied}
    if isinstance(task, PathTask):
        named |= {("paths", node) for path in task.paths for node in (*(hop.node for hop in path.hops), path.end)}
    return named


def _drawn_for_others(folder: Path, manifest: SuiteManifest, plans: Mapping[str, FabricPlan]) -> Iterator[Problem]:
    source = str(folder / MANIFEST)
    for name, plan in plans.items():
        digest = manifest.networks.get(name, "")
        if digest != plan.digest:
            wanted = "the network was changed since the tasks were prepared; prepare them again"
            yield Problem(source, f"networks.{name}", digest[:12] or "(missing)", wanted)


def _miscounted(folder: Path, manifest: SuiteManifest, suite: Suite) -> Iterator[Problem]:
    for name, right in counts_of(suite).items():
        told = manifest.counts.get(name)
        if told != right:
            yield Problem(str(folder / MANIFEST), f"counts.{name}", str(told), f"the tasks come to {right}")


def _suite(tasks: Read) -> Suite:
    found: Sequence[RcaTask | PathTask] = tuple(tasks.values())
    return Suite(
        rca=tuple(task for task in found if isinstance(task, RcaTask)),
        paths=tuple(task for task in found if isinstance(task, PathTask)),
    )


def _counted(folder: Path, suite: Suite) -> CheckedSuite:
    networks = sorted({task.network for task in (*suite.rca, *suite.paths)})
    return CheckedSuite(
        folder=str(folder),
        rca=len(suite.rca),
        path=len(suite.paths),
        root_causes=sum(len(task.causes) for task in suite.rca),
        by_network={
            name: {
                "rca": sum(task.network == name for task in suite.rca),
                "path": sum(task.network == name for task in suite.paths),
            }
            for name in networks
        },
    )
