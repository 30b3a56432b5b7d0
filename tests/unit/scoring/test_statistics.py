import pytest
from hypothesis import given
from hypothesis import strategies as st

from netopsbench.scoring.statistics import average, bootstrap_interval, macro_average, rate, wilson_interval


@pytest.mark.parametrize(
    ("share", "cases", "low", "high"),
    [
        # Textbook values of Wilson's interval.
        (0.5, 10, 0.2366, 0.7634),
        (0.8, 10, 0.4902, 0.9433),
        (0.0, 10, 0.0, 0.2775),
        (1.0, 6, 0.6097, 1.0),
    ],
)
def test_wilson_interval_has_the_textbook_values(share, cases, low, high):
    assert wilson_interval(share, cases) == pytest.approx((low, high), abs=5e-4)


@given(st.floats(0, 1), st.integers(1, 500))
def test_wilson_interval_holds_its_share_and_stays_a_share(share, cases):
    low, high = wilson_interval(share, cases)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1


def test_repeats_of_a_case_count_as_one_case():
    once = rate([("c1", 1.0), ("c2", 0.0)])
    often = rate([("c1", 1.0)] * 50 + [("c2", 0.0)])
    assert once == often
    assert often is not None
    assert (often.cases, often.value) == (2, 0.5)


def test_few_cases_get_wilson_and_twenty_get_the_bootstrap():
    values = [(f"c{index}", float(index % 2)) for index in range(20)]
    few, many = average(values[:19]), average(values)
    assert few is not None
    assert many is not None
    assert (few.method, many.method) == ("wilson", "bootstrap")
    # The standard error of 20 coin flips is 0.112; two-sided 95 % is about ±0.22.
    assert (many.low, many.high) == pytest.approx((0.28, 0.72), abs=0.04)


def test_twenty_equal_cases_still_have_an_interval_with_a_width():
    perfect = average([(f"c{index}", 1.0) for index in range(20)])
    assert perfect is not None
    assert (perfect.method, perfect.high) == ("wilson", 1.0)
    assert perfect.low == pytest.approx(0.8389, abs=5e-4)


def test_bootstrap_is_the_same_every_time():
    means = [index / 30 for index in range(30)]
    assert bootstrap_interval(means) == bootstrap_interval(means)


def test_order_of_trials_doesnt_change_an_average():
    values = [(f"c{index % 25}", (index * 7 % 10) / 10) for index in range(60)]
    assert average(values) == average(reversed(values))


def test_nothing_has_no_mean():
    assert rate([]) is None
    assert average([]) is None
    assert macro_average({}) is None


def test_each_scale_counts_once():
    assert macro_average({"xs": 1.0, "large": 0.0}) == 0.5
