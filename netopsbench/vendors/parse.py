"""What somebody typed, as a command of the table: words abbreviated, blanks filled, mistakes placed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from netopsbench.core.errors import NetopsbenchError
from netopsbench.vendors.grammar import Blank, Element, Form, Word, filled
from netopsbench.vendors.names import InterfaceNames

LONGEST_LINE = 256
"""Characters of a command."""
_TOKEN = re.compile(r"[^\s\"']+")
_SLOT = re.compile(r"\d+(/\d+)*(\.\d+)?")

Mistake = Literal["unrecognized", "ambiguous", "incomplete", "parameter", "too_many"]
Owner = TypeVar("Owner")


@dataclass(frozen=True)
class Token:
    """A word as it was typed."""

    text: str
    column: int
    """From 0."""


class CommandMistakeError(NetopsbenchError):
    """A line that is no command."""

    def __init__(self, kind: Mistake, tokens: Sequence[Token], position: int, column: int) -> None:
        self.kind: Mistake = kind
        self.tokens = tuple(tokens)
        self.position = position
        """Which token is wrong, from 0; their number when something is missing at the end."""
        self.column = column
        """Where in the line, from 0."""
        self.matches: tuple[str, ...] = ()
        """The words that an ambiguous abbreviation may stand for."""
        self.reached: tuple[object, ...] = ()
        """Owners of the commands that the line could have become up to there."""
        super().__init__(f"{kind} at {column}")


@dataclass(frozen=True)
class Candidate(Generic[Owner]):
    """A form that fits what was typed so far."""

    owner: Owner
    form: Form
    words: tuple[str, ...] = ()
    """As they would be written in full."""
    filled: tuple[tuple[str, str], ...] = ()
    """Blank to value."""

    @property
    def rest(self) -> Form:
        return self.form[len(self.words) :]

    def taking(self, word: str, blank: str | None = None, value: str = "") -> "Candidate[Owner]":
        more = self.filled if blank is None else (*self.filled, (blank, value))
        return Candidate(self.owner, self.form, (*self.words, word), more)


def tokens_of(line: str, names: InterfaceNames) -> list[Token]:
    """The words of a line; `gigabitethernet 0/0/1` is one of them."""
    found = [Token(each[0], each.start()) for each in _TOKEN.finditer(line)]
    joined: list[Token] = []
    for token in found:
        before = joined[-1] if joined else None
        if before is not None and len(joined) > 1 and _SLOT.fullmatch(token.text) and names.is_type(before.text):
            joined[-1] = Token(before.text + token.text, before.column)
        else:
            joined.append(token)
    return joined


def understood(line: str, offered: Sequence[Candidate[Owner]], names: InterfaceNames) -> Candidate[Owner]:
    """The one command that a line is. Raises CommandMistakeError."""
    tokens = tokens_of(line, names)
    alive = _walked(tokens, offered, names)
    whole = [candidate for candidate in alive if not candidate.rest]
    if not whole:
        raise _mistake("incomplete", tokens, len(tokens), alive, len(line.rstrip()))
    return whole[0]


def continued(line: str, offered: Sequence[Candidate[Owner]], names: InterfaceNames) -> list[Candidate[Owner]]:
    """Everything that a line may become. Raises CommandMistakeError."""
    return _walked(tokens_of(line, names), offered, names)


def _walked(
    tokens: Sequence[Token], offered: Sequence[Candidate[Owner]], names: InterfaceNames
) -> list[Candidate[Owner]]:
    alive = list(offered)
    for position, token in enumerate(tokens):
        open_ = [candidate for candidate in alive if candidate.rest]
        if not open_:
            raise _mistake("too_many", tokens, position, alive, token.column)
        by_word = _by_word(open_, token.text.lower())
        if len({candidate.words[-1] for candidate in by_word}) > 1:
            ambiguous = _mistake("ambiguous", tokens, position, alive, token.column)
            ambiguous.matches = tuple(sorted({candidate.words[-1] for candidate in by_word}))
            raise ambiguous
        following = by_word or [taken for candidate in open_ for taken in _in_blank(candidate, token.text, names)]
        if not following:
            kind: Mistake = "parameter" if _all_blank(open_) else "unrecognized"
            raise _mistake(kind, tokens, position, alive, token.column)
        alive = following
    return alive


def _by_word(candidates: Sequence[Candidate[Owner]], typed: str) -> list[Candidate[Owner]]:
    """Those whose next word the typed one is or abbreviates; a word in full wins."""
    words = [(candidate, word) for candidate in candidates if isinstance(word := candidate.rest[0], Word)]
    exact = [(candidate, word) for candidate, word in words if typed in map(str.lower, word.spellings)]
    begun = [
        (candidate, word)
        for candidate, word in words
        if any(spelling.lower().startswith(typed) for spelling in word.spellings)
    ]
    return [candidate.taking(word.text) for candidate, word in exact or begun]


def _in_blank(candidate: Candidate[Owner], typed: str, names: InterfaceNames) -> list[Candidate[Owner]]:
    blank: Element = candidate.rest[0]
    if not isinstance(blank, Blank):
        return []
    value = filled(blank, typed, names)
    if value is None:
        return []
    is_interface = blank.name in ("interface", "source") and names.native(typed) == value
    return [candidate.taking(names.of(value) if is_interface else value, blank.name, value)]


def _all_blank(candidates: Sequence[Candidate[Owner]]) -> bool:
    return all(isinstance(candidate.rest[0], Blank) for candidate in candidates)


def _mistake(
    kind: Mistake, tokens: Sequence[Token], position: int, alive: Sequence[Candidate[Owner]], column: int
) -> CommandMistakeError:
    mistake = CommandMistakeError(kind, tokens, position, column)
    mistake.reached = tuple({candidate.owner for candidate in alive})
    return mistake
