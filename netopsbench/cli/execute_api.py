"""`netopsbench tools execute-api`: the command lines of a running or recorded network's devices over HTTP."""

import os
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from netopsbench.cli.fabric import only_name, tell_stale
from netopsbench.cli.numbers import count
from netopsbench.cli.replay import find_recording, refuse_beside_replay
from netopsbench.cli.speak import note
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.native import registry
from netopsbench.replay.answering import recorded_desks
from netopsbench.tools.catalog import COMMAND_LINES
from netopsbench.tools.live import Look, measuring, unmeasured
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.execute_api import PATH, api_server
from netopsbench.tools.serving.listening import listen_at, url_of
from netopsbench.tools.serving.meter import Meter
from netopsbench.vendors.lines import CommandLineRules, CommandLines, Denial
from netopsbench.vendors.names import NEEDS, VENDORS, Need, Vendor

TOKEN_VARIABLE = "NETOPSBENCH_API_TOKEN"
"""Environment variable with the token that clients show; without it none is asked for."""
_RESULT_CHARS = 128_000
_UNLIMITED = 1 << 31
_LARGEST_SEED = 10**18


def execute_api(
    http: Annotated[str, typer.Option(help="Listen at `port` or `host:port`; 0 is any free port.")] = "0",
    fabric_name: Annotated[str | None, typer.Option("--fabric", help="Which fabric, when several run here.")] = None,
    seed: Annotated[int, count("Decides which vendor each device is.", least=0, most=_LARGEST_SEED)] = 0,
    vendor: Annotated[list[str] | None, typer.Option(help="A device's vendor as DEVICE=VENDOR.")] = None,
    deny: Annotated[
        list[str] | None, typer.Option(help="Something that may not be asked, as NEED or DEVICE=NEED.")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Probe the fabric and poll its devices first, so that there are logs.")
    ] = False,
    replay: Annotated[
        str | None,
        typer.Option(help="Instead of a fabric: a recording; its tasks are questions 1, 2 … in their order in it."),
    ] = None,
) -> None:
    """Answer POST /api/agent/execute until Ctrl-C: the devices' command lines, each in its vendor's words.

    It listens on loopback unless a host is named. Clients show the token in NETOPSBENCH_API_TOKEN where it is set. A
    fabric has the only question 1.
    """
    if replay is not None:
        given = {"--fabric": fabric_name, "--seed": seed, "--vendor": vendor, "--deny": deny, "--measure": measure}
        refuse_beside_replay({name: bool(value) for name, value in given.items()})
        _serve_recording(find_recording(replay), http)
        return
    rules = CommandLineRules(seed=seed, vendors=_vendors(vendor or []), denied=_denied(deny or []))
    tell_stale()
    _, running = registry.find(fabric_name or only_name(), str(Path.cwd()))
    _check_devices(rules, [node.name for node in running.plan.nodes])
    lines = CommandLines(running.plan, rules)
    with _looking(running, measure) as look, listen_at(http) as listener, tempfile.TemporaryDirectory() as folder:
        meter = Meter(Path(folder) / "calls", _UNLIMITED)
        for name, its_vendor in lines.vendors.items():
            note(f"{name}: {its_vendor}")
        with closing(Desk(lambda: replace(look(), command_lines=lines), COMMAND_LINES, meter, _RESULT_CHARS)) as desk:
            _serve(listener, {1: desk})


def _serve_recording(recording: Path, http: str) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing_all:

        def meter(number: int) -> Meter:
            return closing_all.enter_context(closing(Meter(Path(folder) / f"calls{number}", _UNLIMITED)))

        desks = recorded_desks(recording, meter)
        for number, name in enumerate(desks.names, start=1):
            note(f"question {number}: {name}")
        with listen_at(http) as listener:
            _serve(listener, desks)


def _serve(listener: socket.socket, desks: Mapping[int, Desk]) -> None:
    note(f"url: {url_of(listener, PATH)}")
    api_server(listener, desks, os.environ.get(TOKEN_VARIABLE) or None).serve_forever()


@contextmanager
def _looking(running: Fabric, measure: bool) -> Iterator[Look]:
    if not measure:
        yield lambda: unmeasured(running)
        return
    note("measuring a baseline …")
    with measuring(running) as look:
        yield look


def _vendors(given: Sequence[str]) -> dict[str, Vendor]:
    known: dict[str, Vendor] = {each: each for each in VENDORS}
    parts = [(text, *text.partition("=")[::2]) for text in given]
    wrong = [text for text, _, vendor in parts if vendor not in known]
    if wrong:
        wanted = f"DEVICE=VENDOR, with one of: {', '.join(VENDORS)}"
        raise SpecError([Problem("--vendor", "", text, wanted) for text in wrong])
    return {device: known[vendor] for _, device, vendor in parts}


def _denied(given: Sequence[str]) -> tuple[Denial, ...]:
    known: dict[str, Need] = {each: each for each in NEEDS}
    parts = [(text, *text.rpartition("=")[::2]) for text in given]
    wrong = [text for text, _, need in parts if need not in known]
    if wrong:
        wanted = f"NEED or DEVICE=NEED, with one of: {', '.join(NEEDS)}"
        raise SpecError([Problem("--deny", "", text, wanted) for text in wrong])
    return tuple(Denial(need=known[need], device=device or None) for _, device, need in parts)


def _check_devices(rules: CommandLineRules, known: Sequence[str]) -> None:
    named = [("--vendor", name) for name in rules.vendors]
    named += [("--deny", each.device) for each in rules.denied if each.device is not None]
    wanted = f"known devices: {', '.join(known)}"
    if problems := [Problem(option, "", name, wanted) for option, name in named if name not in known]:
        raise SpecError(problems)
