"""A command of a vendor: what it is typed like, what it asks for, and what its answer looks like."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from netopsbench.core.model import Model
from netopsbench.vendors.grammar import Form, forms_of
from netopsbench.vendors.names import NAMES, InterfaceNames, Need, Vendor

Facts = TypeVar("Facts", bound=Model)


@dataclass(frozen=True)
class View:
    """Through which a renderer looks: whose device it is and what was asked."""

    device: str
    vendor: Vendor
    words: tuple[str, ...] = ()
    """The command in full."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Blank to value, interfaces by the kernel's name."""
    vendors: Mapping[str, Vendor] = field(default_factory=dict)
    """Of all devices: neighbours have their own names for their ports."""

    @property
    def names(self) -> InterfaceNames:
        return NAMES[self.vendor]

    def says(self, word: str) -> bool:
        """Whether a word stands in the command."""
        return word in self.words

    @property
    def forbids_fragments(self) -> bool:
        """Whether a ping is not to be cut into fragments."""
        return self.says("df-bit") or self.says("-f")

    def port_of(self, device: str, native: str) -> str:
        """Another device's interface as that device calls it."""
        return NAMES[self.vendors.get(device, "linux")].of(native)


class Look(Protocol):
    """Where facts about one device come from: the running device, or a test."""

    def look(self, want: type[Facts], view: View) -> Facts:
        """Raises ToolError when the device doesn't tell."""
        ...


Answer = Callable[[Look, View], str]


@dataclass(frozen=True, eq=False)
class Command:
    """One row of the table."""

    vendor: Vendor
    need: Need
    pattern: str
    forms: tuple[Form, ...]
    answer: Answer
    """Asks for facts and lays them out."""
    facts: type[Model]


@dataclass(frozen=True, eq=False)
class Row:
    """A need in a vendor's words, before it is known which vendor."""

    need: Need
    patterns: Sequence[str]
    facts: type[Model]
    answer: Answer

    def commands(self, vendor: Vendor) -> list[Command]:
        """The row as commands of a vendor."""
        return [
            Command(vendor, self.need, pattern, forms_of(pattern), self.answer, self.facts) for pattern in self.patterns
        ]


def row(need: Need, patterns: Sequence[str], facts: type[Facts], render: Callable[[Facts, View], str]) -> Row:
    """A need, the forms of its commands, the facts that answer it and their layout."""
    return Row(need, patterns, facts, lambda source, view: render(source.look(facts, view), view))
