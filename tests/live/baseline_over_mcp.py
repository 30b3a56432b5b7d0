"""The baseline with tools that are reached by the official MCP client.

As an agent of its own: `python baseline_over_mcp.py`, with the question on standard input.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters

from netopsbench.agent.baseline.baseline import Baseline
from netopsbench.core.errors import ToolError
from netopsbench.records.answers import Answer, Question


class OverMcp:
    """The tools as an agent has them; each call goes over MCP."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    def list_tools(self) -> list[dict[str, Any]]:
        listed = self._portal.call(self._client.list_tools)
        return [{"name": each.name, "description": each.description, "arguments": {}} for each in listed.tools]

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        answer = self._portal.call(self._client.call_tool, name, arguments)
        if answer.is_error:
            refused = json.loads(answer.content[0].text)["error"]
            raise ToolError(refused["message"], refused["kind"])
        found: dict[str, Any] = answer.structured_content
        return found


def baseline_over_mcp(question: Question, socket: Path) -> Answer:
    """What the baseline answers with the tools at a tool server's socket."""
    words = ["-m", "netopsbench.tools.serving.mcp_server", "--socket", str(socket)]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        return Baseline().answer(question, OverMcp(client, portal))


if __name__ == "__main__":
    asked = Question.model_validate_json(sys.stdin.read())
    print(baseline_over_mcp(asked, Path(os.environ["NETOPSBENCH_TOOLS"])).model_dump_json())
