"""What a check's condition means, rule by rule in the published order."""

import pytest

from netopsbench.tickets.conditions import Kind, holds, in_words, parse_condition

NO_LOSS = "3 packets transmitted, 3 received, 0% packet loss, time 2003ms"
ALL_LOST = "3 packets transmitted, 0 received, 100% packet loss, time 2003ms"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("0% loss", "no_loss"),
        ("0 % packet loss", "no_loss"),
        ("loss>0", "loss"),
        ("Loss > 0", "loss"),
        ("100% loss", "unknown"),
        ("nonempty", "output"),
        ("non-empty output", "output"),
        ("empty", "no_output"),
        ("UP", "up"),
        ("down", "down"),
        ("State Full", "full"),
        ("init or full", "full"),
        ("Init", "init"),
        (">= 2", "at_least"),
        (">=2 lines", "at_least"),
        ("7", "equals"),
        ("nonzero", "nonzero"),
        ("it looks fine", "unknown"),
        ("upwards", "unknown"),
    ],
)
def test_the_first_rule_that_fits_decides(text: str, kind: Kind) -> None:
    assert parse_condition(text).kind == kind


@pytest.mark.parametrize(
    ("condition", "output", "is_met"),
    [
        ("0% loss", NO_LOSS, True),
        ("0% loss", ALL_LOST, False),
        ("0% loss", "ping: connect: Network is unreachable", False),
        ("0% loss", f"{ALL_LOST}\n{NO_LOSS}", False),
        ("loss>0", ALL_LOST, True),
        ("loss>0", "33.3333% packet loss", True),
        ("loss>0", NO_LOSS, False),
        ("nonempty", " \n", False),
        ("empty", " \n", True),
        ("empty", "123", False),
        ("up", "eth1 UP 10.0.0.1/24", True),
        ("up", "eth1 UP, eth2 DOWN", False),
        ("down", "eth2   DOWN", True),
        ("full", "10.0.0.2  1  FULL/DR", True),
        ("init", "10.0.0.2  1  Init/DROther", True),
        (">=2", "lines: 3", True),
        (">=2", "3 then 1", False),
        (">=2", "none", False),
        ("0", "0", True),
        ("1", "eth2 1", True),
        ("2", "21", False),
        ("nonzero", "0", False),
        ("nonzero", "5", True),
    ],
)
def test_a_condition_holds_for_an_output(condition: str, output: str, is_met: bool) -> None:
    assert holds(parse_condition(condition), output) is is_met
    assert holds(parse_condition(condition), output, is_compat=True) is is_met


def test_a_missing_figure_passes_for_loss_only_in_compat() -> None:
    silent = "ping: unknown host"
    assert holds(parse_condition("loss>0"), silent, is_compat=True)
    assert not holds(parse_condition("loss>0"), silent)


def test_an_unknown_condition_passes_only_in_compat() -> None:
    assert holds(parse_condition("looks fine"), "anything", is_compat=True)
    assert not holds(parse_condition("looks fine"), "anything")


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("0% loss", "no packet loss"),
        ("loss>0", "packet loss"),
        ("nonempty", "some output"),
        ("empty", "no output"),
        (">=2", "2 or more"),
        ("1", "1"),
        ("nonzero", "a number above 0"),
        ("Full", "“Full”"),
        ("whatever it is", "“whatever it is”"),
    ],
)
def test_a_condition_is_told_in_plain_words(condition: str, words: str) -> None:
    assert in_words(condition) == words
