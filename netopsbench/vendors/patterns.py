"""Patterns behind `| include` and `grep`, searched for in one pass over a line.

A pattern becomes an automaton (Glushkov's) whose places are followed all at once, as bits of a number. Python's own
`re` tries one way after the other, which takes minutes for `.*.*.*~` on a long line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

LONGEST_PATTERN = 80
_MOST_REMEMBERED = 2_000
_LINE_BEGINS, _LINE_ENDS = "\n", "\r"
"""Stand before and behind a line for `^` and `$`; no line holds one."""
_REPEATS = "*+?"
_CLASSES: dict[str, Callable[[str], bool]] = {
    "d": str.isdecimal,
    "s": str.isspace,
    "w": lambda char: char.isalnum() or char == "_",
}

Test = Callable[[str], bool]
"""Whether a character may stand at a place."""


class Pattern:
    """Places of a pattern's characters, and which may follow which. Threads may share one."""

    def __init__(self) -> None:
        self.tests: list[Test] = []
        self.follow: list[int] = []
        """By place: those that may come next."""
        self.first = self.last = 0
        """Where the whole may begin and end."""
        self.may_be_empty = True
        self._next: dict[int, int] = {}
        self._fits: dict[str, int] = {}

    def is_in(self, line: str) -> bool:
        """Whether a piece of a line is as the pattern says."""
        if self.may_be_empty:
            return True
        places = 0
        for char in (_LINE_BEGINS, *line, _LINE_ENDS):
            places = (self._after(places) | self.first) & self._fitting(char)
            if places & self.last:
                return True
        return False

    def _after(self, places: int) -> int:
        """All places that may come after some."""
        known = self._next.get(places)
        if known is None:
            known, rest = 0, places
            while rest:
                known |= self.follow[(rest & -rest).bit_length() - 1]
                rest &= rest - 1
            # There may be more sets of places than memory should hold.
            if len(self._next) < _MOST_REMEMBERED:
                self._next[places] = known
        return known

    def _fitting(self, char: str) -> int:
        """All places at which a character may stand."""
        known = self._fits.get(char)
        if known is None:
            known = sum(1 << place for place, test in enumerate(self.tests) if test(char))
            if len(self._fits) < _MOST_REMEMBERED:
                self._fits[char] = known
        return known


class PatternError(ValueError):
    """A text that is no pattern."""


def pattern_of(text: str, *, ignores_case: bool = False) -> Pattern:
    """A pattern of characters, `.`, `[…]`, `^`, `$`, `|`, `(…)`, `*`, `+`, `?` and `\\`. Raises PatternError."""
    if len(text) > LONGEST_PATTERN:
        raise PatternError(f"a pattern has at most {LONGEST_PATTERN} characters")
    reader = _Reader(text, ignores_case)
    whole = reader.alternatives()
    if reader.is_left:
        raise PatternError(f"{text!r}: `)` closes nothing")
    found = reader.pattern
    found.first, found.last, found.may_be_empty = whole.first, whole.last, whole.may_be_empty
    return found


@dataclass(frozen=True)
class _Part:
    """Where a part of a pattern may begin and end."""

    first: int = 0
    last: int = 0
    may_be_empty: bool = True


class _Reader:
    """Reads a text from left to right and numbers the places of its characters."""

    def __init__(self, text: str, ignores_case: bool) -> None:
        self.pattern = Pattern()
        self._text = text
        self._at = 0
        self._ignores_case = ignores_case

    @property
    def is_left(self) -> bool:
        return self._at < len(self._text)

    def alternatives(self) -> _Part:
        """Parts between bars, up to the end or to the bracket that closes them."""
        part = self._sequence()
        while self._skip("|"):
            other = self._sequence()
            is_empty = part.may_be_empty or other.may_be_empty
            part = _Part(part.first | other.first, part.last | other.last, is_empty)
        return part

    def _sequence(self) -> _Part:
        part = _Part()
        while self.is_left and self._text[self._at] not in "|)":
            following = self._repeated(self._element())
            self._connect(part.last, following.first)
            part = _Part(
                part.first | (following.first if part.may_be_empty else 0),
                following.last | (part.last if following.may_be_empty else 0),
                part.may_be_empty and following.may_be_empty,
            )
        return part

    def _repeated(self, part: _Part) -> _Part:
        if not self.is_left or self._text[self._at] not in _REPEATS:
            return part
        repeat = self._taken()
        if repeat in "*+":
            self._connect(part.last, part.first)
        return _Part(part.first, part.last, part.may_be_empty or repeat in "*?")

    def _element(self) -> _Part:
        char = self._taken()
        if char == "(":
            part = self.alternatives()
            if not self._skip(")"):
                self._refuse("`(` is not closed")
            return part
        if char in "^$":
            end = _LINE_BEGINS if char == "^" else _LINE_ENDS
            return self._place(lambda at: at == end)
        if char in "{}" or char in _REPEATS:
            self._refuse(f"`{char}` has nothing to repeat" if char in _REPEATS else f"write `\\{char}`")
        if char == ".":
            return self._place(_inside(lambda at: True))
        return self._place(_inside(self._in_set() if char == "[" else self._told_case(self._one(char))))

    def _in_set(self) -> Test:
        is_negated = self._skip("^")
        tests: list[Test] = []
        while not tests or not self._skip("]"):
            if self._text.startswith("[:", self._at):
                self._refuse("names of sets are not known here")
            tests.append(self._one_or_span())
        in_any = self._told_case(lambda at: any(test(at) for test in tests))
        return (lambda at: not in_any(at)) if is_negated else in_any

    def _one_or_span(self) -> Test:
        low = self._taken()
        if self._text[self._at : self._at + 1] != "-" or self._text[self._at + 1 : self._at + 2] in ("", "]"):
            return self._one(low)
        self._at += 1
        high = self._taken()
        if low > high or "\\" in (low, high):
            self._refuse(f"`{low}-{high}` is no span")
        return lambda at: low <= at <= high

    def _one(self, char: str) -> Test:
        """What a character means, a backslash with the one behind it."""
        if char != "\\":
            return lambda at: at == char
        meant = self._taken()
        if not meant.isalnum():
            return lambda at: at == meant
        test = _CLASSES.get(meant.lower())
        if test is None:
            self._refuse(f"`\\{meant}` has no meaning here")
        return test if meant.islower() else lambda at: not test(at)

    def _told_case(self, test: Test) -> Test:
        return (lambda at: test(at.lower()) or test(at.upper())) if self._ignores_case else test

    def _place(self, test: Test) -> _Part:
        bit = 1 << len(self.pattern.tests)
        self.pattern.tests.append(test)
        self.pattern.follow.append(0)
        return _Part(bit, bit, may_be_empty=False)

    def _connect(self, before: int, after: int) -> None:
        for place in range(len(self.pattern.follow)):
            if before >> place & 1:
                self.pattern.follow[place] |= after

    def _taken(self) -> str:
        if not self.is_left:
            self._refuse("it ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _skip(self, char: str) -> bool:
        is_next = self._text.startswith(char, self._at)
        self._at += is_next
        return is_next

    def _refuse(self, why: str) -> NoReturn:
        raise PatternError(f"{self._text!r}: {why}")


def _inside(test: Test) -> Test:
    """A test of the line's own characters."""
    return lambda at: at not in (_LINE_BEGINS, _LINE_ENDS) and test(at)
