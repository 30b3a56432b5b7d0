"""How the command line talks: words on stderr, results on stdout, one exit code per kind of failure."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from netopsbench.cli.ending import Ending
from netopsbench.core.errors import InfraError, NetopsbenchError, SpecError
from netopsbench.fabric.engine import ProgressCallback

FAILED, USER_MISTAKE = 1, 2

words = Console(stderr=True, highlight=False)
"""For people; machine-readable output goes to stdout."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def plainly(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Turn the package's errors into a line for the user and an exit code; no traceback.

    SIGTERM and a closed terminal end the command as Ctrl-C does.
    """

    @wraps(command)
    def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        ending = Ending()
        try:
            with ending.heeded():
                return command(*args, **kwargs)
        except SpecError as mistakes:
            for problem in mistakes.problems:
                complain(str(problem))
            raise typer.Exit(USER_MISTAKE) from None
        except InfraError as failure:
            complain(f"{failure} ({failure.reason})")
            raise typer.Exit(FAILED) from None
        except NetopsbenchError as failure:
            complain(str(failure))
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt as stopped:
            complain(str(stopped) or "interrupted; everything that was started has been ended")
            raise typer.Exit(ending.exit_code) from None
        except BrokenPipeError:
            # Whoever read our output has left (`| head`); not worth a word.
            sys.stderr.close()
            raise typer.Exit(0) from None
        except OSError as failure:
            complain(f"{failure.filename}: {failure.strerror}" if failure.filename else str(failure))
            raise typer.Exit(FAILED) from None

    return guarded


def complain(text: str) -> None:
    """One line on stderr that says what went wrong."""
    words.print(f"netopsbench: {text}", markup=False, soft_wrap=True)


def note(text: str) -> None:
    """One line on stderr."""
    words.print(text, markup=False, soft_wrap=True)


@contextmanager
def progress_bar() -> Iterator[ProgressCallback]:
    """A bar per phase on stderr; silent when stderr is no terminal."""
    columns = TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=words, transient=True, disable=not words.is_terminal) as bar:
        tasks = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=total)
            bar.update(tasks[phase], completed=done, total=max(total, 1))

        yield show
