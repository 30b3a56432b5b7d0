"""What others wrote as JSON, made such that every file can hold it and every reader of it can read it back."""

import math
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

DEEPEST = 32
"""Levels of lists and objects. The readers of records give up at 200, and a record has levels of its own."""
_LARGEST = 1 << 63
"""Readers that know integers of 64 bits alone are common."""
_TOO_DEEP = f"[nested deeper than {DEEPEST}]"


def unstorable(value: object, depth: int = 0) -> str:
    """What of `value` no record can hold, in words; empty when all of it can be kept."""
    if isinstance(value, str):
        return "" if _is_text(value) else "text with a lone surrogate, which is no character"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"the number {value}, which JSON doesn't have"
    if isinstance(value, int):
        return "" if -_LARGEST <= value < _LARGEST else "an integer of more than 64 bits"
    if not isinstance(value, Mapping | list | tuple):
        return "" if value is None else f"a value of the type {type(value).__name__}"
    if depth == DEEPEST:
        return f"lists and objects nested deeper than {DEEPEST}"
    found = (unstorable(each, depth + 1) for each in _parts(value))
    return next((why for why in found if why), "")


def storable(value: object, depth: int = 0) -> JsonValue:
    """`value`, with a mark in place of each part that no record can hold."""
    if isinstance(value, str):
        return value if _is_text(value) else value.encode(errors="replace").decode()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else f"[{value}]"
    if isinstance(value, int):
        return value if -_LARGEST <= value < _LARGEST else f"[integer of {value.bit_length()} bits]"
    if not isinstance(value, Mapping | list | tuple):
        return f"[{type(value).__name__}]"
    if depth == DEEPEST:
        return _TOO_DEEP
    if isinstance(value, Mapping):
        return {str(storable(str(key))): storable(each, depth + 1) for key, each in value.items()}
    return [storable(each, depth + 1) for each in value]


def _parts(value: Mapping[object, object] | Sequence[object]) -> Sequence[object]:
    return [*value.keys(), *value.values()] if isinstance(value, Mapping) else value


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
