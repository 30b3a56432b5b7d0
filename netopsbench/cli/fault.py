"""`netopsbench fault`: break a running fabric by hand, and mend it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from netopsbench.cli.fabric import AsJson, only_name, tell_stale
from netopsbench.cli.speak import complain, note, plainly
from netopsbench.core.errors import InfraError, Problem, SpecError
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.native import registry
from netopsbench.fabric.observe import converge, observing
from netopsbench.faults.catalog import KINDS, FaultKind, change_of, parse_fault
from netopsbench.faults.inject import clear, inject
from netopsbench.faults.snapshot import RESTORE_DEADLINE_S, as_open
from netopsbench.faults.witness import gate_effect, poll, shown, watching
from netopsbench.records.faults import FaultSpec

fault = typer.Typer(help="Break a running fabric by hand, and mend it.", no_args_is_help=True)

_ON = "on"
"""How people say `device`, which is the key of a fault file."""

OnFabric = Annotated[str | None, typer.Option("--fabric", help="Which fabric, when several run here.")]


@fault.command("list")
@plainly
def list_(as_json: AsJson = False) -> None:
    """All faults with their parameters, and those that are injected in fabrics of this directory."""
    tell_stale()
    here = registry.running(str(Path.cwd()))
    if as_json:
        kinds = [
            {"kind": kind.name, "definition": kind.label.definition, "parameters": _parameters(kind)}
            for kind in KINDS.values()
        ]
        injected = {entry.name: [each.model_dump(mode="json") for each in entry.faults] for entry in here}
        print(json.dumps({"kinds": kinds, "injected": injected}, indent=2))
        return
    known = Table("fault", "what happens", "parameters", title="faults", title_justify="left")
    for kind in KINDS.values():
        known.add_row(kind.name, kind.label.definition, "\n".join(_parameters(kind)))
    Console().print(known)
    made = Table("fabric", "number", "fault", title="injected here", title_justify="left")
    for entry in here:
        for number, each in enumerate(entry.faults, start=1):
            made.add_row(entry.name, str(number), described(each))
    if made.row_count:
        Console().print(made)
    else:
        note("no fault is injected in a fabric of this directory")


@fault.command("inject", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@plainly
def inject_(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="Name of a fault; see `netopsbench fault list`.")],
    keys: Annotated[list[str] | None, typer.Option("--set", help="A parameter of the fault as key=value.")] = None,
    fabric_name: OnFabric = None,
) -> None:
    """Make a fault, and say whether an independent witness sees its effect.

    Every parameter of the fault is an option: `fault inject link_down --at leaf1:eth1 --variant admin`,
    `fault inject blackhole_route --device leaf1 --prefix 192.168.102.0/30`.
    """
    wanted = parse_fault(kind, {**_options(context.args), **_assignments(keys or [])}, "fault inject")
    with registry.changing(fabric_name or only_name(), str(Path.cwd())) as (entry, running):
        refuse_twice(entry, wanted)
        effect = change_of(wanted, entry.handle.plan).effect
        with watching(running) as witness:
            # Written down first: whatever happens from here on, `fault clear` finds it.
            kept = entry.faults
            registry.register(entry.model_copy(update={"faults": (*kept, wanted)}))
            try:
                note(f"commanded: {inject(running, wanted, beside=kept).what}")
                seen = gate_effect(witness, effect)
            except InfraError:
                if kept:
                    others = ", ".join(map(described, kept))
                    complain(f"{others} was injected before; what the witness misses may be the work of that")
                complain(f"undo it with: netopsbench fault clear --fabric {entry.name}")
                raise
    note(f"the witness sees it: {seen.what}")


@fault.command("clear")
@plainly
def clear_(
    which: Annotated[str | None, typer.Argument(help="Number or name from `fault list`; all when left out.")] = None,
    fabric_name: OnFabric = None,
) -> None:
    """Undo the faults that were injected by hand, and say whether the fabric is whole again."""
    with registry.changing(fabric_name or only_name(), str(Path.cwd())) as (entry, running):
        chosen = _chosen(entry, which)
        left = list(entry.faults)
        # The last one first, as they may stand on each other.
        for each in reversed(chosen):
            note(f"commanded: {clear(running, each).what}")
            left.remove(each)
            registry.register(entry.model_copy(update={"faults": tuple(left)}))
        if not chosen:
            note(f"no fault is injected in {entry.name}")
        elif left:
            note(f"{len(chosen)} cleared; still injected: {', '.join(map(described, left))}")
        else:
            _wait_whole(running, chosen)
            note(f"the witness sees {entry.name} whole again")


def refuse_twice(entry: registry.Registered, wanted: FaultSpec) -> None:
    """Raises SpecError when the same fault is injected already."""
    for number, each in enumerate(entry.faults, start=1):
        if each == wanted:
            way_out = f"it is injected already; undo it with: netopsbench fault clear {number} --fabric {entry.name}"
            raise SpecError([Problem("fault inject", "", described(each), way_out)])


def described(spec: FaultSpec) -> str:
    """A fault as one would type it."""
    keys = spec.model_dump(mode="json", exclude={"kind"})
    return " ".join([spec.kind, *(f"--{key.replace('_', '-')} {value}" for key, value in keys.items())])


def _parameters(kind: FaultKind) -> list[str]:
    """Every key of the fault with an example or its default."""
    example = kind.parse(kind.example, "example")
    known = example.model_dump(mode="json", exclude={"kind"})
    lines = []
    for key, value in known.items():
        choices = "|".join(kind.variants) if key == "variant" else value
        optional = "" if key in kind.example else f" (default {value})"
        lines.append(f"--{key.replace('_', '-')} {choices}{optional}")
    return lines


def _options(words: Sequence[str]) -> dict[str, object]:
    """`--key value` pairs, or `--key=value` words, as keys of a fault."""
    found: dict[str, object] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        key, has_value, value = word.partition("=")
        if not key.startswith("--") or not (has_value or rest):
            raise SpecError([Problem("fault inject", "", word, "parameters are written --key value")])
        found[_key(key[2:])] = _value(value if has_value else rest.pop(0))
    return found


def _assignments(words: Sequence[str]) -> dict[str, object]:
    """`key=value` words as keys of a fault."""
    wrong = [word for word in words if "=" not in word]
    if wrong:
        raise SpecError([Problem("fault inject", "--set", word, "parameters are written key=value") for word in wrong])
    return {_key(key): _value(value) for key, _, value in (word.partition("=") for word in words)}


def _key(word: str) -> str:
    key = word.replace("-", "_")
    return "device" if key == _ON else key


def _value(text: str) -> object:
    """Numbers and truth values as such; everything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _chosen(entry: registry.Registered, which: str | None) -> tuple[FaultSpec, ...]:
    if which is None:
        return entry.faults
    found = tuple(each for number, each in enumerate(entry.faults, start=1) if which in (str(number), each.kind))
    if not found:
        listed = "; ".join(f"{number}: {described(each)}" for number, each in enumerate(entry.faults, start=1))
        raise SpecError([Problem("fault clear", "", which, f"injected in {entry.name}: {listed or 'nothing'}")])
    return found


def _wait_whole(running: Fabric, cleared: Sequence[FaultSpec]) -> None:
    """Wait for the routing to come back, and for every probe on the paths that were broken.

    Raises InfraError naming what is still missing.
    """
    paths = as_open(tuple(path for each in cleared for path in change_of(each, running.plan).effect.paths))
    with observing(running) as eyes:
        converge(eyes, deadline_s=RESTORE_DEADLINE_S)
    with watching(running) as witness:
        missing = poll(lambda: witness.paths_unseen(paths), RESTORE_DEADLINE_S)
    if missing:
        raise InfraError("not_restored", shown(missing))
