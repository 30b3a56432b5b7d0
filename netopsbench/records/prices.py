"""What tokens cost, by a list with a version; a model that isn't in it costs an unknown sum, never nothing."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.model import Model

_DATE = re.compile(r"-(\d{8}|latest)$")
"""What follows the name of a model where one of its releases is meant."""
_OWN = ", own list"
"""Follows the version of a list that the user gave."""


class Price(Model):
    """US dollars per million tokens, with where they were read."""

    input: float
    cache_write: float
    cache_read: float
    output: float
    version: str = ""
    """Date of the list, or what the user calls the price."""
    source: str = ""
    """Where it was read, and when; empty where the user didn't say."""


class ListedPrice(Model):
    """A price in a list."""

    input: float = Field(ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    """None where writing to a cache costs what input costs."""
    cache_read: float | None = Field(default=None, ge=0)
    """None where cached input costs what input costs."""
    output: float = Field(ge=0)
    source: str
    """A key of the list's sources."""


class PriceList(Model):
    """`prices.json`, or a list of the user's own in the same shape."""

    version: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    """Date on which it was compared with its sources."""
    unit: Literal["US dollars per million tokens"] = "US dollars per million tokens"
    note: str = ""
    sources: dict[str, str]
    """Where prices were read, and when."""
    models: dict[str, ListedPrice]

    @model_validator(mode="after")
    def _sources_are_told(self) -> "PriceList":
        lost = sorted({price.source for price in self.models.values()} - self.sources.keys())
        if lost:
            raise ValueError(f"`sources` doesn't say what {', '.join(map(repr, lost))} is")
        return self


@dataclass(frozen=True)
class Tokens:
    """Tokens of one reply, each counted in one class only; None is not told."""

    input: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None
    output: int | None = None


@cache
def price_list() -> PriceList:
    """The prices that come along."""
    return PriceList.model_validate_json(resources.files("netopsbench.records").joinpath("prices.json").read_bytes())


def read_price_list(path: Path) -> PriceList:
    """A list of the user's own. Raises SpecError with every mistake in it."""
    try:
        return PriceList.model_validate_json(path.read_bytes())
    except OSError as gone:
        raise SpecError([Problem("prices", "", str(path), f"a price list as JSON ({gone.strerror})")]) from gone
    except ValidationError as wrong:
        problems = [
            Problem(str(path), ".".join(map(str, each["loc"])), _shown(each["input"]), each["msg"])
            for each in wrong.errors()
        ]
        raise SpecError(problems) from wrong


def listed_price(model: str, own: Path | None = None) -> Price | None:
    """The price of a model: by the user's own list, else by the one that comes along, else None.

    Raises SpecError for an own list that can't be read.
    """
    found = None if own is None else _found(model, read_price_list(own), _OWN)
    return found or _found(model, price_list())


def _found(model: str, listed: PriceList, mark: str = "") -> Price | None:
    price = listed.models.get(model) or listed.models.get(_DATE.sub("", model))
    if price is None:
        return None
    return Price(
        input=price.input,
        cache_write=price.input if price.cache_write is None else price.cache_write,
        cache_read=price.input if price.cache_read is None else price.cache_read,
        output=price.output,
        version=f"{listed.version}{mark}",
        source=listed.sources[price.source],
    )


def cost_usd(tokens: Tokens, price: Price | None) -> float | None:
    """What a reply cost; None without a price, or when the provider didn't count input and output."""
    if price is None or tokens.input is None or tokens.output is None:
        return None
    parts = (
        (tokens.input, price.input),
        (tokens.cache_write or 0, price.cache_write),
        (tokens.cache_read or 0, price.cache_read),
        (tokens.output, price.output),
    )
    return sum(count * usd for count, usd in parts) / 1e6


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
