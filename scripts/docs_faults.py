"""What stands in a fault's page but isn't written by hand: its keys, its commands and recorded examples."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from docs_models import field_table
from recording import Call, Recording, Recordings

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.plan import FabricPlan
from netopsbench.faults.catalog import KINDS, FaultKind
from netopsbench.faults.contract import WIRE, Change, Step
from netopsbench.records.faults import FaultSpec

_TELEMETRY = {
    "pingmesh": "the Pingmesh, as a formal anomaly",
    "pingmesh ports": "the Pingmesh, in single source ports",
    "bgp": "BGP sessions and prefixes",
    "counters": "counters of ports and kernels",
    "logs": "logs of the devices at fault",
    "device": "what the devices at fault show of their own state",
}
_EXAMPLE_FABRIC = "xs"
_LONGEST_LINE = 160


def blocks_of(kind: FaultKind, recordings: Recordings) -> dict[str, str]:
    """Text of each block of a fault's page, by the block's name."""
    plan = plan_fabric(load_spec(_EXAMPLE_FABRIC))
    makers: Mapping[str, Callable[[], Iterator[str]]] = {
        "definition": lambda: _definition(kind),
        "keys": lambda: field_table(_model(kind), linked=False),
        "commands": lambda: _commands(kind, plan),
        "telemetry": lambda: _telemetry(recordings),
        "recorded": lambda: _recorded(recordings),
    }
    return {name: "\n".join(make()).strip() for name, make in makers.items()}


def read_recordings(folder: Path, kind: str) -> Recordings:
    """The recorded examples of a fault."""
    return Recordings.model_validate_json((folder / "recorded" / f"{kind}.json").read_bytes())


def _model(kind: FaultKind) -> type[FaultSpec]:
    return type(kind.parse(kind.example, "example"))


def _definition(kind: FaultKind) -> Iterator[str]:
    label = kind.label
    asked = "device and interface" if label.has_interface else "the device"
    ends = "; either end of the link, when both are switches" if label.is_symmetric else ""
    yield from (f"> {label.definition}", "")
    yield f"That is how agents are told of it. Right answer: {asked}{ends}. Also called {_listed(label.aliases)}."
    yield f"Campaigns put it on {' or '.join(kind.roles)} switches unless they name others."


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _commands(kind: FaultKind, plan: FabricPlan) -> Iterator[str]:
    for keys in kind.variant_keys:
        fault = kind.parse({**kind.example, **keys}, "example")
        change = kind.change(fault, plan)
        options = " ".join(f"--{key} {value}" for key, value in {**kind.example, **keys}.items())
        variant = f"Variant `{keys['variant']}`: by" if keys else "By"
        yield from (f"{variant} hand `netopsbench fault inject {kind.name} {options}`; then the injector runs", "")
        yield from _shell(change)


def _shell(change: Change) -> Iterator[str]:
    yield "```"
    for step in change.do:
        yield from _typed(step)
    yield "# undone by"
    for step in change.undo:
        yield from _typed(step)
    yield from ("```", "")


def _typed(step: Step) -> Iterator[str]:
    where = "beside the cables" if step.where == WIRE else step.where
    # Where this machine has its Python is nobody's business.
    words = ["python" if word == sys.executable else str(word) for word in step.argv]
    if words[0] == "vtysh":
        yield f"{where}# vtysh"
        yield from (f"    {words[at + 1]}" for at, word in enumerate(words) if word == "-c")
        return
    if words[:2] == ["sh", "-c"]:
        script, _, *arguments = words[2:]
        yield f"{where}# sh -s {' '.join(map(shlex.quote, arguments))}".rstrip()
        yield from (f"    {line}" for line in script.splitlines())
        return
    yield f"{where}# {' '.join(words)}"
    yield from (f"    {line}" for line in step.stdin.splitlines())


def _telemetry(recordings: Recordings) -> Iterator[str]:
    names = [each.variant or "seen" for each in recordings.variants]
    yield from (f"| telemetry | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|")
    for telemetry, words in _TELEMETRY.items():
        seen = ["yes" if telemetry in each.exposed_in else "–" for each in recordings.variants]
        yield f"| {words} | {' | '.join(seen)} |"


def _recorded(recordings: Recordings) -> Iterator[str]:
    for each in recordings.variants:
        versions = ", ".join(f"{name} {version}" for name, version in each.recorded_with.items())
        title = f"Variant `{each.variant}`" if each.variant else "One case"
        yield from (f"### {title} on `{_EXAMPLE_FABRIC}`", "", f"Recorded with {versions}.", "")
        yield from ("The injection and its witness, in seconds from the first command on:", "")
        yield from _receipts(each)
        yield from ("The Pingmesh:", "", *(f"- {line}" for line in each.mesh), "")
        yield from ("What tools show:", "")
        for look in each.looks:
            yield from _shown(look)
        yield from _by_baseline(each)


def _receipts(recording: Recording) -> Iterator[str]:
    yield "```"
    for each in recording.receipts:
        yield f"{each.at_s:7.2f}  {each.step:14} {_short(each.what)}"
        yield f"{'':24} {_short(each.seen)}"
    yield from ("```", "")


def _shown(look: Call) -> Iterator[str]:
    inside = f"  # {look.part}" if look.part else ""
    yield from ("```", f"{_call(look)}{inside}")
    for row in look.shown:
        if "lines" in row:
            # A configuration reads best as what it is.
            yield from (row[key] for key in ("title",) if row.get(key))
            yield from row["lines"]
        else:
            yield json.dumps(row, ensure_ascii=False)
    yield from ("```", "")


def _by_baseline(recording: Recording) -> Iterator[str]:
    verdict = "right" if recording.was_right else "wrong"
    yield from (f"The baseline made {len(recording.baseline_calls)} calls and was {verdict}:", "", "```")
    for line, again in groupby(map(_call, recording.baseline_calls)):
        times = len(list(again))
        yield line if times == 1 else f"{line}    # {times} times"
    yield json.dumps(recording.baseline_answer, indent=1, ensure_ascii=False)
    yield from ("```", "")


def _call(call: Call) -> str:
    return " ".join((call.tool, *(f"{key}={value}" for key, value in call.arguments.items())))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} …"


def pages() -> Mapping[str, FaultKind]:
    """File name of each fault's page."""
    return {f"{name}.md": kind for name, kind in KINDS.items()}
