"""How a call is known again: by its tool and by what it comes to, however it was written."""

import inspect
import json
from collections.abc import Mapping

from pydantic import JsonValue

from netopsbench.core.errors import ToolError
from netopsbench.tools.context import ToolContext
from netopsbench.tools.contract import Tool
from netopsbench.tools.packets.ping_test import address_of, ping_test

_DEFAULT_PORTS: Mapping[str, JsonValue] = {
    name: parameter.default
    for name, parameter in inspect.signature(ping_test).parameters.items()
    if name in ("source_port", "source_ports", "destination_port")
}


def whole_arguments(tool: Tool, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """All arguments of a call, defaults included. Raises pydantic's ValidationError when they don't fit."""
    found: dict[str, JsonValue] = tool.arguments.model_validate(arguments).model_dump(mode="json")
    return found


def key_of(context: ToolContext, name: str, whole: Mapping[str, JsonValue]) -> str:
    """The same for calls that ask the same."""
    asked = dict(whole)
    if name == ping_test.__name__ and asked["protocol"] == "icmp":
        # It has no ports: whatever was said of them, the same is sent.
        asked |= _DEFAULT_PORTS
    if isinstance(target := asked.get("target"), str):
        # A device and its address are the same target.
        try:
            asked["target"] = address_of(context, target)
        except ToolError:
            asked["target"] = target
    return f"{name} {json.dumps(asked, sort_keys=True)}"
