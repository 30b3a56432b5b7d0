"""Takes secrets out of whatever an agent said or sent, before it touches the disk."""

import json
import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from pydantic import JsonValue

MARK = "[redacted]"
SHORTEST_SECRET = 6
"""A shorter value of a key's variable is no key, and would be found in the middle of words."""
_SHORTEST_NAMED = 4
"""Of a value without quotes that follows a name in a text."""

_NAMES = re.compile(
    r"""(?x) (?:
        .* (?: password | passwd | passphrase | secret | authorization | credential | token | cookie
             | (?: api | access | private | secret | signing | encryption ) _?key ) (?: (?<!token) s )?
      | .* access_?key_id
      | (?: .*_ )? (?: pwd | bearer | jwt | (?: auth | session | shared | master | ssh | account | license ) _key )
    )"""
)
"""Names of secrets in lower case, words parted by `_`. Their plural is theirs too, but tokens are what models count."""
_VARIABLES = re.compile(r"[A-Z0-9_]+_(?:KEY|PAT|PASS)")
"""What the names of environment variables may end with too; in other names these words mean other things."""
_PASSWORDS = re.compile(r"(?i)passw|passphrase|pwd")
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-. ]+")

_NAMED = re.compile(r"""(?xa) (?: (?<=\\[nrt]) | (?<![\w.\\-]) ) ([\w.-]+) \\* ["']? \s* (=>?|:) (\s*)""")
"""A name in a text and what parts it from its value, also where JSON has escaped quotes and ends of lines."""
_VALUE = re.compile(
    r"""(?xi) (?: (?: bearer | basic | token | digest | apikey ) \s+ )?
    (?: (?P<quote>\\*["']) (?P<quoted>[^\n]+?) (?<!\\) (?P=quote)
      | (?P<plain> (?! [{\[] | (?: bearer | basic | token | digest | apikey ) \s ) [^\s"'\\,;&]+ ) )"""
)
_PROSE = re.compile(r"[a-z-]+[.:!?)]*")
_CLOSING = ")]}>"
_HINTS = (
    "passw",
    "passphrase",
    "pwd",
    "secret",
    "authorization",
    "credential",
    "token",
    "cookie",
    "key",
    "jwt",
    "bearer",
)
_HINTS_OF_VARIABLES = ("_PAT", "_PASS")
_PATTERNS = tuple(
    (hints, re.compile(pattern))
    for hints, pattern in (
        (("sk-",), r"\bsk-[A-Za-z0-9_-]{16,}"),
        (
            ("ghp", "gho", "ghs", "ghu", "github_pat", "glpat", "xox", "hf_", "hf-", "npm_", "npm-"),
            r"\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abp]|hf|npm)[_-][A-Za-z0-9_-]{16,}",
        ),
        (("AKIA",), r"\bAKIA[0-9A-Z]{16}\b"),
        (("AIza",), r"\bAIza[0-9A-Za-z_-]{30,}"),
        (("eyJ",), r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
        (("-----BEGIN",), r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    )
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{12,}")
_IN_URL = re.compile(r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@")


def redacted_text(text: str, secrets: Collection[str] = ()) -> str:
    """`text` without `secrets` and without what looks like a key or is named as one.

    A name and its value are parted by `=` or `:`. What a blank parts is the configuration of devices
    (`neighbor 10.0.0.1 password …`), which is evidence and stays.
    """
    for spelled in _spellings(tuple(secrets)):
        text = spelled.sub(MARK, text)
    for hints, pattern in _PATTERNS:
        if any(hint in text for hint in hints):
            text = pattern.sub(MARK, text)
    if "://" in text:
        text = _IN_URL.sub(rf"\1{MARK}@", text)
    low = text.lower()
    if "bearer" in low or "basic" in low:
        text = _BEARER.sub(rf"\1 {MARK}", text)
    if any(hint in low for hint in _HINTS) or any(hint in text for hint in _HINTS_OF_VARIABLES):
        text = _without_named(text)
    return text


def redacted(value: JsonValue, secrets: Collection[str] = ()) -> JsonValue:
    """`value` without secrets, by the names of keys and in every text of it, keys included; numbers stay."""
    if isinstance(value, str):
        return redacted_text(value, secrets)
    if isinstance(value, list):
        return [redacted(each, secrets) for each in value]
    if isinstance(value, dict):
        return {
            redacted_text(key, secrets): MARK if _holds_secret(key, each) else redacted(each, secrets)
            for key, each in value.items()
        }
    return value


def names_secret(name: str) -> bool:
    """Whether what stands under this name is a secret, however the name is spelled: `openaiApiKey`, `PGPASSWORD`."""
    return _says_secret(name) or _VARIABLES.fullmatch(name) is not None


def secrets_of_environment(environment: Mapping[str, str], variables: Collection[str] = ()) -> tuple[str, ...]:
    """Values of the `variables`, and of those whose names say that they are secrets."""
    named = [value for name, value in environment.items() if name in variables or _is_secret_variable(name, value)]
    return tuple(value for value in named if len(value) >= SHORTEST_SECRET)


def _is_secret_variable(name: str, value: str) -> bool:
    # `SORT_KEY=device` is none.
    return _says_secret(name) or (names_secret(name) and any(map(str.isdigit, value)))


def _says_secret(name: str) -> bool:
    # The shell's working directory is none.
    return name != "PWD" and _NAMES.fullmatch(_NEW_WORD.sub("_", name).lower()) is not None


def _holds_secret(name: str, value: JsonValue) -> bool:
    return bool(value) and not isinstance(value, bool | int | float) and names_secret(name)


def _without_named(text: str) -> str:
    kept, at = "", 0
    for name in _NAMED.finditer(text):
        if name.start() < at or not names_secret(name[1]):
            continue
        value = _VALUE.match(text, name.end())
        if value is None or (value["quoted"] is None and _is_harmless(value["plain"], name)):
            continue
        start = value.start("plain" if value["quoted"] is None else "quoted")
        kept, at = kept + text[at:start] + MARK, start + len(value["quoted"] or value["plain"].rstrip(_CLOSING))
    return kept + text[at:]


def _is_harmless(plain: str, name: "re.Match[str]") -> bool:
    """Whether a value without quotes is a count, or the next word of a sentence: `the password: missing at leaf1`."""
    plain = plain.rstrip(_CLOSING)
    if plain in ("null", "true", "false"):
        return True
    if plain.isdigit() and not _PASSWORDS.search(name[1]):
        return True
    return len(plain) < _SHORTEST_NAMED or (name[2] == ":" and bool(name[3]) and _PROSE.fullmatch(plain) is not None)


@lru_cache(maxsize=64)
def _spellings(secrets: tuple[str, ...]) -> tuple["re.Pattern[str]", ...]:
    """Each secret as it is and as it stands in JSON, in JSON in JSON and in quoted words of ours; long ones first."""
    known = sorted({secret for secret in secrets if len(secret) >= SHORTEST_SECRET}, key=len, reverse=True)
    return tuple(re.compile(_spelled(secret)) for secret in known)


def _spelled(secret: str) -> str:
    spelled = ""
    for letter in secret:
        if letter == "\\":
            # Only once for many of them, which would be tried in all combinations.
            spelled += "" if spelled.endswith(r"\\+") else r"\\+"
        elif letter in "\"'":
            spelled += letter if not spelled or spelled.endswith(r"\\+") else rf"\\*{letter}"
        elif letter.isascii() and letter.isprintable():
            spelled += re.escape(letter)
        else:
            escaped = json.dumps(letter)[1:-1].replace("\\", r"\\+")
            spelled += f"(?:{re.escape(letter)}|{escaped})"
    return spelled
