"""What may follow a command behind `|`: only the lines that somebody wants to see."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from netopsbench.vendors.names import Vendor

Way = Literal["include", "exclude", "begin"]

_LONGEST_PATTERN = 80
_MOST_REPEATS = 3
_REPEAT = re.compile(r"[*+]")
_ONLY = re.compile(r"[^(){}?\\]*")
"""Without groups and with few repeats no pattern can keep the matching busy for long."""


class PipeMistakeError(ValueError):
    """What follows a `|` can't be understood; `column` is where in the line, from 0."""

    def __init__(self, column: int) -> None:
        self.column = column
        super().__init__(f"at {column}")


@dataclass(frozen=True)
class Pipe:
    """One filter."""

    way: Way
    pattern: re.Pattern[str]

    def passed(self, lines: Sequence[str]) -> list[str]:
        """The lines that come through."""
        matches = [self.pattern.search(line) is not None for line in lines]
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
    """Parts between bars, each with its first column; a bar inside of quotes or a word belongs to a pattern."""
    cuts = [found.start() for found in re.finditer(r"\|(?=\s)|(?<=\s)\|", _unquoted(line))]
    ends = [*cuts, len(line)]
    starts = [0, *(cut + 1 for cut in cuts)]
    return [(line[start:end], start) for start, end in zip(starts, ends, strict=True)]


def _unquoted(line: str) -> str:
    return re.sub(r"\"[^\"]*\"|'[^']*'", lambda found: "_" * len(found[0]), line)


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
    return Pipe(chosen[0], _pattern(wanted, column + len(word) + 1, 0))


def _grep(rest: str, column: int) -> Pipe:
    way: Way = "include"
    flags = 0
    words = rest.split()
    while words and words[0] in ("-i", "-v", "-E", "-iv", "-vi"):
        option = words.pop(0)
        way = "exclude" if "v" in option else way
        flags |= re.IGNORECASE if "i" in option else 0
    if not words:
        raise PipeMistakeError(column + len("grep ") + len(rest))
    return Pipe(way, _pattern(" ".join(words), column + len("grep "), flags))


def _pattern(text: str, column: int, flags: int) -> re.Pattern[str]:
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    if len(bare) > _LONGEST_PATTERN or len(_REPEAT.findall(bare)) > _MOST_REPEATS or not _ONLY.fullmatch(bare):
        raise PipeMistakeError(column)
    try:
        return re.compile(bare, flags)
    except re.error as wrong:
        raise PipeMistakeError(column) from wrong
