"""Models as Markdown: one table of fields for each, with what stands under the fields in the code."""

import ast
import inspect
import textwrap
import types
import typing
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from netopsbench.records.names import Port

_LIMITS = {
    "gt": "more than {}", "ge": "at least {}", "lt": "less than {}", "le": "at most {}",
    "multiple_of": "a multiple of {}", "min_length": "{} or more", "max_length": "at most {} of them",
}  # fmt: skip


def model_sections(roots: Sequence[type[BaseModel]], *, level: int = 2) -> Iterator[str]:
    """Lines of one section for each model, those that it holds below it, each once."""
    for model in _reached(roots):
        heading = "#" * (level if model in roots else level + 1)
        yield from (f"{heading} {model.__name__}", "", _summary(model), "")
        yield from field_table(model)
        yield ""


def field_table(model: type[BaseModel], *, linked: bool = True) -> Iterator[str]:
    """Lines of a model's table: key, value, what it is when left out, meaning."""
    if not model.model_fields:
        yield "No keys."
        return
    meanings = field_docs(model)
    yield from ("| key | value | if left out | meaning |", "|---|---|---|---|")
    for name, field in model.model_fields.items():
        value = _limited(spelled(field.annotation, linked=linked), field)
        meaning = _cell(meanings.get(name) or field.description or "")
        yield f"| `{field.alias or name}` | {value} | {_default(field)} | {meaning} |"


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings that stand under a model's fields, inherited ones too."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if each in (BaseModel, object) or not issubclass(each, BaseModel) or each.__module__.startswith("pydantic"):
            continue
        body = _class_body(each)
        for field, below in pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                found[field.target.id] = " ".join(str(below.value.value).split())
    return found


def spelled(annotation: Any, *, linked: bool = True) -> str:
    """A type in words, with links to the sections of models."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return spelled(arguments[0], linked=linked)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(spelled(each, linked=linked) for each in arguments)
    if origin in (tuple, list):
        kinds = [each for each in arguments if each is not Ellipsis]
        return "list of " + ", ".join(spelled(each, linked=linked) for each in kinds)
    if origin is dict:
        return f"mapping of {spelled(arguments[0])} to {spelled(arguments[1], linked=linked)}"
    if annotation is type(None):
        return "null"
    if annotation is Port:
        return "port, as `leaf1:eth1`"
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        name = annotation.__name__
        return f"[{name}](#{name.lower()})" if linked and annotation.model_fields else name
    return _PLAIN.get(getattr(annotation, "__name__", str(annotation)), "any")


_PLAIN = {
    "str": "text", "int": "whole number", "float": "number", "bool": "true or false", "IPv4Address": "address",
    "IPv4Network": "prefix", "IPv4Interface": "address with length", "Path": "path",
}  # fmt: skip


def _reached(roots: Sequence[type[BaseModel]]) -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = []
    for root in roots:
        waiting = [root]
        while waiting:
            model = waiting.pop(0)
            if model in found:
                continue
            found.append(model)
            # Those that a later root has to itself come there.
            waiting[:0] = [each for each in _inside(model) if each not in roots]
    return found


def _inside(model: type[BaseModel]) -> list[type[BaseModel]]:
    return [each for field in model.model_fields.values() for each in _models(field.annotation)]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        # Written as one word, not as keys.
        if annotation is not Port:
            yield annotation
        return
    for each in typing.get_args(annotation):
        yield from _models(each)


def _class_body(model: type[BaseModel]) -> list[ast.stmt]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, TypeError):
        return []
    return tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []


def _limited(value: str, field: FieldInfo) -> str:
    limits = [
        words.format(f"{limit:,}" if isinstance(limit, int) else limit)
        for constraint in field.metadata
        for key, words in _LIMITS.items()
        if (limit := getattr(constraint, key, None)) is not None
    ]
    return f"{value}, {', '.join(limits)}" if limits else value


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return "its defaults"
    if value is None:
        return "null"
    if value in ((), {}, []):
        return "none"
    return f"`{value}`" if value != "" else "empty"


def _summary(model: type[BaseModel]) -> str:
    return " ".join(inspect.cleandoc(model.__doc__ or "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
