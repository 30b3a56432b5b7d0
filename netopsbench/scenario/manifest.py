"""What a folder of scenario files holds, and whether its files are as they were written."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from netopsbench.core.errors import Problem
from netopsbench.core.model import Model
from netopsbench.core.problems import load_model
from netopsbench.records.answers import Budget

MANIFEST = "manifest.json"
SECRET = "seed.secret"
"""File beside the manifest with the value of a secret seed, for its owner's eyes."""


class Counts(Model):
    """How many cases there are of each sort."""

    by_fault: dict[str, int]
    """Cases of several faults count for each; `healthy` beside the faults."""
    by_difficulty: dict[str, int]
    by_exposure: dict[str, int]
    """By the plainest telemetry that shows the fault; healthy cases are left out."""


class Manifest(Model):
    """`manifest.json` of a folder of scenario files."""

    version: Literal[1]
    name: str
    """Of the campaign that the cases were made for."""
    generator: int | None = None
    """Version of what draws cases from a seed; None when they were written by hand."""
    scale: str | None = None
    seed: int | None = None
    """The seed that they were drawn with; None when it is secret, or they were written by hand."""
    seed_sha256: str = ""
    """Of a secret seed: SHA-256 of its decimal digits."""
    budget: Budget
    """For each case, so that the question is the same in all."""
    most_faults: int = Field(default=1, ge=1)
    """How many faults a case can have."""
    has_shell: bool = False
    """Whether agents are offered a shell on devices."""
    has_command_lines: bool = False
    """Whether agents are offered the command lines of devices, each in its vendor's words."""
    fabrics: dict[str, str] = Field(default_factory=dict)
    """Digest of the plan of each fabric that the cases were drawn for."""
    counts: Counts | None = None
    scenarios: dict[str, str] = Field(min_length=1)
    """Path of each scenario file below the folder, and the SHA-256 of its bytes in hex."""


def load_manifest(folder: Path) -> Manifest:
    """The manifest of a folder.

    Raises SpecError with every mistake.
    """
    return load_model(Manifest, folder / MANIFEST)


def manifest_problems(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Files that are missing, changed, or not in the manifest."""
    return listed_problems(folder, manifest.scenarios, "scenarios")


def listed_problems(folder: Path, listed: Mapping[str, str], key: str) -> Iterator[Problem]:
    """Files that are missing, changed, or not in `listed`, which stands under `key` of a folder's manifest."""
    source = str(folder / MANIFEST)
    for path, digest in listed.items():
        try:
            found = sha256((folder / path).read_bytes())
        except OSError as gone:
            yield Problem(source, key, path, f"a file below this folder ({gone.strerror})")
            continue
        if found != digest:
            yield Problem(source, f"{key}.{path}", digest[:12], f"the file was changed, its hash is {found}")
    for stray in sorted(folder.rglob("*.yaml")):
        if str(stray.relative_to(folder)) not in listed:
            yield Problem(str(stray), "", "", f"{MANIFEST} doesn't list this file; remove it, or list it")


def secret_seed(folder: Path, manifest: Manifest) -> int | None:
    """The value of a secret seed, when it lies beside the manifest and is the one that was hashed."""
    if not manifest.seed_sha256:
        return None
    try:
        written = (folder / SECRET).read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return int(written) if written.isdigit() and sha256(written.encode()) == manifest.seed_sha256 else None


def sha256(content: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()
