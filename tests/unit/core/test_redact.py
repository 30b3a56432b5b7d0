"""Secrets are taken out by the names of keys, by pattern and by value; the words of an engineer stay."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from netopsbench.core.redact import MARK, names_secret, redacted, redacted_text, secrets_of_environment


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
    "text",
    [
        "Authorization: Bearer hunter22hunter22",
        "Authorization: Token hunter22",
        "curl -H 'X-Api-Key: hunter22' http://host",
        "https://me:hunter22@host/x",
        'api_key="hunter22hunter22"',
        "password=hunter22hunter",
        "password = hunter",
        '{"password": "hunter 22"}',
        '{"passwords":["a"],"pwd":"hunter22"}',
        r'{"text": "{\"api_key\": \"hunter22\", \"x\": 1}"}',
        r'{"text": "one\napi_key=hunter22\ntwo"}',
        "AWS_SECRET_ACCESS_KEY=hunter22",
        "export OPENROUTER_KEY=hunter22",
        "GITHUB_PAT=hunter22;",
        "http://host/?token=hunter22&x=1",
        "{'openaiApiKey': 'hunter22'}",
        "password=8832123 and hunter=1",
    ],
)
def test_what_is_named_a_secret_is_taken_out_of_text(text: str) -> None:
    shown = redacted_text(text)
    assert MARK in shown
    assert "hunter" not in shown.replace("hunter=1", "")
    assert "8832123" not in shown
    assert redacted_text(shown) == shown


@pytest.mark.parametrize("text", ['{"password": "a\\"b", "x": 1}', '{"token":"abcdef","ok":true}', '{"secret":null}'])
def test_json_stays_json(text: str) -> None:
    shown = json.loads(redacted_text(text))
    assert shown.keys() == json.loads(text).keys()
    assert all(value in (MARK, 1, True, None) for value in shown.values())


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "authToken",
        "aws_secret_access_key",
        "pwd",
        "passphrase",
        "accessKey",
        "openaiApiKey",
        "PGPASSWORD",
        "x-api-key",
        "Set-Cookie",
        "GITHUB_PAT",
        "OPENROUTER_KEY",
    ],
)
def test_names_of_secrets_are_known_however_they_are_spelled(name: str) -> None:
    assert names_secret(name)
    assert redacted({name: "hunter", "device": "leaf1"}) == {name: MARK, "device": "leaf1"}


@pytest.mark.parametrize(
    "name",
    [
        "input_tokens",
        "max_tokens",
        "tokens",
        "key",
        "sort_key",
        "keyboard",
        "PWD",
        "OLDPWD",
        "pat",
        "cwd",
        "password_set",
    ],
)
def test_names_of_counts_and_of_common_things_are_none(name: str) -> None:
    assert not names_secret(name)
    assert redacted({name: "hunter"}) == {name: "hunter"}


def test_values_of_keys_that_name_secrets_are_taken_out_at_any_depth_and_numbers_stay() -> None:
    asked: JsonValue = {
        "a": [{"x-api-key": "1", "ANTHROPIC_API_KEY": {"b": 1}, "token": 5, "is_secret": True, "secret": None}]
    }
    assert redacted(asked) == {
        "a": [{"x-api-key": MARK, "ANTHROPIC_API_KEY": MARK, "token": 5, "is_secret": True, "secret": None}]
    }


def test_known_secrets_are_found_wherever_they_stand() -> None:
    known = secrets_of_environment({"MY_API_KEY": "plain-words", "PATH": "/usr/bin", "SHORT_SECRET": "ab"})
    assert known == ("plain-words",)
    assert redacted({"said plain-words": "plain-words!"}, known) == {f"said {MARK}": f"{MARK}!"}


@given(st.text(st.characters(codec="utf-8", min_codepoint=32), min_size=8, max_size=20))
@settings(max_examples=60, deadline=None)
def test_known_secrets_are_found_in_json_and_in_json_in_json(secret: str) -> None:
    for text in (
        json.dumps({"x": secret}),
        json.dumps({"x": json.dumps([secret])}),
        json.dumps(secret, ensure_ascii=False),
    ):
        kept = redacted_text(text, (secret,))
        assert MARK in kept
        assert secret not in kept.replace(MARK, "")


def test_known_secrets_are_found_in_words_of_ours_that_quote_them() -> None:
    secret = "plain 'quokka\\ \"it"
    assert "quokka" not in redacted_text(json.dumps({"message": f"no such thing: {json.dumps([secret])!r}"}), (secret,))


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "GITHUB_PAT", "OPENROUTER_KEY", "PGPASSWORD", "X_TOKEN"])
def test_variables_that_hold_secrets_are_known_by_their_names(name: str) -> None:
    assert secrets_of_environment({name: "value-1"}) == ("value-1",)


def test_other_variables_are_no_secrets_unless_they_are_named() -> None:
    others = {"PWD": "/home/me", "OLDPWD": "/home/me", "SORT_KEY": "device", "MINE": "plain-words"}
    assert secrets_of_environment(others) == ()
    assert secrets_of_environment(others, ("MINE",)) == ("plain-words",)


@pytest.mark.parametrize(
    "text",
    [
        "leaf1:eth2 lost 30 % of 16 tokens",
        "the BGP session to 10.1.2.1 has a password on one side",
        " neighbor 10.0.0.1 password 7 0822455D0A16",
        "the password: missing at leaf1. BGP password: mismatch, as told",
        '{"input_tokens": 1234567, "max_tokens": 8192, "token": 1234567}',
        "max_tokens=81920 PWD=/home/me key=eth0",
        "a risk-free task",
    ],
)
def test_words_of_an_engineer_stay(text: str) -> None:
    assert redacted_text(text) == text


@pytest.mark.parametrize(
    "text", ["a", "token", "token ", "a:", "\\", "eyJ-", "a.", "x://", "token='", "-----BEGIN ", "sk-", "bearer "]
)
def test_no_text_keeps_it_busy(text: str) -> None:
    before = time.process_time()
    redacted_text(f"{text * (200_000 // len(text))} token= https://host")
    assert time.process_time() - before < 2
