"""What the model of an agent costs: what was given with the agent, else what a list says."""

from pathlib import Path

from netopsbench.agent.options import Prices
from netopsbench.records.prices import Price, listed_price

GIVEN = "given with the agent"
"""Version of prices that the user named without saying where they are from."""


def price_of(model: str, given: Prices) -> Price | None:
    """The price of a model; None when nobody knows it. Raises SpecError for a list that can't be read."""
    if given.input_usd is None or given.output_usd is None:
        return listed_price(model, None if given.prices is None else Path(given.prices))
    return Price(
        input=given.input_usd,
        cache_write=given.input_usd if given.cache_write_usd is None else given.cache_write_usd,
        cache_read=given.input_usd if given.cached_usd is None else given.cached_usd,
        output=given.output_usd,
        version=given.price_version or GIVEN,
    )


def told(price: Price) -> dict[str, float | str]:
    """A price as options, for a process that can't read the list it stands in."""
    return {
        "input_usd": price.input,
        "cache_write_usd": price.cache_write,
        "cached_usd": price.cache_read,
        "output_usd": price.output,
        "price_version": price.version,
    }
