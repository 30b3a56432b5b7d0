"""Commands are argument lists with a deadline; their result is a value."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TIMED_OUT = 124
"""Exit code of a command that was ended at its deadline."""


@dataclass(frozen=True)
class Completed:
    """A command that ended, or was ended at its deadline."""

    argv: tuple[str, ...]
    returncode: int
    """`TIMED_OUT` when the deadline passed, 127 when the program is missing."""
    stdout: str
    stderr: str

    @property
    def is_ok(self) -> bool:
        return self.returncode == 0


def run(argv: Sequence[str], *, timeout_s: float, stdin: str = "", env: Mapping[str, str] | None = None) -> Completed:
    """Run a command to its end; never raises for the command's own failure."""
    try:
        done = subprocess.run(
            list(argv),
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            env=env,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        out = late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else (late.stdout or "")
        return Completed(tuple(argv), TIMED_OUT, out, f"no end after {timeout_s:g} s")
    except FileNotFoundError as missing:
        return Completed(tuple(argv), 127, "", f"program not found: {missing.filename}")
    return Completed(tuple(argv), done.returncode, done.stdout, done.stderr)
