"""What a check's output has to be: the words that published tickets use, and their meaning."""

import re
from typing import Literal

from netopsbench.core.model import Model

Kind = Literal[
    "no_loss",
    "loss",
    "output",
    "no_output",
    "up",
    "down",
    "full",
    "init",
    "at_least",
    "equals",
    "nonzero",
    "unknown",
]

_LOSS = re.compile(r"(?P<pct>\d+(?:\.\d+)?)\s*%\s*(?:packet\s*)?loss", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"\b\d+\b")
_AT_LEAST = re.compile(r">=\s*(?P<number>\d+)")
_NUMBER = re.compile(r"(?P<number>\d+)\s*")
KNOWN = "0% loss, loss>0, nonempty, empty, up, down, full, init, >=N, N, nonzero"


class Condition(Model):
    """One condition, understood."""

    kind: Kind
    number: int = 0
    """Of `at_least` and `equals`."""


def parse_condition(text: str) -> Condition:
    """What a condition means. The first rule that fits decides; the order is the published one."""
    words = text.strip().lower()
    if words.startswith(("0%", "0 %")) and "loss" in words:
        return Condition(kind="no_loss")
    if "loss>0" in words or "loss > 0" in words:
        return Condition(kind="loss")
    if "nonempty" in words or "non-empty" in words:
        return Condition(kind="output")
    if words == "empty":
        return Condition(kind="no_output")
    if words == "up":
        return Condition(kind="up")
    if words == "down":
        return Condition(kind="down")
    if "full" in words:
        return Condition(kind="full")
    if "init" in words:
        return Condition(kind="init")
    return _numeric(words)


def in_words(text: str) -> str:
    """What a condition asks for, to be read after "shows": `no packet loss`, `2 or more`; other words stay."""
    found = parse_condition(text)
    words = {
        "no_loss": "no packet loss",
        "loss": "packet loss",
        "output": "some output",
        "no_output": "no output",
        "at_least": f"{found.number} or more",
        "equals": f"{found.number}",
        "nonzero": "a number above 0",
    }
    return words.get(found.kind, f"“{text}”")


def _numeric(words: str) -> Condition:
    if least := _AT_LEAST.match(words):
        return Condition(kind="at_least", number=int(least["number"]))
    if exact := _NUMBER.fullmatch(words):
        return Condition(kind="equals", number=int(exact["number"]))
    if "nonzero" in words or "non-zero" in words:
        return Condition(kind="nonzero")
    return Condition(kind="unknown")


def holds(condition: Condition, output: str, *, is_compat: bool = False) -> bool:
    """Whether a command's output, standard error included, meets the condition.

    With `is_compat` as published: `loss` also holds without any figure of loss, and so does an unknown condition.
    """
    text = output.strip()
    low = text.lower()
    match condition.kind:
        case "no_loss" | "loss":
            return _loss_fits(condition.kind == "no_loss", text, is_compat)
        case "output":
            return bool(text)
        case "no_output":
            return not text
        case "up":
            return "up" in low and "down" not in low
        case "down" | "full" | "init":
            return condition.kind in low
        case "unknown":
            return is_compat
    return _number_fits(condition, text)


def _loss_fits(wants_none: bool, text: str, is_compat: bool) -> bool:
    figure = _LOSS.search(text)
    if figure is None:
        return is_compat and not wants_none
    return (float(figure["pct"]) == 0) == wants_none


def _number_fits(condition: Condition, text: str) -> bool:
    numbers = _WHOLE_NUMBER.findall(text)
    if not numbers:
        return False
    last = int(numbers[-1])
    if condition.kind == "at_least":
        return last >= condition.number
    return last == condition.number if condition.kind == "equals" else last > 0
