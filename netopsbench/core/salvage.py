"""What is left of a file with mistakes: those that show only in a whole file are told together with the others."""

import copy
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from netopsbench.core.errors import Problem, SpecError
from netopsbench.core.problems import steps_in, validated

M = TypeVar("M", bound=BaseModel)
Loc = tuple[int | str, ...]
Choice = Literal[1, -1]
"""The first of some words, or the last."""

_STAND_IN = "standin"
"""Takes the place of a name that is wrong or missing."""
_NOWHERE = "0.0.0."
"""Begins the addresses that take the place of others."""
_USUAL: tuple[object, ...] = (
    *(_STAND_IN, f"{_STAND_IN}:eth1", f"{_NOWHERE}1/32", f"{_NOWHERE}1", f"{_NOWHERE}0/8"),
    *(1, 0, 2, True, [], {}, [_STAND_IN]),
)
_QUOTED = re.compile(r"'([^']*)'")
_MOST_MENDED = 60
"""Whoever made more mistakes than this has enough to do with them."""


def validated_telling(model: type[M], raw: object, source: str, further: Callable[[M], Iterable[Problem]]) -> M:
    """`raw` as a `model`; where it is none, what `further` finds in the rest of it is told with the mistakes.

    `further` isn't asked about what has no mistakes. Raises SpecError with every mistake.
    """
    try:
        return validated(model, raw, source)
    except SpecError as wrong:
        told = list(wrong.problems)
        first, last = (_asked(further, _mended(model, raw, choice)) for choice in (1, -1))
        # What is wrong with one of the allowed words alone is no mistake of whoever meant another one.
        more = [each for each in first if each in last]
        raise SpecError([*told, *(each for each in more if not _is_of(each, told))]) from None


def _asked(further: Callable[[M], Iterable[Problem]], mended: M | None) -> list[Problem]:
    if mended is None:
        return []
    try:
        return list(further(mended))
    except SpecError as wrong:
        return list(wrong.problems)


def _is_of(problem: Problem, told: Iterable[Problem]) -> bool:
    """Whether a mistake is another one's consequence."""
    said = f"{problem.source} {problem.key} {problem.value} {problem.wanted}"
    return any(word in said for word in (_STAND_IN, _NOWHERE)) or any(
        problem.key == each.key or problem.key.startswith((f"{each.key}.", f"{each.key}[")) for each in told
    )


def _mended(model: type[M], raw: object, choice: Choice) -> M | None:
    """`raw` with something that is allowed in the place of every mistake; None where nothing fits.

    Where a word out of a list is wanted it is the first of the list, or the last.
    """
    rest: object = copy.deepcopy(raw)
    for _ in range(_MOST_MENDED):
        found = _read(model, rest)
        if not isinstance(found, ValidationError):
            return found
        if not _mend(model, rest, found.errors(include_url=False)[0], choice):
            return None
    return None


def _read(model: type[M], raw: object) -> M | ValidationError:
    try:
        return model.model_validate_json(json.dumps(raw, default=str), strict=True)
    except ValidationError as invalid:
        return invalid


def _mend(model: type[BaseModel], raw: object, error: ErrorDetails, choice: Choice) -> bool:
    """Put something in the place of one mistake, in `raw` itself. False where nothing fits."""
    steps = steps_in(error["loc"], raw)
    if not steps:
        return False
    holder = _holder(raw, steps)
    if error["type"] == "extra_forbidden":
        del holder[steps[-1]]
        return True
    found = _read(model, raw)
    before = {each["loc"] for each in found.errors()} if isinstance(found, ValidationError) else set()
    for candidate in (*_expected(error)[::choice], *_USUAL):
        holder[steps[-1]] = candidate
        if not _is_worse(_read(model, raw), error["loc"], before):
            return True
    return False


def _holder(raw: Any, steps: Sequence[int | str]) -> Any:
    """The keys or the list in which the last of the steps leads to something."""
    here = raw
    for step in steps[:-1]:
        here = here[step]
    return here


def _expected(error: ErrorDetails) -> list[object]:
    """What an error itself says would be right."""
    said = error.get("ctx", {})
    words = _QUOTED.findall(f"{said.get('expected', '')} {said.get('expected_tags', '')}")
    bounds = [said[name] for name in ("ge", "le") if name in said]
    return [*words, *bounds]


def _is_worse(found: BaseModel | ValidationError, loc: Loc, before: set[Loc]) -> bool:
    """Whether this place, or one that had no mistake `before`, has one now."""
    if not isinstance(found, ValidationError):
        return False
    now = {each["loc"] for each in found.errors(include_url=False)}
    return any(each[: len(loc)] == loc for each in now) or not now <= before
