"""The files that somebody's program consists of, and whether they are what they were."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from netopsbench.agent.programs.program import Program
from netopsbench.agent.programs.sandbox import ENVIRONMENT

_WRITTEN_BY_RUNNING = "__pycache__"


def program_files(program: Program) -> tuple[Path, ...]:
    """Files and folders of a `command`: its executable, and what its command line names."""
    found = shutil.which(program.argv[0], path=ENVIRONMENT["PATH"])
    named = [source for source, _ in program.carried] + ([Path(found)] if found else [])
    if program.access == "trusted":
        # Nothing is carried in, so nothing has been checked either: a folder could be the whole disk.
        named += [path for path in map(Path, program.argv) if path.is_file()]
    return tuple(dict.fromkeys(path.resolve() for path in named))


def digest_of(files: Sequence[Path]) -> str:
    """Short hash over the contents of files, and of all files in folders; empty when there are none.

    A file that can't be read counts by its name.
    """
    if not files:
        return ""
    content = hashlib.sha256()
    for named in files:
        for path in _inside(named):
            content.update(f"{path.relative_to(named.parent)}\n".encode(errors="surrogateescape"))
            content.update(_hash_of(path))
    return content.hexdigest()[:12]


def _inside(named: Path) -> Iterator[Path]:
    if not named.is_dir():
        yield named
        return
    for folder, folders, files in os.walk(named):
        folders[:] = sorted(each for each in folders if each != _WRITTEN_BY_RUNNING)
        yield from (Path(folder) / each for each in sorted(files))


def _hash_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b""
