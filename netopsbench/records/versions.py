"""Files of a run in every version that was ever written: older ones are brought up to date, newer ones refused."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from netopsbench.core.errors import NetopsbenchError
from netopsbench.core.model import Model
from netopsbench.records.run import RunInfo
from netopsbench.records.trial import Trial

M = TypeVar("M", bound=Model)
Step = Callable[[dict[str, Any]], dict[str, Any]]
"""Turns the content of a file into that of the next version, `schema_version` aside."""

STEPS: Mapping[type[Model], Sequence[Step]] = {RunInfo: (), Trial: ()}
"""Of each kind of file: the first step leads from version 1 to 2, and so on to the model's own version."""


class NewerFormatError(NetopsbenchError):
    """A file was written by a newer netopsbench."""


def read_record(model: type[M], raw: bytes, steps: Sequence[Step] | None = None) -> M:
    """The record in a file of this or an earlier version.

    Raises ValidationError when it isn't one, NewerFormatError when it is of a later version.
    """
    try:
        # What nearly every file is; only others are looked at twice.
        return model.model_validate_json(raw)
    except ValidationError:
        content = _content(raw)
        version = content.get("schema_version")
        taken = STEPS[model] if steps is None else steps
        current = len(taken) + 1
        if type(version) is not int or version < 1 or version == current:
            raise
        if version > current:
            wanted = f"this netopsbench reads up to {current}; use the one that wrote it"
            raise NewerFormatError(f"its schema_version is {version}, and {wanted}") from None
    for step in taken[version - 1 :]:
        content = step(content)
    return model.model_validate({**content, "schema_version": current})


def _content(raw: bytes) -> dict[str, Any]:
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
