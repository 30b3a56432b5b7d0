"""The suite as files: a folder for each family with a file for each task, and a manifest."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.problems import read_yaml, validated
from netopsbench.fabric.plan import FabricPlan
from netopsbench.rca.breaking.repertoire import NOT_MADE
from netopsbench.rca.generate import Suite
from netopsbench.rca.labels import CAUSE_BY_LABEL, PUBLISHED_SHARES
from netopsbench.rca.model import PathTask, RcaTask
from netopsbench.rca.record import Drawing
from netopsbench.scenario.manifest import MANIFEST, SECRET, sha256

SUITE = "ctbench"


def suite_files(
    suite: Suite, plans: Mapping[str, FabricPlan], seed: int, *, is_secret: bool = False
) -> dict[str, bytes]:
    """Content by path below the suite's folder; the same bytes for the same seed on every machine.

    With `is_secret` the manifest tells only the hash of the seed, and a file of its own holds the value.
    """
    digits = str(seed).encode()
    tasks: tuple[RcaTask | PathTask, ...] = (*suite.rca, *suite.paths)
    files = {f"{task.kind}/{task.id}.yaml": _as_yaml(task) for task in tasks}
    manifest = {
        "version": 1,
        "suite": SUITE,
        "seed": None if is_secret else seed,
        "seed_sha256": sha256(digits) if is_secret else "",
        "networks": {name: plans[name].digest for name in sorted({task.network for task in tasks})},
        "counts": counts_of(suite),
        "labels_not_made": dict(NOT_MADE),
        "tasks": {path: sha256(content) for path, content in sorted(files.items())},
    }
    files[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    if is_secret:
        files[SECRET] = digits + b"\n"
    return files


def counts_of(suite: Suite) -> dict[str, object]:
    """The suite in figures."""
    first = Counter(CAUSE_BY_LABEL[task.causes[0].triple.cause].category for task in suite.rca)
    shares = {name: round(first[name] / max(1, len(suite.rca)), 3) for name in PUBLISHED_SHARES}
    labels = Counter(cause.triple.cause for task in suite.rca for cause in task.causes)
    return {
        "rca": len(suite.rca),
        "path": len(suite.paths),
        "root_causes": sum(len(task.causes) for task in suite.rca),
        "category_shares": shares,
        "category_shares_published": dict(PUBLISHED_SHARES),
        "by_label": dict(sorted(labels.items())),
        "by_causes": _counted(len(task.causes) for task in suite.rca),
        "rca_by_observability": _counted(task.metadata.observability for task in suite.rca),
        "path_by_observability": _counted(task.metadata.observability for task in suite.paths),
        "by_paths": _counted(len(task.paths) for task in suite.paths),
        "rca_by_network": _counted(task.network for task in suite.rca),
        "path_by_network": _counted(task.network for task in suite.paths),
    }


def is_suite(folder: Path) -> bool:
    """Whether a folder holds root-cause and path tasks, or says so."""
    return (folder / "rca").is_dir() or (folder / "path").is_dir() or _told(folder).get("suite") == SUITE


def load_tasks(folder: Path) -> list[RcaTask | PathTask]:
    """The tasks of a prepared folder. Raises SpecError naming every mistake of every file."""
    tasks, problems = read_tasks(folder)
    if problems:
        raise SpecError(problems)
    return list(tasks.values())


def read_tasks(folder: Path) -> tuple[dict[Path, RcaTask | PathTask], list[Problem]]:
    """The tasks of a prepared folder that can be read, by file, and every mistake of the others."""
    paths = sorted(folder.glob("rca/*.yaml")) + sorted(folder.glob("path/*.yaml"))
    if not paths:
        wanted = f"a folder written by `netopsbench benchmark prepare --suite {SUITE}`"
        return {}, [Problem(str(folder), "", "holds no tasks", wanted)]
    tasks: dict[Path, RcaTask | PathTask] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            tasks[path] = _loaded(path)
        except SpecError as wrong:
            problems += wrong.problems
    problems += [
        Problem(str(path), "id", task.id, f"the id of a task is the name of its file, {path.stem}")
        for path, task in tasks.items()
        if task.id != path.stem
    ]
    return tasks, problems


def drawing_of(folder: Path) -> Drawing:
    """What the tasks of a prepared folder were drawn with, as far as its files tell."""
    told = _told(folder)
    seed, hashed = told.get("seed"), told.get("seed_sha256")
    if isinstance(hashed, str) and hashed:
        return Drawing(seed=_secret(folder, hashed), seed_sha256=hashed)
    return Drawing(seed=seed if isinstance(seed, int) else None)


def _told(folder: Path) -> dict[str, object]:
    """The manifest; empty where there is none that can be read."""
    try:
        told = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _secret(folder: Path, hashed: str) -> int | None:
    """The value of a secret seed, when it lies beside the manifest and is the one that was hashed."""
    try:
        written = (folder / SECRET).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return int(written) if written.isdigit() and sha256(written.encode()) == hashed else None


def _loaded(path: Path) -> RcaTask | PathTask:
    content = read_yaml(path)
    keys = content if isinstance(content, dict) else {}
    if keys.get("kind") == "path":
        return validated(PathTask, keys, str(path))
    return validated(RcaTask, keys, str(path))


def _counted(values: Iterable[str | int]) -> dict[str, int]:
    return dict(sorted(Counter(map(str, values)).items()))


def _as_yaml(task: RcaTask | PathTask) -> bytes:
    return yaml.safe_dump(task.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120).encode()
