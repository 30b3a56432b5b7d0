"""The table of commands: need and vendor to words, source and layout.

Parsing, help and golden steps are read off it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netopsbench.vendors import arista, cisco, frr, h3c, huawei, linux, sonic
from netopsbench.vendors.command import Command, Row
from netopsbench.vendors.grammar import Blank, Form, Word
from netopsbench.vendors.names import NAMES, TITLES, VENDORS, Need, Vendor
from netopsbench.vendors.parse import Candidate, CommandMistakeError, continued, tokens_of, understood

_ROWS: Mapping[Vendor, Sequence[Row]] = {
    "huawei": huawei.ROWS,
    "h3c": h3c.ROWS,
    "cisco": cisco.ROWS,
    "arista": arista.ROWS,
    "sonic": sonic.ROWS,
    "frr": frr.ROWS,
    "linux": linux.ROWS,
}

TABLE: tuple[Command, ...] = tuple(
    command for vendor in VENDORS for row in _ROWS[vendor] for command in row.commands(vendor)
)

_OFFERED: Mapping[Vendor, tuple[Candidate[Command], ...]] = {
    vendor: tuple(Candidate(command, form) for command in TABLE if command.vendor == vendor for form in command.forms)
    for vendor in VENDORS
}


@dataclass(frozen=True)
class Asked:
    """A line that was understood."""

    command: Command
    words: tuple[str, ...]
    """In full, interfaces by the vendor's full name."""
    arguments: Mapping[str, str]
    """Blank to value, interfaces by the kernel's name."""

    @property
    def line(self) -> str:
        """The command as it would be typed in full: two lines that ask the same are the same here."""
        return " ".join(self.words)


def read(vendor: Vendor, line: str) -> Asked:
    """A line as a command of the vendor. Raises CommandMistakeError."""
    _check_program(vendor, line)
    found = understood(line, _OFFERED[vendor], NAMES[vendor])
    return Asked(found.owner, found.words, dict(found.filled))


def _check_program(vendor: Vendor, line: str) -> None:
    """A program is named in full, whatever its own words may be abbreviated to."""
    tokens = tokens_of(line, NAMES[vendor])
    programs = {candidate.form[0] for candidate in _OFFERED[vendor]}
    if vendor in ("linux", "sonic") and tokens and Word(tokens[0].text) not in programs:
        raise CommandMistakeError("unrecognized", tokens, 0, tokens[0].column)


def needs_of(mistake: CommandMistakeError) -> frozenset[Need]:
    """What a line that is no command could still have asked for."""
    return frozenset(each.need for each in mistake.reached if isinstance(each, Command))


def help_at(vendor: Vendor, line: str) -> list[tuple[str, str]]:
    """What may come next after a line that ends with `?`, each with what it leads to. Raises CommandMistakeError."""
    before = line.rstrip().removesuffix("?")
    words, begun = (before, "") if before.endswith(" ") or not before else _last_word(before)
    following = continued(words, _OFFERED[vendor], NAMES[vendor])
    needs: dict[str, set[Need]] = {}
    for candidate in following:
        text = next((each for each in _shown(candidate.rest) if each.lower().startswith(begun.lower())), None)
        if text is not None:
            needs.setdefault(text, set()).add(candidate.owner.need)
    return [(text, _meaning(found)) for text, found in needs.items()]


def _last_word(text: str) -> tuple[str, str]:
    words, _, last = text.rpartition(" ")
    return words, last


def _shown(rest: Form) -> tuple[str, ...]:
    """How what comes next may be written."""
    if not rest:
        return ("<cr>",)
    return rest[0].spellings if isinstance(rest[0], Word) else (f"<{rest[0].name}>",)


def _meaning(needs: set[Need]) -> str:
    return TITLES[next(iter(needs))] if len(needs) == 1 else ""


def commands_for(vendor: Vendor, need: Need) -> list[Command]:
    """The vendor's commands for a need; none where the vendor's devices can't tell."""
    return [command for command in TABLE if command.vendor == vendor and command.need == need]


def golden(vendor: Vendor, need: Need, arguments: Mapping[str, str] | None = None) -> str:
    """The vendor's command line for a need with these arguments, interfaces by the kernel's name.

    Raises LookupError where the vendor has none that takes exactly these.
    """
    given = dict(arguments or {})
    for command in commands_for(vendor, need):
        for form in command.forms:
            blanks = [element for element in form if isinstance(element, Blank)]
            if {blank.name for blank in blanks} == given.keys():
                return spelled(vendor, form, given)
    raise LookupError(f"{vendor} has no command for {need} with {', '.join(given) or 'no arguments'}")


def spelled(vendor: Vendor, form: Form, given: Mapping[str, str]) -> str:
    """A form as the vendor's line, its blanks filled in, interfaces by the kernel's name."""
    return " ".join(_filled(element, given, vendor) for element in form)


def _filled(element: Word | Blank, given: Mapping[str, str], vendor: Vendor) -> str:
    if isinstance(element, Word):
        return element.text
    value = given[element.name]
    is_port = element.name == "interface" or (element.name == "source" and not value[0].isdigit())
    return NAMES[vendor].of(value) if is_port else value
