"""Options that are numbers, each with the bounds that its errors name."""

import math
from typing import Any

import typer

LONGEST_S = 604_800.0
"""A week. Clocks and sockets of the system refuse much longer waits."""
MOST = 1_000_000


def seconds(words: str, *names: str, least: float = 1.0) -> Any:
    """An option for so many seconds."""
    return typer.Option(*names, min=least, max=LONGEST_S, callback=_is_number, help=words)


def count(words: str, *names: str, most: int = MOST) -> Any:
    """An option for a number of things, one at least."""
    return typer.Option(*names, min=1, max=most, help=words)


def share(words: str, *names: str) -> Any:
    """An option for a figure from 0 to 1."""
    return typer.Option(*names, min=0, max=1, callback=_is_number, help=words)


def _is_number(value: float | None) -> float | None:
    # Nothing is less than "nan", so that it slips through every bound.
    if value is not None and math.isnan(value):
        raise typer.BadParameter(f"{value} is no number")
    return value
