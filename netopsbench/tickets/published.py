"""The published scenario file: sections of text, read exactly as its own harness does, every loss named."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model
from netopsbench.tickets.conditions import KNOWN, parse_condition

SECTIONS = (
    "PROMPT-TO-AGENT",
    "INJECTION",
    "PRE-CHECK",
    "POST-INJECT-CHECK",
    "GROUND-TRUTH",
    "FIX",
    "DIAGNOSTIC-PROCESS",
    "SCORING-AXES",
    "NIKA-LABEL",
)
HEADERS = ("Scenario", "Topology", "Fault family", "Ticket style", "Variant-of", "Confidence-flip-of")

_HEADER = re.compile(rf"^(?P<key>{'|'.join(HEADERS)}):[ \t]*(?P<value>.*?)[ \t]*$", re.MULTILINE)
_SECTION = re.compile(r"^\[(?P<name>[A-Z][A-Z0-9-]*)\][ \t]*$", re.MULTILINE)
_CHECK = re.compile(r"(?P<on>\S+)\s+(?P<run>.+?)\s*=>\s*expect\s+(?P<expect>.+?)\s*")
_KEY = re.compile(r"(?P<key>device|action|cmd|note):(?P<value>.*)")
_REQUIRED = ("Scenario", "Topology")


class PublishedCheck(Model):
    """`<device>  <command>  => expect <condition>`."""

    on: str
    run: str
    expect: str


class Injection(Model):
    """How the fault is made."""

    device: str = ""
    action: str = ""
    command: str | None = None
    """None where nothing is injected."""
    note: str | None = None


class Scenario(Model):
    """One published file; what isn't understood further is kept as text."""

    id: str
    topology: str
    family: str = "unspecified"
    style: str = "standard"
    variant_of: str | None = None
    flip_of: str | None = None
    """Of a confident rewrite: the timid one with the same content."""
    prompt: str
    injection: Injection = Injection()
    pre_checks: tuple[PublishedCheck, ...] = ()
    checks: tuple[PublishedCheck, ...] = ()
    ground_truth: str = ""
    fix: str = ""
    process: str = ""
    axes: tuple[str, ...] = ()
    label: str = ""
    """The lines of NIKA-LABEL."""


class Read(NamedTuple):
    """What a file says, and what of it the published reading drops or misunderstands."""

    scenario: Scenario
    problems: tuple[Problem, ...]


def read_scenario(text: str, source: str) -> Read:
    """Read a file's text. Raises SpecError when a header or the ticket's text is missing."""
    headers = {found["key"]: found["value"] for found in reversed(list(_HEADER.finditer(_head(text))))}
    sections = _sections(text)
    missing = [Problem(source, name, "", "this header is required") for name in _REQUIRED if not headers.get(name)]
    if not sections.get("PROMPT-TO-AGENT"):
        missing.append(Problem(source, "[PROMPT-TO-AGENT]", "", "the ticket's text is required"))
    if missing:
        raise SpecError(missing)
    problems: list[Problem] = [
        Problem(source, f"[{name}]", "", f"unknown section; known: {', '.join(SECTIONS)}")
        for name in sections
        if name not in SECTIONS
    ]
    scenario = Scenario(
        id=headers["Scenario"],
        topology=headers["Topology"],
        family=headers.get("Fault family") or "unspecified",
        style=headers.get("Ticket style") or "standard",
        variant_of=headers.get("Variant-of") or None,
        flip_of=headers.get("Confidence-flip-of") or None,
        prompt=sections["PROMPT-TO-AGENT"],
        injection=_injection(sections.get("INJECTION", ""), source, problems),
        pre_checks=tuple(_checks(sections.get("PRE-CHECK", ""), source, problems)),
        checks=tuple(_checks(sections.get("POST-INJECT-CHECK", ""), source, problems)),
        ground_truth=sections.get("GROUND-TRUTH", ""),
        fix=sections.get("FIX", ""),
        process=sections.get("DIAGNOSTIC-PROCESS", ""),
        axes=tuple(_axes(sections.get("SCORING-AXES", ""))),
        label=sections.get("NIKA-LABEL", ""),
    )
    return Read(scenario, tuple(problems))


def _head(text: str) -> str:
    first = _SECTION.search(text)
    return text[: first.start()] if first else text


def _sections(text: str) -> dict[str, str]:
    marks = list(_SECTION.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {mark["name"]: text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}


def _injection(body: str, source: str, problems: list[Problem]) -> Injection:
    """Keys at the start of a line; `cmd` and `note` may go on for lines after `|`. Blank lines and # are dropped."""
    values: dict[str, str] = {}
    blocks: dict[str, list[str]] = {"cmd": [], "note": []}
    block = ""
    for line in body.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            if block == "cmd" and stripped:
                problems.append(_dropped(source, "[INJECTION]", stripped, "a # line in a command is dropped"))
            continue
        found = _KEY.fullmatch(stripped)
        if found is None:
            if block:
                blocks[block].append(line)
            else:
                problems.append(_dropped(source, "[INJECTION]", stripped, "no key begins this line, it is dropped"))
            continue
        key, value = found["key"], found["value"].strip()
        if block and line[:1].isspace():
            problems.append(_dropped(source, "[INJECTION]", stripped, f"inside `{block}` this is read as a key"))
        block = key if key in blocks and value == "|" else ""
        if not block:
            values[key] = value
    command, note = ("\n".join(blocks[key]).strip() or values.get(key) for key in ("cmd", "note"))
    return Injection(device=values.get("device", ""), action=values.get("action", ""), command=command, note=note)


def _checks(body: str, source: str, problems: list[Problem]) -> Iterator[PublishedCheck]:
    for line in body.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "(")):
            continue
        found = _CHECK.fullmatch(stripped)
        if found is None:
            wanted = "write `device  command  => expect condition`; the line is dropped"
            problems.append(_dropped(source, "check", stripped, wanted))
            continue
        if parse_condition(found["expect"]).kind == "unknown":
            wanted = f"an unknown condition always passes; known: {KNOWN}"
            problems.append(_dropped(source, "check", found["expect"], wanted))
        yield PublishedCheck(on=found["on"], run=found["run"].strip(), expect=found["expect"])


def _axes(body: str) -> Iterator[str]:
    for line in body.splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield stripped


def _dropped(source: str, key: str, value: str, wanted: str) -> Problem:
    return Problem(source, key, value, wanted)
