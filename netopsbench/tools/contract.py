"""A tool is a typed function; its name, description and argument schema are read off it."""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError, create_model

from netopsbench.core.errors import ToolError
from netopsbench.core.model import Model
from netopsbench.tools.context import ToolContext
from netopsbench.tools.device_text import device_text_in

Effect = Literal["read", "write"]


@dataclass(frozen=True)
class Tool:
    """One thing an agent may do."""

    name: str
    description: str
    arguments: type[BaseModel]
    function: Callable[..., Model]
    effect: Effect
    timeout_s: float
    """Longest time a call may take before the agent is told that it timed out."""
    result: type[Model]
    device_text: tuple[str, ...]
    """Dotted names of the result's fields that hold text from devices."""

    def schema(self) -> dict[str, Any]:
        """What an agent reads of the tool; the arguments as JSON schema."""
        return {
            "name": self.name,
            "description": self.description,
            "effect": self.effect,
            "timeout_s": self.timeout_s,
            "arguments": self.arguments.model_json_schema(),
            "example": self.example(),
            "device_text": list(self.device_text),
        }

    def example(self) -> dict[str, Any]:
        """Arguments that the tool takes in a small network: the required ones."""
        required = {name: field for name, field in self.arguments.model_fields.items() if field.is_required()}
        return {name: field.examples[0] for name, field in required.items() if field.examples}

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Model:
        """Check the arguments and run the tool.

        Raises ToolError, kind `bad_arguments` with every mistake named, or whatever the tool itself raises.
        """
        try:
            checked = self.arguments.model_validate(arguments)
        except ValidationError as wrong:
            raise ToolError(_mistakes(self, wrong), "bad_arguments") from wrong
        return self.function(context, **{name: getattr(checked, name) for name in type(checked).model_fields})


def tool(function: Callable[..., Model], *, effect: Effect = "read", timeout_s: float = 15.0) -> Tool:
    """Derive a tool from `function(context, …)`; its docstring is the description agents read."""
    hints = typing.get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (hints[name], default)
    arguments = create_model(f"{function.__name__}_arguments", __base__=Model, **fields)
    result = hints["return"]
    return Tool(
        name=function.__name__,
        description=inspect.cleandoc(function.__doc__ or ""),
        arguments=arguments,
        function=function,
        effect=effect,
        timeout_s=timeout_s,
        result=result,
        device_text=device_text_in(result),
    )


def _mistakes(wrong_for: Tool, error: ValidationError) -> str:
    found = []
    for mistake in error.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in mistake["loc"]) or "arguments"
        shown = "" if mistake["type"] == "missing" else f" (got {str(mistake['input'])[:80]!r})"
        found.append(f"{where}: {mistake['msg']}{shown}")
    takes = ", ".join(wrong_for.arguments.model_fields) or "no arguments"
    return f"{wrong_for.name}: {'; '.join(found)}. It takes: {takes}."
