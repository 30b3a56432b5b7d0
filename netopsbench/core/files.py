"""Files written whole or not at all, and the data folders that ship with the package."""

import os
import shutil
import tempfile
from contextlib import ExitStack
from importlib import resources
from pathlib import Path

from netopsbench.core.errors import Problem, SpecError

GONE = ".gone"
"""Ends the name of a folder that is being removed."""
DATA_FOLDERS = ("fabrics", "campaigns", "collectors", "scenarios", "recordings")


def write_atomic(path: Path, content: str | bytes) -> None:
    """Put `content` at `path` so that a reader sees the old file or the whole new one.

    Raises OSError (a full disk, say) with the old file untouched.
    """
    raw = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with ExitStack() as undoing:
        undoing.callback(Path(name).unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
        undoing.pop_all()


def why_not_writable(folder: Path) -> str:
    """Why nothing can be put into a folder, which may have to be made first; empty when it can."""
    here = folder.absolute()
    # Path.exists raises an error where a folder above may not be looked into.
    while not os.path.lexists(here):
        here = here.parent
    if not here.is_dir():
        return f"{'it' if here == folder.absolute() else here} is a file, not a folder"
    if not os.access(here, os.W_OK | os.X_OK):
        return f"you may not write to {here}"
    return ""


def remove_whole(folder: Path) -> None:
    """Remove a folder so that, whatever happens meanwhile, all of it is there under its name or nothing.

    Raises OSError when it isn't there.
    """
    aside = folder.with_name(f".{folder.name}{GONE}")
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)
    shutil.rmtree(aside)


def data_root(folder: str) -> Path:
    """Where one of `DATA_FOLDERS` lives: inside the wheel, or at the top of a checkout."""
    package = Path(str(resources.files("netopsbench")))
    shipped = package / "_data" / folder
    return shipped if shipped.is_dir() else package.parent / folder


def find_data(folder: str, name: str, suffix: str = ".yaml") -> Path:
    """The data file called `name`, or the file at the path `name` when it is one.

    Raises SpecError naming the known names.
    """
    as_path = Path(name)
    if as_path.suffix or "/" in name:
        if as_path.is_file():
            return as_path
        raise SpecError([Problem(folder, "", name, "there is no file at this path")])
    root = data_root(folder)
    found = root / f"{name}{suffix}"
    if found.is_file():
        return found
    known = ", ".join(known_data(folder, suffix)) or "none"
    raise SpecError([Problem(folder, "", name, f"known names: {known}; or give a path to a file")])


def known_data(folder: str, suffix: str = ".yaml") -> list[str]:
    """Names of the data files in `folder`, sorted."""
    return sorted(path.stem for path in data_root(folder).glob(f"*{suffix}"))
