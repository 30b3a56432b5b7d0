"""Calls one tool from a shell: `python -m netopsbench.agent.ask TOOL name=value … `, or `--list`.

The result goes to standard output as JSON, exit code 0; an error goes there too, as `{"error": …}`, exit code 1.
Values that are JSON are taken as such, others as text. Standard library only.
"""

import json
import sys
from typing import Any

from netopsbench.core.errors import ToolError
from netopsbench.tools.client import ToolClient

USAGE = "usage: TOOL [name=value ...] | --list | --status"


def main(words: list[str]) -> int:
    """Call the tool that `words` name."""
    if not words or any("=" not in word for word in words[1:]):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        tools = ToolClient()
        match words[0]:
            case "--list":
                shown: Any = tools.list_tools()
            case "--status":
                shown = tools.status()
            case name:
                shown = tools.call(name, **_arguments(words[1:]))
    except ToolError as failure:
        print(json.dumps({"error": {"kind": failure.kind, "message": str(failure)}}))
        return 1
    print(json.dumps(shown))
    return 0


def _arguments(words: list[str]) -> dict[str, Any]:
    pairs = (word.partition("=") for word in words)
    return {name: _value(text) for name, _, text in pairs}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
