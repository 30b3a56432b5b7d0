"""An agent that makes a script's calls by the official MCP client and answers: python scripted_agent.py SCRIPT."""

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters


async def main() -> None:
    script = json.loads(Path(sys.argv[1]).read_text())
    program, *arguments = shlex.split(os.environ["NETOPSBENCH_MCP"])
    async with Client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ))) as client:
        await client.list_tools()
        for name, given in script["calls"]:
            await client.call_tool(name, given)
    print(json.dumps(script["answer"]))


asyncio.run(main())
