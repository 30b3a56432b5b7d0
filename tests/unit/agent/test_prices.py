"""The price list says where it has its prices from, and says nothing of models that it doesn't know."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from netopsbench.agent.models.prices import GIVEN, price_of
from netopsbench.agent.options import Prices
from netopsbench.agent.programs.starting import program_for
from netopsbench.core.errors import SpecError
from netopsbench.records.prices import Tokens, cost_usd, price_list

NONE_GIVEN = Prices()


def test_every_price_was_read_somewhere_at_some_time() -> None:
    listed = price_list()
    assert {price.source for price in listed.models.values()} == set(listed.sources)
    assert all("https://" in where and "checked on 20" in where for where in listed.sources.values())


def test_reading_from_a_cache_costs_less_than_input_and_writing_to_it_more() -> None:
    for model, price in price_list().models.items():
        assert price.cache_read is not None, model
        assert price.cache_write is not None, model
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


def own_list(folder: Path, **models: dict[str, object]) -> str:
    """A list of the user's own."""
    whole = {"version": "2026-11-02", "sources": {"offer": "offer 17, 2026-11-01"}, "models": models}
    path = folder / "mine.json"
    path.write_text(json.dumps(whole))
    return str(path)


def test_a_list_of_ones_own_goes_first_and_says_where_its_prices_are_from(tmp_path: Path) -> None:
    mine = own_list(tmp_path, **{"qwen": {"input": 0.2, "cache_read": 0.05, "output": 0.6, "source": "offer"}})
    price = price_of("qwen", Prices(prices=mine))
    assert price is not None
    assert (price.version, price.source) == ("2026-11-02, own list", "offer 17, 2026-11-01")
    cost = cost_usd(Tokens(input=1000, cache_write=500, cache_read=2000, output=100), price)
    assert cost == pytest.approx((1500 * 0.2 + 2000 * 0.05 + 100 * 0.6) / 1e6)


def test_what_ones_own_list_does_not_know_stands_in_the_other(tmp_path: Path) -> None:
    mine = Prices(prices=own_list(tmp_path))
    assert price_of("claude-sonnet-4-5", mine) == price_of("claude-sonnet-4-5", NONE_GIVEN)
    assert price_of("qwen", mine) is None


def test_mistakes_in_ones_own_list_are_told_all_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"version": "today", "sources": {}, "models": {"m": {"input": -1, "source": "x"}}}))
    with pytest.raises(SpecError) as refused:
        price_of("m", Prices(prices=str(path)))
    assert {problem.key for problem in refused.value.problems} == {"version", "models.m.input", "models.m.output"}


def test_a_price_without_a_source_in_the_list_is_refused(tmp_path: Path) -> None:
    mine = own_list(tmp_path, m={"input": 1, "output": 2, "source": "hearsay"})
    with pytest.raises(SpecError, match="doesn't say what 'hearsay' is"):
        price_of("m", Prices(prices=mine))


def test_a_list_that_is_not_there_is_told_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="a price list as JSON"):
        program_for("openai-compatible", {"base_url": "http://h/v1", "model": "m", "prices": "/nowhere/p.json"})


def test_the_agent_is_told_its_price_because_it_does_not_see_the_list(tmp_path: Path) -> None:
    mine = own_list(tmp_path, m={"input": 1, "output": 2, "source": "offer"})
    argv = program_for("openai-compatible", {"base_url": "http://h/v1", "model": "m", "prices": mine}).argv
    inside = json.loads(argv[-1])
    assert "prices" not in inside
    found = price_of("m", Prices.model_validate({name: inside[name] for name in inside.keys() & Prices.model_fields}))
    assert found is not None
    assert (found.input, found.cache_read, found.output, found.version) == (1, 1, 2, "2026-11-02, own list")


def test_prices_given_with_the_agent_say_where_they_were_read_when_the_user_does() -> None:
    plain = price_of("m", Prices(input_usd=1, output_usd=2))
    dated = price_of("m", Prices(input_usd=1, output_usd=2, price_version="offer 17 of 2026-11-01"))
    assert plain is not None
    assert dated is not None
    assert (plain.version, dated.version) == (GIVEN, "offer 17 of 2026-11-01")


@pytest.mark.parametrize(
    "given", [{"input_usd": 1}, {"output_usd": 1}, {"cached_usd": 1}, {"input_usd": 1, "output_usd": 1, "prices": "f"}]
)
def test_half_a_price_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Prices.model_validate(given)
