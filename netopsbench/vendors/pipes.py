"""What may follow a command behind `|`: only the lines that somebody wants to see."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from netopsbench.vendors.names import Vendor
from netopsbench.vendors.patterns import Pattern, PatternError, pattern_of

Way = Literal["include", "exclude", "begin"]

_OPERATORS = "|+?(){}"
"""Of patterns of `grep -E`; plain `grep` has them behind a backslash, and the characters themselves without."""
_GREP_OPTIONS = re.compile(r"-[ivE]+")
_NO_BAR = re.compile(r"\"[^\"]*\"|'[^']*'|\\.")
_CUT = re.compile(r"\|(?=\s|grep\s)|(?<=\s)\|")


class PipeMistakeError(ValueError):
    """What follows a `|` can't be understood; `column` is where in the line, from 0."""

    def __init__(self, column: int) -> None:
        self.column = column
        super().__init__(f"at {column}")


@dataclass(frozen=True)
class Pipe:
    """One filter."""

    way: Way
    pattern: Pattern

    def passed(self, lines: Sequence[str]) -> list[str]:
        """The lines that come through."""
        matches = [self.pattern.is_in(line) for line in lines]
        if self.way == "begin":
            return list(lines[matches.index(True) :]) if True in matches else []
        return [line for line, matched in zip(lines, matches, strict=True) if matched == (self.way == "include")]


def split(line: str, vendor: Vendor) -> tuple[str, tuple[Pipe, ...]]:
    """The command itself, and its filters in order. Raises PipeMistakeError."""
    if "|" not in line:
        return line, ()
    command, *filters = _parts(line)
    if vendor in ("huawei", "h3c", "cisco", "arista", "frr") and len(filters) > 1:
        raise PipeMistakeError(filters[1][1])
    return command[0], tuple(_pipe(text, column, vendor) for text, column in filters)


def _parts(line: str) -> list[tuple[str, int]]:
    """Parts between bars, each with its first column.

    The first bar ends the command; of the others one inside of quotes or a word, or behind a backslash, belongs to a
    pattern.
    """
    bare = _unquoted(line)
    first = bare.find("|")
    cuts = [found.start() for found in _CUT.finditer(bare) if found.start() >= first]
    cuts = sorted({first, *cuts} - {-1})
    ends = [*cuts, len(line)]
    starts = [0, *(cut + 1 for cut in cuts)]
    return [(line[start:end], start) for start, end in zip(starts, ends, strict=True)]


def _unquoted(line: str) -> str:
    return _NO_BAR.sub(lambda found: "_" * len(found[0]), line)


def _pipe(text: str, column: int, vendor: Vendor) -> Pipe:
    column += len(text) - len(text.lstrip())
    word, _, rest = text.strip().partition(" ")
    wanted = rest.strip()
    if word == "grep":
        if vendor not in ("linux", "sonic", "frr", "arista"):
            raise PipeMistakeError(column)
        return _grep(wanted, column)
    if vendor in ("linux", "sonic") or not word:
        raise PipeMistakeError(column)
    ways: tuple[Way, ...] = ("include", "exclude", "begin")
    chosen = [way for way in ways if way.startswith(word.lower())]
    if not chosen or not wanted:
        raise PipeMistakeError(column if not chosen else column + len(text.strip()))
    return Pipe(chosen[0], _pattern(_bare(wanted), column + len(word) + 1))


def _grep(rest: str, column: int) -> Pipe:
    options = ""
    words = rest.split()
    while words and _GREP_OPTIONS.fullmatch(words[0]):
        options += words.pop(0)
    if not words:
        raise PipeMistakeError(column + len("grep ") + len(rest))
    wanted = _bare(" ".join(words))
    pattern = _pattern(
        wanted if "E" in options else _extended(wanted), column + len("grep "), ignores_case="i" in options
    )
    return Pipe("exclude" if "v" in options else "include", pattern)


def _extended(basic: str) -> str:
    """A pattern of plain `grep` in the language of `grep -E`."""

    def swapped(found: "re.Match[str]") -> str:
        if found[0][-1] not in _OPERATORS:
            return found[0]
        return found[0][1:] if len(found[0]) == 2 else f"\\{found[0]}"

    return re.sub(r"\\?.", swapped, basic)


def _bare(text: str) -> str:
    """Without quotes around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _pattern(text: str, column: int, *, ignores_case: bool = False) -> Pattern:
    try:
        return pattern_of(text, ignores_case=ignores_case)
    except PatternError as wrong:
        raise PipeMistakeError(column) from wrong
