"""Files that users write: read as YAML, checked against a model, every mistake named at once."""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from netopsbench.core.errors import Problem, SpecError

M = TypeVar("M", bound=BaseModel)
_NOTHING = object()

_WANTED = {
    "missing": "this key is required",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "literal_error": "one of {expected}",
    "union_tag_invalid": "`kind` is one of {expected_tags}",
    "union_tag_not_found": "the key `kind` is required here",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "value_error": "{error}",
}


class _UniqueKeyLoader(yaml.SafeLoader):
    """YAML without duplicate keys, which PyYAML would resolve silently to the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value} stands here twice", key.start_mark
                )
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_model(model: type[M], path: Path) -> M:
    """The YAML file at `path` as a `model`.

    Raises SpecError with every mistake of the file.
    """
    return validated(model, read_yaml(path), str(path))


def read_yaml(path: Path) -> object:
    """What the YAML file holds.

    Raises SpecError with line and column where it can't be read.
    """
    try:
        # The loader descends from SafeLoader: no tag can build a Python object.
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeyLoader)
    except yaml.MarkedYAMLError as broken:
        mark = broken.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = Problem(str(path), place, broken.problem or "not YAML", "write the file as YAML")
    except (yaml.YAMLError, UnicodeDecodeError) as broken:
        problem = Problem(str(path), "", str(broken).splitlines()[0], "write the file as YAML in UTF-8")
    except OSError as unreadable:
        problem = Problem(str(path), "", unreadable.strerror or "unreadable", "give a file that can be read")
    raise SpecError([problem])


def validated(model: type[M], raw: object, source: str) -> M:
    """`raw` as a `model`, without guessing: text is no number and true is no 1.

    Raises SpecError with every mistake; `source` is the file, option or command it came from.
    """
    try:
        # Strict JSON mode refuses "4" for a number but still reads addresses and tuples, which JSON
        # can only spell as text and lists.
        return model.model_validate_json(json.dumps(raw, default=str), strict=True)
    except ValidationError as invalid:
        raise SpecError(problems_of(invalid, raw, source, model)) from None


def problems_of(
    error: ValidationError, raw: object, source: str, model: type[BaseModel] | None = None
) -> list[Problem]:
    """Pydantic's findings as the user's mistakes: one per key, in the file's own spelling.

    `model`, when given, lets an unknown key be answered with the known ones.
    """
    merged: dict[str, Problem] = {}
    for found in error.errors(include_url=False):
        key, value = _locate(found["loc"], raw)
        wanted = _wanted(found, model)
        earlier = merged.get(key)
        if earlier is not None and wanted not in earlier.wanted:
            wanted = f"{earlier.wanted}, or {wanted}"
        elif earlier is not None:
            wanted = earlier.wanted
        merged[key] = Problem(source, key, _as_text(value, found["type"]), wanted)
    return list(merged.values())


def _locate(loc: Sequence[int | str], raw: object) -> tuple[str, object]:
    """The dotted key and the value there."""
    parts: list[str] = []
    here = raw
    for step in steps_in(loc, raw):
        if isinstance(step, int) and isinstance(here, list):
            parts.append(f"{step + 1}" if not parts else f"[{step + 1}]")
            here = here[step]
        else:
            parts.append(str(step))
            here = here.get(step) if isinstance(here, Mapping) else None
    return ".".join(parts).replace(".[", "["), here


def _step(here: object, part: int | str) -> object:
    """What stands under a key, or at a place of a list; `_NOTHING` when nothing does."""
    if isinstance(here, Mapping):
        return here.get(part, _NOTHING)
    if isinstance(here, list) and isinstance(part, int) and part < len(here):
        return here[part]
    return _NOTHING


def steps_in(loc: Sequence[int | str], raw: object) -> list[int | str]:
    """The keys and places in lists that lead to a mistake in `raw`; the last may be a key that is missing there.

    Pydantic puts union tags and member types between the keys; whatever the file doesn't hold is dropped.
    """
    steps: list[int | str] = []
    here = raw
    for position, part in enumerate(loc):
        stepped = _step(here, part)
        if stepped is not _NOTHING:
            steps.append(part)
            here = stepped
        elif position == len(loc) - 1 and isinstance(here, Mapping) and part != here.get("kind"):
            steps.append(part)
    return steps


def _wanted(found: ErrorDetails, model: type[BaseModel] | None) -> str:
    if found["type"] == "extra_forbidden":
        return _known_keys(str(found["loc"][-1]), _fields_at(model, found["loc"][:-1]))
    pattern = _WANTED.get(found["type"])
    if pattern is None:
        return found["msg"][:1].lower() + found["msg"][1:]
    return pattern.format(**found.get("ctx", {}))


def _known_keys(key: str, known: Sequence[str]) -> str:
    if not known:
        return "there is no such key"
    close = difflib.get_close_matches(key, known, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"there is no such key; {meant}known keys: {', '.join(known)}"


def _fields_at(model: type[BaseModel] | None, loc: Sequence[int | str]) -> list[str]:
    """Keys of the model that `loc` leads to; empty where it leads nowhere that has keys."""
    here = [model] if model is not None else []
    for part in loc:
        stepped = [
            inner
            for outer in here
            if part in outer.model_fields
            for inner in _models_in(outer.model_fields[str(part)].annotation)
        ]
        tagged = [m for m in here if "kind" in m.model_fields and m.model_fields["kind"].default == part]
        # Places in a list and keys of a mapping lead no further into the models.
        here = stepped or tagged or here
    return sorted({name for outer in here for name in outer.model_fields})


def _models_in(annotation: object) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _models_in(inner)


def _as_text(value: object, kind: str) -> str:
    if kind == "missing":
        return "(missing)"
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
