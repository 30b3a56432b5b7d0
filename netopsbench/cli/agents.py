"""`netopsbench agents`: which agents there are, and whether somebody's own keeps to what is expected."""

import json
from contextlib import ExitStack
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.agent.catalog import AGENT_NAMES
from netopsbench.agent.plugins import plugin_names
from netopsbench.agent.spec import KINDS, Choice, hint_at_file, is_spec, parse_spec
from netopsbench.agent.starting import program_for
from netopsbench.campaign.agent_check import Check, check_agent, small_fabric
from netopsbench.campaign.contestants import contestant_names
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software

agents = typer.Typer(help="Agents: which there are, and whether yours fits.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


@agents.command("list")
@plainly
def list_(as_json: AsJson = False) -> None:
    """Agents by name, and how other kinds are written."""
    if as_json:
        print(json.dumps({"names": contestant_names(), "kinds": KINDS, "plugins": plugin_names()}, indent=2))
        return
    table = Table("agent")
    table.add_column("how to name it", overflow="fold")
    for name in contestant_names():
        if name not in KINDS:
            table.add_row(name, name)
    for kind, form in KINDS.items():
        table.add_row(kind, form)
    for plugin in plugin_names():
        table.add_row(f"{plugin} (installed)", f"python:{plugin}")
    Console().print(table)


@agents.command("check")
@plainly
def check(
    spec: Annotated[str, typer.Argument(help="The agent: a name, or a kind with options; see `agents list`.")],
    trust: Annotated[bool, typer.Option("--trust", help="Run a command outside of the sandbox.")] = False,
    wall_time: Annotated[float, typer.Option(min=2, help="Seconds it gets for each question.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Try an agent on a small healthy fabric, about a minute. Exit code 1 when there is something to mend."""
    choice = _choice(spec, trust)
    program_for(choice.agent, choice.options)
    engine = NativeEngine(fetch_software(note))
    found: list[Check] = []
    with ExitStack() as held:
        note("bringing up a small fabric …")
        context = held.enter_context(small_fabric(engine))
        for each in check_agent(choice, context, wall_time):
            found.append(each)
            note(f"{'ok    ' if each.is_passed else 'MEND  '}{each.name}: {each.told}")
    if as_json:
        print(json.dumps([each.model_dump() for each in found], indent=2))
    if not all(each.is_passed for each in found):
        raise typer.Exit(FAILED)


def _choice(spec: str, trust: bool) -> Choice:
    if trust and spec.startswith("command:"):
        spec = spec.replace("command:", "command+trust:", 1)
    if is_spec(spec):
        return parse_spec(spec)
    if spec not in AGENT_NAMES:
        wanted = f"{hint_at_file(spec)}agents to check: {', '.join(dict.fromkeys((*AGENT_NAMES, *KINDS)))}"
        raise SpecError([Problem("agent", "", spec, wanted)])
    return Choice(agent=spec, options={})
