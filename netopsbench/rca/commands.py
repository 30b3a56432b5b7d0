"""Commands that an agent typed on devices, as its calls tell them."""

import json
from collections.abc import Sequence

from netopsbench.records.trial import ToolCall
from netopsbench.vendors.recorded import NOT_RECORDED

EXECUTE = "execute"
"""The tool that types a line on a device."""


def typed_in(calls: Sequence[ToolCall]) -> list[tuple[str, str]]:
    """Device and line of every command that was answered, or would be by a running network: a recording lacks some."""
    return [
        (str(call.arguments.get("device", "")), str(call.arguments.get("command", "")))
        for call in calls
        if call.tool == EXECUTE and (not call.is_error or _kind(call) == NOT_RECORDED)
    ]


def _kind(call: ToolCall) -> str:
    """Of the error that a call ended with."""
    try:
        told = json.loads(call.result)
    except ValueError:
        return ""
    return str(told.get("kind", "")) if isinstance(told, dict) else ""
