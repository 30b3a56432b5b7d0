"""What is kept of standard error begins with a whole line, so that no part of a secret is left of a cut."""

import pytest

from netopsbench.agent.programs.watch import _KEPT_STDERR, Exit

FULL = "x" * (_KEPT_STDERR - 7)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("one\ntwo\n", "one\ntwo\n"),
        ("cut-secret\n" + FULL, FULL),
        ("cut-secret!" + FULL, "x" * (_KEPT_STDERR - 4096)),
    ],
)
def test_the_line_that_was_cut_is_left_out(said: str, kept: str) -> None:
    assert Exit(stderr=bytearray(said.encode()[-_KEPT_STDERR:])).last_words == kept
