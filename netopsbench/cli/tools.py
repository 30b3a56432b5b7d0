"""`netopsbench tools`: the agents' tools on a running fabric or a recorded case, for people and for assistants."""

import json
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.cli.fabric import only_name, tell_stale
from netopsbench.cli.replay import recorded_case, refuse_beside_replay
from netopsbench.cli.speak import FAILED, USER_MISTAKE, complain, note, plainly
from netopsbench.core.errors import Problem, SpecError, ToolError, UnsupportedError
from netopsbench.fabric.native import registry
from netopsbench.replay.playing import desk_of
from netopsbench.tools.catalog import OPT_IN, TOOLS
from netopsbench.tools.live import measuring, unmeasured
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.listening import TOKEN_VARIABLE, listen_at, url_of
from netopsbench.tools.serving.meter import Meter

tools = typer.Typer(help="The agents' tools on any running fabric: by hand, or for an assistant.", no_args_is_help=True)

_RESULT_CHARS = 128_000
_MISTAKES = ("bad_arguments", "unknown_device", "unknown_tool", "not_measured")

OnFabric = Annotated[str | None, typer.Option("--fabric", help="Which fabric, when several run here.")]
Measure = Annotated[
    bool, typer.Option("--measure", help="Probe the fabric and poll its devices first, and go on meanwhile.")
]
Recording = Annotated[str | None, typer.Option("--replay", help="Instead of a fabric: a recording by name or path.")]
Case = Annotated[str | None, typer.Option(help="Which case of the recording.")]
Shell = Annotated[bool, typer.Option("--shell", help="With `run_command`, a shell on devices that can change nothing.")]


@dataclass(frozen=True)
class Wish:
    """Which tools somebody wants to use."""

    fabric_name: str | None
    """None for the only fabric that runs."""
    measure: bool
    shell: bool
    recording: str | None = None
    """Instead of a fabric."""
    case: str | None = None


@tools.command("list")
@plainly
def list_(
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="Arguments and results as JSON schema, with examples.")
    ] = False,
) -> None:
    """All tools, whether they only read, and how long a call may take."""
    if json_schema:
        described = [{**tool.schema(), "result": tool.result.model_json_schema()} for tool in (*TOOLS, *OPT_IN)]
        print(json.dumps(described, indent=2))
        return
    table = Table("tool", "effect", "limit", "what it says")
    for tool in (*TOOLS, *OPT_IN):
        table.add_row(tool.name, tool.effect, f"{tool.timeout_s:g} s", tool.description.partition("\n")[0])
    Console().print(table)


@tools.command()
@plainly
def call(
    name: Annotated[str, typer.Argument(help="Name of a tool; see `netopsbench tools list`.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Arguments of the tool.")] = None,
    arg: Annotated[list[str] | None, typer.Option("--arg", help="An argument as key=value, likewise.")] = None,
    fabric_name: OnFabric = None,
    measure: Measure = False,
    shell: Shell = False,
    replay: Recording = None,
    case: Case = None,
) -> None:
    """Run one tool and print its result as JSON."""
    wish, arguments = Wish(fabric_name, measure, shell, replay, case), _arguments([*(words or []), *(arg or [])])
    with _desk(wish) as desk:
        try:
            result = desk.call(name, arguments)
        except ToolError as refused:
            complain(str(refused))
            raise typer.Exit(USER_MISTAKE if refused.kind in _MISTAKES else FAILED) from None
        print(json.dumps(result, indent=2))
        if warning := desk.warning(name):
            note(warning)


@tools.command()
@plainly
def serve(
    stdio: Annotated[bool, typer.Option("--stdio", help="On standard input and output; the default.")] = False,
    http: Annotated[str | None, typer.Option(help="Listen at `port` or `host:port`; 0 is any free port.")] = None,
    fabric_name: OnFabric = None,
    measure: Measure = False,
    shell: Shell = False,
    replay: Recording = None,
    case: Case = None,
) -> None:
    """Serve the tools over MCP until the client goes, or Ctrl-C with --http.

    HTTP clients show a token: the one in NETOPSBENCH_MCP_TOKEN, else a new one that is printed.
    """
    wish = Wish(fabric_name, measure, shell, replay, case)
    if stdio and http is not None:
        raise SpecError([Problem("tools serve", "", "", "choose either --stdio or --http")])
    try:
        # An extra, and importing it takes half a second.
        from netopsbench.tools.serving.mcp_front import MCP_PATH, serve_http, serve_stdio
    except ModuleNotFoundError as missing:
        raise UnsupportedError("the MCP server is missing; install it: pip install 'netopsbench[mcp]'") from missing
    with _desk(wish) as desk:
        if http is None:
            serve_stdio(desk)
            return
        given = os.environ.get(TOKEN_VARIABLE)
        token = given or secrets.token_urlsafe(24)
        with listen_at(http) as listener:
            note(f"url: {url_of(listener, MCP_PATH)}")
            if not given:
                note(f"token: {token}")
            serve_http(desk, listener, token)


@contextmanager
def _desk(wish: Wish) -> Iterator[Desk]:
    """The tools of a running fabric or a recorded case; calls are counted but not limited."""
    recorded = recorded_case(wish.recording, wish.case)
    with tempfile.TemporaryDirectory() as folder, closing(Meter(Path(folder) / "calls.jsonl", 1 << 31)) as meter:
        if recorded is not None:
            given = {"--fabric": wish.fabric_name, "--measure": wish.measure, "--shell": wish.shell}
            refuse_beside_replay({name: bool(value) for name, value in given.items()})
            yield desk_of(recorded, meter)
            return
        tell_stale()
        _, running = registry.find(wish.fabric_name or only_name(), str(Path.cwd()))
        offered = (*TOOLS, *OPT_IN) if wish.shell else TOOLS
        if not wish.measure:
            yield Desk(unmeasured(running), offered, meter, _RESULT_CHARS)
            return
        note("measuring a baseline …")
        with measuring(running) as look:
            yield Desk(look, offered, meter, _RESULT_CHARS)


def _arguments(assignments: list[str]) -> Mapping[str, Any]:
    wrong = [each for each in assignments if "=" not in each]
    if wrong:
        raise SpecError([Problem("tools call", "argument", each, "write it key=value") for each in wrong])
    return dict(each.split("=", 1) for each in assignments)
