"""Takes secrets out of whatever an agent said, before it touches the disk."""

import re
from collections.abc import Collection, Mapping

from pydantic import JsonValue

MARK = "[redacted]"
SHORTEST_SECRET = 6
"""A shorter value of a key's variable is no key, and would be found in the middle of words."""

_KEY_NAME = re.compile(
    r"(?ix) ^ (?: .*[_-])? (?: api[_-]?key | x-api-key | authorization | auth[_-]?token | access[_-]?token"
    r" | refresh[_-]?token | bearer | secret | secret[_-]?key | client[_-]?secret | private[_-]?key | password"
    r" | passwd | credentials? | cookie | set-cookie | session[_-]?token ) $"
)
_NAMED_IN_TEXT = re.compile(
    r"(?i)\b((?:[A-Z0-9]+[_-])*(?:api[_-]?key|auth[_-]?token|access[_-]?token|secret[_-]?key|client[_-]?secret))"
    r"(\"?'?\s*[=:]\s*\"?'?)([^\s\"',;]{6,})"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bsk-[A-Za-z0-9_-]{16,}",
        r"\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abp]|hf|npm)[_-][A-Za-z0-9_-]{16,}",
        r"\bAKIA[0-9A-Z]{16}\b",
        r"\bAIza[0-9A-Za-z_-]{30,}",
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    )
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{12,}")
_IN_URL = re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@")


def redacted_text(text: str, secrets: Collection[str] = ()) -> str:
    """`text` without `secrets` and without what looks like a key."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, MARK)
    for pattern in _PATTERNS:
        text = pattern.sub(MARK, text)
    text = _BEARER.sub(rf"\1 {MARK}", text)
    text = _IN_URL.sub(rf"\1{MARK}@", text)
    return _NAMED_IN_TEXT.sub(rf"\1\2{MARK}", text)


def redacted(value: JsonValue, secrets: Collection[str] = ()) -> JsonValue:
    """`value` without secrets, by the names of keys and in every text of it, keys included."""
    if isinstance(value, str):
        return redacted_text(value, secrets)
    if isinstance(value, list):
        return [redacted(each, secrets) for each in value]
    if isinstance(value, dict):
        return {
            redacted_text(key, secrets): MARK if _KEY_NAME.match(key) and each else redacted(each, secrets)
            for key, each in value.items()
        }
    return value


def secrets_of_environment(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of the variables whose names say that they are keys."""
    named = (value for name, value in environment.items() if _KEY_NAME.match(name) or name.endswith("_TOKEN"))
    return tuple(value for value in named if len(value) >= SHORTEST_SECRET)
