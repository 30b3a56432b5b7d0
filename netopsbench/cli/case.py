"""`netopsbench case`: one case, brought to the moment of the question, to look around in."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from netopsbench.campaign.cases import load_cases
from netopsbench.campaign.visit import visit_case
from netopsbench.cli.speak import complain, note, plainly
from netopsbench.core.errors import Problem, SpecError, ToolError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.records.answers import Question
from netopsbench.records.truth import Truth
from netopsbench.tools.client import ToolClient
from netopsbench.tools.serving.wire import TOOLS_VARIABLE

case = typer.Typer(help="Look around in a single case.", no_args_is_help=True)

_PREPARED = Path("scenarios/generated")
_CAMPAIGN = "netopsbench"
_PROMPT = "tool> "


@case.callback()
def case_() -> None:
    """Look around in a single case."""


@case.command("up")
@plainly
def up(
    case_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the case, as a prepared file is called.")],
    source: Annotated[
        str | None,
        typer.Option("--from", help="Prepared folder or campaign; scenarios/generated, else netopsbench, by default."),
    ] = None,
    hold: Annotated[bool, typer.Option(help="Stay there until you have seen enough, with a prompt for tools.")] = False,
) -> None:
    """Bring one case to the moment of the question, as in a trial, and take it down again.

    What was wrong is told when it is over.
    """
    cases = load_cases(source or (str(_PREPARED) if _PREPARED.is_dir() else _CAMPAIGN), only=(case_id,))
    engine = NativeEngine(fetch_software(note))
    trial = visit_case(cases, _looking_around(hold), engine, lambda phase: note(f"{case_id}: {phase}"))
    note(f"it was: {_in_words(trial.truth)}")


def _looking_around(hold: bool) -> Callable[[Question, Path], None]:
    def visit(question: Question, socket: Path) -> None:
        tools = ToolClient(socket)
        try:
            names = ", ".join(tool["name"] for tool in tools.list_tools())
            note(f"the question is asked now; in a run an agent has {question.budget.wall_time_s:g} s for it")
            note(f"tools: {names}")
            if not hold:
                note("the case is taken down at once; with --hold it stays until you have looked around")
            else:
                note(f"tool server: {socket}")
                note(f'in Python: {TOOLS_VARIABLE}={socket} {sys.executable} -c "{_EXAMPLE}"')
                note("here: a tool and its arguments, `get_bgp_neighbors device=leaf1`; an empty line ends the case")
                _converse(tools)
        finally:
            tools.close()

    return visit


_EXAMPLE = "from netopsbench.tools.client import ToolClient as T; print(T().call('get_topology', limit=5))"


def _converse(tools: ToolClient) -> None:
    """Answer tool calls from standard input until an empty line or its end."""
    while True:
        print(_PROMPT, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline().strip()
        if not line:
            return
        name, *words = line.split()
        try:
            print(json.dumps(tools.call(name, **_arguments(words)), indent=1), flush=True)
        except ToolError as refused:
            complain(str(refused))
        except SpecError as mistake:
            complain(str(mistake))


def _arguments(words: list[str]) -> dict[str, object]:
    """`key=value` words; a value may be JSON."""
    found: dict[str, object] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise SpecError([Problem("arguments", "", word, "write them key=value")])
        try:
            found[key] = json.loads(text)
        except ValueError:
            found[key] = text
    return found


def _in_words(truth: Truth) -> str:
    return " and ".join(f"{fault.fault_type} at {fault.accepted[0]}" for fault in truth.faults) or "healthy"
