"""Patterns behind `| include` and `grep`: what they find, and how much work they may make."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netopsbench.vendors import patterns
from netopsbench.vendors.patterns import LONGEST_PATTERN, PatternError, pattern_of
from netopsbench.vendors.pipes import PipeMistakeError, split

ATOMS = st.sampled_from(["a", "b", "~", ".", "[ab]", "[^ab]", "[a-c]", r"\.", r"\d", r"\W", "-"])
REPEATED = st.tuples(ATOMS, st.sampled_from(["", "", "*", "+", "?"])).map("".join)
SEQUENCE = st.lists(REPEATED, max_size=5).map("".join)
CHOICE = st.lists(SEQUENCE, min_size=1, max_size=3).map("|".join)
GROUPED = st.tuples(SEQUENCE, CHOICE, st.sampled_from(["", "*", "+", "?"]), SEQUENCE).map(
    lambda part: f"{part[0]}({part[1]}){part[2]}{part[3]}"
)
ANCHORED = st.tuples(st.sampled_from(["", "^"]), SEQUENCE | GROUPED, st.sampled_from(["", "$"])).map("".join)
PATTERNS = (CHOICE | GROUPED | ANCHORED).filter(lambda text: len(text) <= LONGEST_PATTERN)
LINES = st.text("abcAB~.1 -", max_size=12)


@given(PATTERNS, LINES, st.booleans())
@settings(max_examples=600, deadline=None)
def test_a_line_is_found_exactly_when_python_finds_it(text: str, line: str, ignores_case: bool) -> None:
    wanted = re.search(text, line, re.IGNORECASE if ignores_case else 0) is not None
    assert pattern_of(text, ignores_case=ignores_case).is_in(line) == wanted


def steps_of(work: Callable[[], object]) -> int:
    """Lines of the module that run while something is done."""
    count = 0

    def traced(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename != patterns.__file__:
            return None
        count += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@given(PATTERNS, st.text("ab~.1", min_size=1, max_size=6), st.integers(10, 60))
@settings(max_examples=60, deadline=None)
def test_twice_the_line_is_at_most_about_twice_the_work(text: str, piece: str, times: int) -> None:
    pattern = pattern_of(text)
    line = piece * times
    # What a place leads to is worked out at most once for each character.
    assert steps_of(lambda: pattern.is_in(line)) <= (12 + 5 * len(pattern.tests)) * (len(line) + 2)


@pytest.mark.parametrize("text", ["[^~]*[^~]*[^~]*~", ".*.*.*~", "(a*)*~", "(a+)+b", "(a|a)*~", ".*" * 39 + "~"])
def test_what_keeps_other_matchers_busy_takes_one_look_at_each_character(text: str) -> None:
    pattern = pattern_of(text)
    assert steps_of(lambda: pattern.is_in("a" * 5_000)) <= 15 * 5_000


@pytest.mark.parametrize("text", ["[", "[]", "(a", "a)", "*", "a**", "a{2}", "\\", r"\1", "[b-a]", "[[:digit:]]"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(PatternError):
        pattern_of(text)


def test_a_pattern_has_a_longest_length() -> None:
    assert pattern_of("a" * LONGEST_PATTERN).is_in("a" * LONGEST_PATTERN)
    with pytest.raises(PatternError, match="at most 80 characters"):
        pattern_of("a" * (LONGEST_PATTERN + 1))


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (r"show x | include 10\.0", ["10.0.0.1"]),
        (r"show x|include 10\.0", ["10.0.0.1"]),
        ("show x |exclude (10|20)", ["Gi0/1 up"]),
        (r"show x | include 10.0|Gi", ["10.0.0.1", "1010", "Gi0/1 up"]),
        ("show x | begin 1010", ["1010", "2020", "Gi0/1 up"]),
        ("show x | include [0-9]+/[0-9]+ up$", ["Gi0/1 up"]),
    ],
)
def test_a_pipe_needs_no_blanks_and_knows_escapes(line: str, kept: list[str]) -> None:
    command, (pipe,) = split(line, "cisco")
    assert command.strip() == "show x"
    assert pipe.passed(["10.0.0.1", "1010", "2020", "Gi0/1 up"]) == kept


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (r"ip a | grep 'a\|b'", ["a", "b"]),
        ("ip a|grep -E 'a|b'", ["a", "b"]),
        ("ip a | grep [ab]|grep -v b", ["a"]),
        ("ip a | grep 'x|y'", ["x|y"]),
        ("ip a | grep {", ["if {"]),
        ("ip a | grep -Ei '^(A|IF)'", ["a", "if {"]),
    ],
)
def test_grep_has_its_own_two_languages(line: str, kept: list[str]) -> None:
    shown = ["a", "b", "x|y", "if {"]
    command, pipes = split(line, "linux")
    for pipe in pipes:
        shown = pipe.passed(shown)
    assert (command.strip(), shown) == ("ip a", kept)


@pytest.mark.parametrize("line", ["show x |", "show x || include a", "show x | include a | include b"])
def test_a_filter_too_many_or_too_few_is_a_mistake(line: str) -> None:
    with pytest.raises(PipeMistakeError):
        split(line, "cisco")
