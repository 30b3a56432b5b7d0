"""Options that are numbers: their help tells the bounds, and so do the errors, with what was typed."""

from collections.abc import Callable
from typing import Any

import typer

from netopsbench.campaign.limits import LONGEST_S, MOST


def seconds(words: str, *names: str, least: float = 1.0, most: float = LONGEST_S) -> Any:
    """An option for so many seconds."""
    return _bounded(words, names, least, most)


def count(words: str, *names: str, least: int = 1, most: int = MOST) -> Any:
    """An option for a number of things."""
    return _bounded(words, names, least, most)


def share(words: str, *names: str) -> Any:
    """An option for a figure from 0 to 1."""
    return _bounded(words, names, 0, 1)


def _bounded(words: str, names: tuple[str, ...], least: float, most: float) -> Any:
    told = f"{least:g} to {most:.0f}"
    # The bounds that typer knows itself are told by its errors without what was typed.
    return typer.Option(*names, callback=_checked(least, most, told), help=f"{words} From {told}.")


def _checked(least: float, most: float, told: str) -> Callable[[float | None], float | None]:
    def checked(value: float | None) -> float | None:
        # A figure that is no number ("nan") is on neither side of a bound.
        if value is None or least <= value <= most:
            return value
        raise typer.BadParameter(f"{value} is not from {told}")

    return checked
