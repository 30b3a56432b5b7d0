"""The price list says where it has its prices from, and says nothing of models that it doesn't know."""

import pytest

from netopsbench.agent.options import Prices
from netopsbench.agent.prices import Tokens, cost_usd, price_list, price_of

NONE_GIVEN = Prices()


def test_every_price_was_read_somewhere_at_some_time() -> None:
    listed = price_list()
    assert {price.source for price in listed.models.values()} == set(listed.sources)
    assert all("https://" in where and "checked on 20" in where for where in listed.sources.values())


def test_reading_from_a_cache_costs_less_than_input_and_writing_to_it_more() -> None:
    for model, price in price_list().models.items():
        assert price.cache_read < price.input < price.cache_write < price.output, model


def test_a_release_of_a_model_costs_what_the_model_costs() -> None:
    found = price_of("claude-opus-4-1-20250805", NONE_GIVEN)
    assert found is not None
    assert (found.input, found.output, found.version) == (15, 75, price_list().version)


@pytest.mark.parametrize("model", ["claude-opus-99", "gpt-5", "claude", "", "claude-sonnet-4-5-turbo"])
def test_a_model_that_is_not_listed_costs_an_unknown_sum_and_not_nothing(model: str) -> None:
    price = price_of(model, NONE_GIVEN)
    assert price is None
    assert cost_usd(Tokens(input=1000, output=10), price) is None


def test_cached_tokens_are_paid_at_their_own_rate() -> None:
    price = price_of("claude-sonnet-4-5", NONE_GIVEN)
    cost = cost_usd(Tokens(input=1438, cache_read=24540, output=0), price)
    assert cost == pytest.approx((1438 * 3 + 24540 * 0.3) / 1e6)
