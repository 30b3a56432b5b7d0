"""A campaign written out: one folder of scenario files with a manifest for each scale."""

import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.files import why_not_writable, write_atomic
from netopsbench.fabric.plan import FabricPlan
from netopsbench.scenario.campaign import Campaign
from netopsbench.scenario.exposure import exposure_of
from netopsbench.scenario.generate import GENERATOR, generate
from netopsbench.scenario.manifest import MANIFEST, SECRET, Counts, Manifest, sha256
from netopsbench.scenario.model import Scenario

SECRET_BITS = 63
"""So many that the hash, which is told before the run, gives the seed away to nobody."""
HEALTHY = "healthy"

Files = dict[str, bytes]
"""Content by path below a folder."""


def prepare(campaign: Campaign, plans: Mapping[str, FabricPlan], *, is_secret: bool = False) -> dict[str, Files]:
    """The files of each scale; the same campaign gives the same bytes on every machine.

    With `is_secret` the manifests tell only the hash of the campaign's seed, and a file of its own holds the value.
    Raises SpecError naming every template for which a fabric has too few places.
    """
    cases = generate(campaign, plans)
    return {
        scale: _files(campaign, plans[scale], [case for case in cases if case.scale == scale], is_secret)
        for scale in campaign.scales
    }


def write_prepared(files: Mapping[str, Files], out: Path) -> tuple[Path, ...]:
    """Write each scale into a folder of its own below `out`; the manifest last, so that it stands for whole folders.

    A folder that holds exactly these files already is left as it is. Raises SpecError naming every folder that
    holds anything else, before anything is written.
    """
    folders = {scale: out / scale for scale in files}
    problems = []
    for scale, folder in folders.items():
        if reason := why_not_writable(folder):
            problems.append(Problem("prepare", "--out", str(folder), f"{reason}; choose another folder"))
        elif _found(folder) not in ({}, files[scale]):
            wanted = "it holds other files already; remove it, or choose another folder"
            problems.append(Problem("prepare", "--out", str(folder), wanted))
    if problems:
        raise SpecError(problems)
    for scale, folder in folders.items():
        if not _found(folder):
            _write(files[scale], folder)
    return tuple(folders.values())


def fresh_seed() -> int:
    """A seed that nobody knows."""
    return secrets.randbits(SECRET_BITS)


def _files(campaign: Campaign, plan: FabricPlan, cases: Sequence[Scenario], is_secret: bool) -> Files:
    files = {f"{case.id}.yaml": _as_yaml(case) for case in cases}
    digits = str(campaign.seed).encode()
    manifest = Manifest(
        version=1,
        name=campaign.name,
        generator=GENERATOR,
        scale=plan.name,
        seed=None if is_secret else campaign.seed,
        seed_sha256=sha256(digits) if is_secret else "",
        budget=campaign.budget,
        most_faults=campaign.most_faults,
        has_shell=campaign.tools.shell,
        has_command_lines=campaign.tools.command_lines,
        fabrics={plan.name: plan.digest},
        counts=counts_of(cases, plan),
        scenarios={path: sha256(content) for path, content in files.items()},
    )
    files[MANIFEST] = (json.dumps(manifest.model_dump(mode="json"), indent=1) + "\n").encode()
    if is_secret:
        files[SECRET] = digits + b"\n"
    return files


def counts_of(cases: Sequence[Scenario], plan: FabricPlan) -> Counts:
    """The cases of one fabric, counted."""
    exposures = [exposure_of(case, plan) for case in cases]
    kinds = Counter(fault.kind for case in cases for fault in case.faults)
    healthy = sum(not case.faults for case in cases)
    return Counts(
        by_fault={**dict(sorted(kinds.items())), **({HEALTHY: healthy} if healthy else {})},
        by_difficulty=dict(sorted(Counter(case.difficulty for case in cases).items())),
        by_exposure=dict(sorted(Counter(found[0] for found in exposures if found).items())),
    )


def _as_yaml(case: Scenario) -> bytes:
    text = yaml.safe_dump(case.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120)
    return text.encode()


def _found(folder: Path) -> Files:
    """What a folder holds by now."""
    if not folder.is_dir():
        return {}
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _write(files: Files, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(files, key=lambda path: path == MANIFEST):
        write_atomic(folder / path, files[path])
        (folder / path).chmod(0o600 if path == SECRET else 0o644)
