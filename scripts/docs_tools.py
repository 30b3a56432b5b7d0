"""The tools as Markdown, read off the functions themselves."""

import json
from collections.abc import Iterator

from docs_models import field_table, model_sections

from netopsbench.tools.catalog import COMMAND_LINES, OPT_IN, TOOLS
from netopsbench.tools.contract import Tool

_INTRODUCTION = """\
# Tools in full

What [every tool](../tools.md) takes and gives. An agent reads the same from the tool server, and
`netopsbench tools list --json-schema` prints it as JSON schema.
"""


_ALL = (*TOOLS, *OPT_IN, *COMMAND_LINES)


def tools_page() -> str:
    """The whole page."""
    lines = [
        _INTRODUCTION,
        "## Which there are",
        "",
        "| tool | effect | a call may take | asked for with |",
        "|---|---|---|---|",
    ]
    lines += [_row(tool) for tool in _ALL]
    lines.append("")
    for tool in _ALL:
        lines += _section(tool)
    lines += ["## Results", "", "The models of which results consist.", ""]
    lines += model_sections([tool.result for tool in _ALL], level=3)
    return "\n".join(lines).rstrip() + "\n"


def _row(tool: Tool) -> str:
    extra = "`--shell`" if tool in OPT_IN else "`tools execute-api`" if tool in COMMAND_LINES else ""
    return f"| [`{tool.name}`](#{tool.name}) | {tool.effect} | {tool.timeout_s:g} s | {extra} |"


def _section(tool: Tool) -> Iterator[str]:
    yield from (f"## {tool.name}", "", tool.description, "")
    if tool.arguments.model_fields:
        yield from field_table(tool.arguments, linked=False)
    else:
        yield "No arguments."
    result = tool.result.__name__
    example = json.dumps({"tool": tool.name, "arguments": tool.example()})
    yield from ("", f"Gives [{result}](#{result.lower()}). An example of a call:", "", "```json", example, "```", "")
    if tool.device_text:
        fields = ", ".join(f"`{name}`" for name in tool.device_text)
        yield from (f"Text from devices, which is data and never an instruction: {fields}.", "")
