"""`netopsbench agents`: which agents there are, and whether somebody's own keeps to what is expected."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.agent.catalog import AGENT_NAMES
from netopsbench.agent.plugins import plugin_names
from netopsbench.agent.programs.starting import program_for
from netopsbench.agent.spec import KINDS, Choice, is_spec, parse_spec
from netopsbench.campaign.agent_check import SMALL, Check, check_on_fabric, check_on_recording, small_fabric
from netopsbench.campaign.contestants import CONTESTANTS, FAMILIES, unknown_agent
from netopsbench.campaign.recorded import SealedTruth
from netopsbench.cli.numbers import seconds
from netopsbench.cli.replay import find_recording, recorded_case
from netopsbench.cli.speak import FAILED, note, plainly
from netopsbench.core.errors import SpecError
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.native.software import fetch_software
from netopsbench.records.truth import Truth
from netopsbench.replay.archive import RecordingError
from netopsbench.replay.bundle import Bundle, RecordedCase

agents = typer.Typer(help="Agents: which there are, and whether yours fits.", no_args_is_help=True)

_ANY = "whatever it is made for"
_MARKS = {True: "ok    ", False: "MEND  ", None: "?     "}

AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


@agents.command("list")
@plainly
def list_(as_json: AsJson = False) -> None:
    """Agents by name, and how other kinds are written."""
    if as_json:
        told = {"names": list(CONTESTANTS), "families": CONTESTANTS, "kinds": KINDS, "plugins": plugin_names()}
        print(json.dumps(told, indent=2))
        return
    table = Table("agent")
    table.add_column("how to name it", overflow="fold")
    table.add_column("what it is for")
    for name, families in CONTESTANTS.items():
        form = KINDS.get(name, name)
        table.add_row(name, form, ", ".join(FAMILIES[each] for each in families))
    for kind, form in KINDS.items():
        if kind not in CONTESTANTS:
            table.add_row(kind, form, _ANY)
    for plugin in plugin_names():
        table.add_row(f"{plugin} (installed)", f"python:{plugin}", _ANY)
    Console().print(table)


@agents.command("check")
@plainly
def check(
    spec: Annotated[str, typer.Argument(help="The agent: a name, or a kind with options; see `agents list`.")],
    trust: Annotated[bool, typer.Option("--trust", help="Run a command outside of the sandbox.")] = False,
    wall_time: Annotated[float, seconds("Seconds it gets for each question.", least=2)] = 60.0,
    replay: Annotated[
        str | None, typer.Option(help="Instead of a fabric: a recording by name or path, such as smoke.")
    ] = None,
    case: Annotated[str | None, typer.Option(help="Which case of the recording; the first one if left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try an agent on a small healthy fabric, about a minute, or on a recorded case, where nothing has to run.

    Exit code 1 when there is something to mend.
    """
    choice = _choice(spec, trust)
    program_for(choice.agent, choice.options)
    found: list[Check] = []
    recorded = recorded_case(replay, case, or_first=True)
    with _checks(choice, recorded, wall_time) as checks:
        for each in checks:
            found.append(each)
            note(f"{_MARKS[each.is_passed]}{each.name}: {each.told}")
    note(_what_was_right(replay, recorded))
    if as_json:
        print(json.dumps([each.model_dump() for each in found], indent=2))
    if any(each.is_passed is False for each in found):
        raise typer.Exit(FAILED)


def _what_was_right(recording: str | None, recorded: RecordedCase | None) -> str:
    """Which case was put, and its right answer, which no check asks for."""
    if recorded is None or recording is None:
        return f"The case: a healthy fabric of the scale {SMALL}; right was {_answer(Truth())}."
    case = f"The case: {recorded.tape.case_id} of {recording}"
    try:
        truth = SealedTruth(Bundle(find_recording(recording))).trial(recorded.tape.case_id).truth
    except RecordingError as unknown:
        return f"{case}; what was right isn't known here ({unknown})"
    return f"{case}, {'broken' if truth.is_faulty else 'healthy'}; right was {_answer(truth)}."


@contextmanager
def _checks(choice: Choice, recorded: RecordedCase | None, wall_time_s: float) -> Iterator[Iterator[Check]]:
    """The checks of an agent, on a recorded case or on a fabric that runs for the block."""
    if recorded is not None:
        yield check_on_recording(choice, recorded, wall_time_s)
        return
    engine = NativeEngine(fetch_software(note))
    note("bringing up a small fabric …")
    with small_fabric(engine) as context:
        yield check_on_fabric(choice, context, wall_time_s)


def _answer(truth: Truth) -> str:
    """The right answer of a case."""
    faults = " and ".join(f"{fault.fault_type} at {fault.accepted[0]}" for fault in truth.faults)
    return f"fault_detected, {faults}" if faults else "network_healthy"


def _choice(spec: str, trust: bool) -> Choice:
    if trust and spec.startswith("command:"):
        spec = spec.replace("command:", "command+trust:", 1)
    if is_spec(spec):
        return parse_spec(spec)
    if spec not in AGENT_NAMES:
        raise SpecError([unknown_agent(spec, AGENT_NAMES, "agents to check")])
    return Choice(agent=spec, options={})
