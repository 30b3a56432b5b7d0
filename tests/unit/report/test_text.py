import pytest

from netopsbench.report.text import natural, one_line, percent, pretty_json, printable, seconds


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\x00b\x9bc", "a\\x00b\\x9bc"),
        ("safe \u202etxet", "safe \\u202etxet"),
        ("half \ud83d", "half \\ud83d"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("back\rwards", "back\\x0dwards"),
        ("Zürich 😀", "Zürich 😀"),
    ],
)
def test_what_could_steer_a_screen_is_made_visible(raw, shown):
    assert printable(raw) == shown
    assert printable(shown) == shown


def test_one_line_is_one_line_and_says_when_it_is_cut():
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("x" * 300, limit=10) == "x" * 10 + "…"


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0 %"), (0.001, "<1 %"), (0.625, "62 %"), (0.999, ">99 %"), (1, "100 %"), (None, "–")],
)
def test_percent_keeps_nothing_and_everything_apart_from_almost(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("elapsed_s", "words"), [(0.034, "34 ms"), (0.0996, "0.10 s"), (1.42, "1.42 s"), (95.25, "95.2 s")]
)
def test_durations_carry_their_unit(elapsed_s, words):
    assert seconds(elapsed_s) == words


def test_names_are_sorted_as_people_count():
    assert sorted(["leaf10", "leaf2", "spine1", "leaf"], key=natural) == ["leaf", "leaf2", "leaf10", "spine1"]
    assert natural("9" * 5000)


def test_results_that_are_no_json_stay_as_they_are():
    assert pretty_json('{"a":1}') == '{\n  "a": 1\n}'
    for text in ('{"a": cut', "[" * 100_000, "9" * 5000):
        assert pretty_json(text) == text
