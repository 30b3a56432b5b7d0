"""Whatever somebody sends can be written down and read back, or is named."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from netopsbench.core.model import Model
from netopsbench.core.storable import DEEPEST, storable, unstorable

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
)


class Kept(Model):
    what: Any


def nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = [value]
    return value


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANYTHING)
def test_what_was_made_storable_is_read_back_as_it_was_written(value: Any) -> None:
    kept = storable(value)
    assert unstorable(kept) == ""
    assert Kept.model_validate_json(Kept(what=kept).model_dump_json()).what == kept


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ANYTHING)
def test_what_can_be_stored_stays_as_it_is(value: Any) -> None:
    if not unstorable(value):
        assert storable(value) == value


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("\ud800", "lone surrogate"),
        ({"\ud800": 1}, "lone surrogate"),
        ([float("nan")], "nan"),
        ({"a": [float("-inf")]}, "-inf"),
        (1 << 63, "more than 64 bits"),
        (nested(DEEPEST + 1), "deeper than 32"),
        (b"x", "bytes"),
    ],
)
def test_what_can_not_be_stored_is_named_and_gets_a_mark(value: Any, why: str) -> None:
    assert why in unstorable(value)
    assert unstorable(storable(value)) == ""
    assert storable(value) != value


def test_the_deepest_that_is_kept_is_kept_whole_and_any_depth_is_marked() -> None:
    assert storable(nested(DEEPEST)) == nested(DEEPEST)
    text = json.dumps(storable(nested(100_000 // 200)))
    assert "[nested deeper than 32]" in text
