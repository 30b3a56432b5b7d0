"""What tokens cost, by a list with a version; a model that isn't in it costs an unknown sum, never nothing."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from netopsbench.agent.options import Prices
from netopsbench.core.model import Model

GIVEN = "given with the agent"
"""Version of prices that the user named."""

_DATE = re.compile(r"-(\d{8}|latest)$")
"""What follows the name of a model where one of its releases is meant."""


class Price(Model):
    """US dollars per million tokens."""

    input: float
    cache_write: float
    cache_read: float
    output: float
    version: str = ""


class ListedPrice(Price):
    """A price with where it was read."""

    source: str
    """A key of the list's sources."""


class PriceList(Model):
    """`prices.json`."""

    version: str
    """Date on which it was compared with its sources."""
    unit: str
    note: str
    sources: dict[str, str]
    """Where prices were read, and when."""
    models: dict[str, ListedPrice]


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
    return PriceList.model_validate_json(resources.files("netopsbench.agent").joinpath("prices.json").read_bytes())


def price_of(model: str, given: Prices) -> Price | None:
    """The price of a model: what the user gave, else what the list says, else None."""
    if given.input_usd is not None and given.output_usd is not None:
        return Price(
            input=given.input_usd,
            cache_write=given.input_usd,
            cache_read=given.input_usd if given.cached_usd is None else given.cached_usd,
            output=given.output_usd,
            version=GIVEN,
        )
    listed = price_list()
    found = listed.models.get(_DATE.sub("", model))
    if found is None:
        return None
    return Price(**found.model_dump(exclude={"source", "version"}), version=listed.version)


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
