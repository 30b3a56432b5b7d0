"""Published scenarios from a user's checkout, and what strict reading refuses in them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from netopsbench.core.errors import Problem, SpecError
from netopsbench.tickets.axes import Identifies, NotIdentifies, parse_axis
from netopsbench.tickets.model import Persona, TicketClass
from netopsbench.tickets.published import Scenario, read_scenario

Reading = Literal["strict", "compat"]
NOBODY = {"", "none"}
LAYERS: dict[str, Persona] = {
    "base": "standard",
    "cex": "standard",
    "novice": "novice",
    "novice_confident": "novice-confident",
    "naive": "naive",
    "naive_unsure": "naive-unsure",
    "naive_no_detail": "naive-no-detail",
}
"""Folders below `<topology>_Q`, and the voice of the tickets in them."""


Labs = Mapping[str, Collection[str]]
"""Devices by topology."""


class Imported(NamedTuple):
    """Scenarios in the order of their paths, and what was noted on the way."""

    scenarios: tuple[Scenario, ...]
    notes: tuple[Problem, ...]
    """With `compat`: what strict reading would refuse."""


def import_scenarios(path: Path, reading: Reading = "strict", labs: Labs = MappingProxyType({})) -> Imported:
    """Read a scenario file, a layer, a topology or a whole dataset folder.

    Devices of a topology that `labs` doesn't know are those that its scenarios refer to.
    Raises SpecError with every mistake of every file; with `compat` only for files that can't be read at all.
    """
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*.txt") if file.parent.name in LAYERS)
    files = files or sorted(path.glob("*.txt"))
    if not files:
        raise SpecError([Problem("tickets import", "", str(path), "no scenario file (.txt) is there")])
    fatal: list[Problem] = []
    problems: list[Problem] = []
    read: list[tuple[Path, Scenario]] = []
    for file in files:
        try:
            scenario, found = read_scenario(_text(file), str(file))
        except SpecError as unreadable:
            fatal.extend(unreadable.problems)
            continue
        read.append((file, scenario))
        problems.extend(found)
    problems.extend(_across(read, labs))
    if fatal or (problems and reading == "strict"):
        raise SpecError([*fatal, *(problems if reading == "strict" else ())])
    return Imported(tuple(scenario for _, scenario in read), tuple(problems))


def class_of(scenario_id: str) -> TicketClass:
    """The class that an id spells."""
    name = scenario_id.lower()
    if "false-premise" in name:
        return "false-premise"
    if name.endswith("-misdirected"):
        return "wrong-device"
    return "wrong-cause" if name.endswith("-misdescribed") else "correct-fault"


def scenario_problems(scenario: Scenario, source: str, devices: Iterable[str]) -> Iterator[Problem]:
    """Mistakes in one scenario of a lab with these devices."""
    known = sorted({device.lower() for device in devices})
    for device in sorted(referred(scenario)):
        if device.lower() not in known:
            yield Problem(source, "device", device, f"there is no such device; known: {', '.join(known)}")
    is_healthy = class_of(scenario.id) == "false-premise"
    if is_healthy and scenario.injection.command:
        yield Problem(source, "[INJECTION] cmd", scenario.injection.command, "a false-premise scenario injects nothing")
    if not is_healthy and not scenario.injection.command:
        yield Problem(source, "[INJECTION] cmd", "", "nothing is injected though the id says there is a fault")
    for line in scenario.axes:
        axis = parse_axis(line)
        if axis is None and not line.startswith("reason-"):
            yield Problem(source, "[SCORING-AXES]", line, "no known axis; it would count for nothing")
        if isinstance(axis, Identifies | NotIdentifies):
            for other in known:
                if axis.device.lower() != other and axis.device.lower() in other:
                    wanted = f"by substring {other} passes for {axis.device}; import with --compat to score it so"
                    yield Problem(source, "[SCORING-AXES]", line, wanted)


def referred(scenario: Scenario) -> set[str]:
    """Devices that commands, checks and axes of a scenario name."""
    axes = [axis for axis in map(parse_axis, scenario.axes) if isinstance(axis, Identifies | NotIdentifies)]
    named = {check.on for check in (*scenario.pre_checks, *scenario.checks)} | {axis.device for axis in axes}
    return {name for name in named | {scenario.injection.device} if name.lower() not in NOBODY}


def _across(read: list[tuple[Path, Scenario]], labs: Labs) -> Iterator[Problem]:
    """Mistakes that show only beside the other files and the labs."""
    by_id: dict[str, Scenario] = {}
    seen: dict[str, set[str]] = {}
    for file, scenario in read:
        if scenario.id in by_id:
            yield Problem(str(file), "Scenario", scenario.id, "another file has this id already")
        by_id[scenario.id] = scenario
        seen.setdefault(scenario.topology, set()).update(referred(scenario))
    for file, scenario in read:
        known = labs.get(scenario.topology) or seen[scenario.topology]
        yield from scenario_problems(scenario, str(file), known)
        parent = by_id.get(scenario.variant_of or "")
        if parent is not None:
            yield from _differences(scenario, parent, str(file))


def _differences(scenario: Scenario, parent: Scenario, source: str) -> Iterator[Problem]:
    for part in ("injection", "checks", "ground_truth", "fix", "axes", "label"):
        if getattr(scenario, part) != getattr(parent, part):
            yield Problem(source, part, "", f"a rewrite differs from {parent.id} in the ticket's text alone")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SpecError([Problem(str(file), "", "", "write the file in UTF-8")]) from None
    except OSError as unreadable:
        raise SpecError([Problem(str(file), "", unreadable.strerror or "", "give a file that can be read")]) from None


def persona_of(scenario: Scenario) -> Persona:
    """The voice that a scenario is told in. Raises SpecError for one that isn't known."""
    known = {persona: persona for persona in LAYERS.values()}
    if scenario.style not in known:
        raise SpecError([Problem(scenario.id, "Ticket style", scenario.style, f"one of {', '.join(known)}")])
    return known[scenario.style]
