"""`netopsbench fabric`: bring fabrics up, look at them, end them."""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.cli.numbers import seconds
from netopsbench.cli.speak import note, plainly, progress_bar
from netopsbench.core.clock import as_seconds, now_ns
from netopsbench.core.errors import Problem, SpecError
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.check import check_plan
from netopsbench.fabric.labs.inspect import settle_lab
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native import registry
from netopsbench.fabric.native.engine import NativeEngine, stay
from netopsbench.fabric.native.machine import machine_facts
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files

fabric = typer.Typer(help="Bring fabrics up, look at them, end them.", no_args_is_help=True)

_CONVERGE_DEADLINE_S = 120.0

FabricName = Annotated[str, typer.Argument(help="Name of a fabric that runs in this directory.")]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


@fabric.command()
@plainly
def up(
    spec: Annotated[str, typer.Argument(help="Name of a fabric (xs, …) or lab (simple_bgp, …), or path of a file.")],
    name: Annotated[str | None, typer.Option(help="Call it something else.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Try it although this machine looks too small.")] = False,
) -> None:
    """Start a fabric and wait until its routing has converged."""
    started = time.monotonic()
    chosen = load_spec(spec)
    called = name or chosen.name
    tell_stale()
    plan = plan_fabric(chosen)
    problems = check_plan(plan, None if force else machine_facts())
    if problems:
        raise SpecError(problems)
    with registry.starting(called, str(Path.cwd())), progress_bar() as progress:
        running = NativeEngine().deploy(plan, render_files(plan), progress)
        with ExitStack() as undoing:
            undoing.callback(running.destroy)
            if plan.lab is None:
                with observing(running) as eyes:
                    converge(eyes, deadline_s=_CONVERGE_DEADLINE_S, progress=progress)
            else:
                settle_lab(running, deadline_s=_CONVERGE_DEADLINE_S, progress=progress)
            entry = registry.Registered(
                name=called, directory=str(Path.cwd()), started_ns=now_ns(), handle=running.handle
            )
            registry.register(entry)
            stay(running)
            undoing.pop_all()
    switches = sum(node.is_switch for node in plan.nodes)
    switching, ends = _heads([plan])
    note(
        f"{called} is up and converged in {time.monotonic() - started:.1f} s: {switches} {switching}, "
        f"{len(plan.nodes) - switches} {ends}, {len(plan.links)} links"
    )


@fabric.command()
@plainly
def down(name: FabricName) -> None:
    """End a fabric; nothing of it is left."""
    started = time.monotonic()
    if any(entry.name == name and entry.directory == str(Path.cwd()) for entry in tell_stale()):
        return
    entry, running = registry.find(name, str(Path.cwd()))
    running.destroy()
    registry.forget(entry)
    note(f"{name} is down after {time.monotonic() - started:.1f} s")


@fabric.command("list")
@plainly
def list_(as_json: AsJson = False) -> None:
    """All fabrics of this user that run, in whatever directory they were started."""
    tell_stale()
    entries = registry.running()
    if as_json:
        print(json.dumps([_summary(entry) for entry in entries], indent=2))
        return
    if not entries:
        note("no fabric runs")
        return
    table = Table("fabric", *_heads([entry.handle.plan for entry in entries]), "links", "up for", "faults")
    table.add_column("started in", overflow="fold")
    for entry in entries:
        facts = _summary(entry)
        table.add_row(
            entry.name, str(facts["switches"]), str(facts["clients"]), str(facts["links"]),
            f"{facts['up_s']} s", str(len(entry.faults)), entry.directory,
        )  # fmt: skip
    Console().print(table)


@fabric.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@plainly
def exec_(
    node: Annotated[str, typer.Argument(help="Node to run the command on.")],
    command: Annotated[list[str], typer.Argument(help="Command and its arguments, after --.")],
    name: Annotated[str | None, typer.Option("--fabric", help="Which fabric, when several run here.")] = None,
    timeout_s: Annotated[float, seconds("Give up after so many seconds.", least=0.1)] = 60,
) -> None:
    """Run a command on a node: `fabric exec leaf1 -- vtysh -c "show bgp summary"`."""
    entry, running = registry.find(name or only_name(), str(Path.cwd()))
    known = [known.name for known in entry.handle.plan.nodes]
    if node not in known:
        raise SpecError([Problem("fabric exec", "node", node, f"nodes of {entry.name}: {', '.join(known)}")])
    argv = command[1:] if command[:1] == ["--"] else command
    done = running.exec(node, argv, timeout_s=timeout_s)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    raise typer.Exit(done.returncode)


def only_name() -> str:
    """Name of the one fabric that runs in this directory; SpecError when there are several or none."""
    here = [entry.name for entry in registry.running(str(Path.cwd()))]
    if len(here) == 1:
        return here[0]
    wanted = f"several run here ({', '.join(here)}): choose one with --fabric" if here else "no fabric runs here"
    raise SpecError([Problem("fabric", "", "", wanted)])


def tell_stale() -> list[registry.Registered]:
    """Remove stale state files, and say of each what it was."""
    stale = registry.clean_stale()
    for entry in stale:
        note(f"{entry.name} (started in {entry.directory}) is no longer running; its stale state file is removed")
    return stale


def _heads(plans: Sequence[FabricPlan]) -> tuple[str, str]:
    """What the nodes of these fabrics are called; labs have routers and hosts."""
    labs = [plan for plan in plans if plan.lab is not None]
    if not labs:
        return "switches", "clients"
    return ("routers", "hosts") if len(labs) == len(plans) else ("switches, routers", "clients, hosts")


def _summary(entry: registry.Registered) -> dict[str, str | int | float]:
    nodes = entry.handle.plan.nodes
    return {
        "name": entry.name,
        "is_lab": entry.handle.plan.lab is not None,
        "directory": entry.directory,
        "switches": sum(node.is_switch for node in nodes),
        "clients": sum(not node.is_switch for node in nodes),
        "links": len(entry.handle.plan.links),
        "up_s": round(as_seconds(now_ns() - entry.started_ns), 1),
        "keeper_pid": entry.handle.keeper,
        "faults": len(entry.faults),
    }
