"""Secrets are taken out by the names of keys and by pattern; the words of an engineer stay."""

import pytest

from netopsbench.agent.redact import MARK, redacted, redacted_text, secrets_of_environment


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-" + "abcdefgh" * 3,
        "ghp_abcdefghijklmnop1234567890",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_key_is_taken_out_of_text(secret: str) -> None:
    assert secret not in redacted_text(f"it said {secret} and went on")
    assert redacted_text(f"it said {secret}, and").startswith(f"it said {MARK}")


@pytest.mark.parametrize(
    "text", ["Authorization: Bearer abcdefghijkl0123", "https://me:hunter22@host/x", 'api_key="hunter22hunter22"']
)
def test_what_is_named_a_secret_is_taken_out_of_text(text: str) -> None:
    shown = redacted_text(text)
    assert MARK in shown
    assert "hunter22" not in shown
    assert "abcdefghijkl0123" not in shown


def test_values_of_keys_that_name_secrets_are_taken_out_at_any_depth() -> None:
    given = {"a": [{"x-api-key": "1", "ANTHROPIC_API_KEY": {"b": 1}, "input_tokens": 5, "keyboard": "k"}]}
    assert redacted(given) == {
        "a": [{"x-api-key": MARK, "ANTHROPIC_API_KEY": MARK, "input_tokens": 5, "keyboard": "k"}]
    }


def test_known_secrets_are_found_wherever_they_stand() -> None:
    known = secrets_of_environment({"MY_API_KEY": "plain-words", "PATH": "/usr/bin", "SHORT_SECRET": "ab"})
    assert known == ("plain-words",)
    assert redacted({"said plain-words": "plain-words!"}, known) == {f"said {MARK}": f"{MARK}!"}


@pytest.mark.parametrize(
    "text",
    ["leaf1:eth2 lost 30 % of 16 tokens", "the BGP session to 10.1.2.1 has a password on one side", "a risk-free task"],
)
def test_words_of_an_engineer_stay(text: str) -> None:
    assert redacted_text(text) == text
