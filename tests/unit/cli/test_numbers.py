"""Every number on the command line has bounds, and one beyond them is told with its bound."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from netopsbench.campaign.recorded import known_cases
from netopsbench.cli.main import app
from netopsbench.cli.replay import find_recording
from netopsbench.replay.bundle import Bundle

CASE = known_cases(Bundle(find_recording("smoke")), ())[0]
HUGE = "9" * 30
ENDLESS = "9" * 5000
"""More digits than Python turns into a number."""


class Number(NamedTuple):
    """An option that takes a number."""

    command: tuple[str, ...]
    option: Any
    required: tuple[str, ...]
    """Words without which the command says that something is missing."""

    @property
    def bounds(self) -> tuple[str, str]:
        """As the help tells them, last."""
        found = re.search(r"From ([\d.]+) to ([\d.]+)\.$", self.option.help)
        assert found, self.option.help
        return found[1], found[2]

    def refusal(self, value: str) -> str:
        """What is said when the option gets this value."""
        # Where a command's words follow, options come first.
        return refused(*self.command, self.option.opts[0], value, *self.required)


def numbers(command: Any, path: tuple[str, ...] = ()) -> Iterator[Number]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from numbers(inner, (*path, name))
    params = [] if hasattr(command, "commands") else command.params
    required = [
        word
        for param in params
        if param.required
        for word in ((param.opts[0], "nop") if param.param_type_name == "option" else ("x",))
    ]
    for param in params:
        if param.type_descriptor.annotation in (int, float):
            yield Number(path, param, tuple(required))


NUMBERS = list(numbers(typer.main.get_command(app)))
EACH = pytest.mark.parametrize("number", NUMBERS, ids=lambda each: f"{' '.join(each.command)} {each.option.opts[0]}")


def refused(*words: str) -> str:
    """What a command says that ends with exit code 2, without a traceback."""
    done = CliRunner().invoke(app, words, terminal_width=200)
    assert done.exit_code == 2, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return " ".join(done.stderr.replace("│", " ").split())


def test_the_options_are_found() -> None:
    names = {(" ".join(each.command), each.option.opts[0]) for each in NUMBERS}
    assert {
        ("tickets run", "--wall-time-s"),
        ("benchmark run", "--fail-under"),
        ("fabric exec", "--timeout-s"),
    } <= names


@EACH
def test_a_number_beyond_its_bounds_is_told_with_them(number: Number) -> None:
    least, most = number.bounds
    kind = number.option.type_descriptor.annotation
    for value in ("-1", HUGE) if float(least) <= 0 else ("0", "-1", HUGE):
        wanted = f"'{number.option.opts[0]}': {kind(value)} is not from {least} to {most}"
        assert wanted in number.refusal(value)


@EACH
def test_what_is_no_number_is_told(number: Number) -> None:
    for value in ("many", "nan", ENDLESS):
        assert f"'{number.option.opts[0]}'" in number.refusal(value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        *((("--workers", value), "a number from 1 to 1000, or auto") for value in ("0", "-1", "1001", ENDLESS)),
        *((("--seed", value), "a whole number from 0 on") for value in ("-1", ENDLESS)),
        (("--budget", "calls=0"), "greater than or equal to 1"),
        (("--budget", "calls=-1"), "greater than or equal to 1"),
        (("--budget", f"calls={HUGE}"), "less than or equal to 1000000"),
        (("--budget", "seconds=inf"), "less than or equal to 604800"),
        (("--budget", "seconds=nan"), "seconds"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, tuple) else None,
)
def test_words_with_numbers_in_them_have_bounds_too(words: tuple[str, ...], told: str) -> None:
    assert told in refused("benchmark", "run", "quickstart", "--agent", "nop", "--dry-run", *words)


@pytest.mark.parametrize("address", ["-1", "65536", ENDLESS, "²"])
def test_a_port_that_there_is_not_is_told(address: str) -> None:
    assert "port 0 for any free one" in refused(
        "tools", "serve", "--replay", "smoke", "--case", CASE, "--http", address
    )
