"""Anybody's program as an agent: which of its files are carried into the sandbox, and where they are found there."""

import os
import shlex
import shutil
import sys
from pathlib import Path

from netopsbench.agent.options import CommandOptions
from netopsbench.agent.programs.program import Program
from netopsbench.agent.programs.sandbox import CARRIED_INSIDE, ENVIRONMENT, python_program
from netopsbench.core.errors import Problem, SpecError
from netopsbench.records.run import WAYS_ON

ASK_VARIABLE = "NETOPSBENCH_ASK"
"""Environment variable with a command that calls a tool, for programs that don't like sockets."""
MCP_VARIABLE = "NETOPSBENCH_MCP"
"""Environment variable with a command that serves the tools over MCP on its standard input and output."""

_FOLDER_MARK = "/./"
"""`/home/me/agent/./bin/run`: the folder before it is carried in whole."""


def command_program(options: CommandOptions) -> Program:
    """The program that `options` name.

    A word that names a file or a folder outside of /usr is carried in, read-only, and is replaced by its place inside.
    Raises SpecError when the program isn't there, or when a folder would carry the benchmark or its runs along.
    """
    try:
        words = shlex.split(options.command)
    except ValueError as unclosed:
        raise SpecError([Problem("agent command", "", options.command, str(unclosed))]) from None
    if not words:
        raise SpecError([Problem("agent command", "", options.command, "name a program")])
    ask = {
        ASK_VARIABLE: shlex.join(python_program("netopsbench.agent.ask")),
        MCP_VARIABLE: shlex.join(python_program("netopsbench.tools.serving.mcp_server")),
    }
    if options.trust:
        return Program((_found(words[0]), *words[1:]), "trusted", ask)
    carried: dict[Path, str] = {}
    inside = tuple(_carried(word, carried, is_program=number == 0) for number, word in enumerate(words))
    return Program(inside, "closed", ask, carried=tuple(carried.items()))


def _found(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise SpecError([Problem("agent command", "", program, "there is no such program that can be run")])
    return found if "/" not in program else str(Path(program).absolute())


def _carried(word: str, carried: dict[Path, str], *, is_program: bool) -> str:
    """A word as it is written inside; what it names is put into `carried`."""
    folder, mark, rest = word.partition(_FOLDER_MARK)
    if is_program and not mark:
        if "/" not in word and shutil.which(word, path=ENVIRONMENT["PATH"]):
            # It is found inside too; what comes first on the user's own path may be a shim of something else.
            return word
        word = _found(word)
    named = Path(os.path.abspath(folder if mark else word))  # noqa: PTH100 - a link is carried in under its own name
    # A word may be a whole program in one line, too long for a path; these two answer no where pathlib would raise.
    is_path = mark or "/" in word or os.path.isfile(named)  # noqa: PTH113
    if not is_path or not os.path.exists(named):  # noqa: PTH110
        return word
    if named.is_relative_to("/usr") or _is_python(named):
        return word
    source = named.resolve()
    if source.is_dir():
        _refuse_telling(source)
    place = carried.setdefault(source, f"{CARRIED_INSIDE}/{len(carried)}/{named.name}")
    return f"{place}/{rest}" if mark else place


def _is_python(path: Path) -> bool:
    """Whether it is the interpreter that runs the benchmark, which is inside already, as are its packages' programs."""
    return path.is_relative_to(sys.prefix) or path.is_relative_to(sys.base_prefix)


def _refuse_telling(folder: Path) -> None:
    """Raises SpecError for a folder in which the answers could lie."""
    telling = {Path.cwd().resolve(): "the folder you are in, where runs are kept", Path.home(): "your home"}
    telling[Path(__file__).resolve().parents[2]] = "the benchmark itself"
    for place, what in telling.items():
        if place.is_relative_to(folder):
            wanted = f"it holds {what}; keep the agent in a folder of its own"
            raise SpecError([Problem("agent command", "", str(folder), wanted)])
    if folder.is_relative_to(Path(__file__).resolve().parents[2]) or any((folder / name).exists() for name in WAYS_ON):
        raise SpecError([Problem("agent command", "", str(folder), "it is no agent's folder")])
