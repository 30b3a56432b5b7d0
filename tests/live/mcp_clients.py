"""Official MCP clients in Python and TypeScript that call the same tools in the same way."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

SDK = "@modelcontextprotocol/sdk"
SDK_VERSION = "1.32.2"
_SCRIPT = Path(__file__).with_name("mcp_client.mjs")
_INSTALL_S = 120

ToolCall = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Place:
    """Where a server is: a command that speaks on its pipes, or a URL with a token."""

    command: tuple[str, ...] = ()
    url: str = ""
    token: str = ""


@dataclass(frozen=True)
class Heard:
    """What a client heard of one call."""

    is_error: bool
    texts: tuple[str, ...]
    structured: Any


@dataclass(frozen=True)
class Conversation:
    """The names of all tools, and the answers to the calls."""

    tools: tuple[str, ...]
    heard: tuple[Heard, ...]


def talk_in_python(place: Place, calls: Sequence[ToolCall]) -> Conversation:
    """Call one tool after the other."""

    async def talk() -> Conversation:
        async with connected(place) as client:
            listed = await client.list_tools()
            heard = [await ask(client, name, arguments) for name, arguments in calls]
        return Conversation(tuple(tool.name for tool in listed.tools), tuple(heard))

    return asyncio.run(talk())


@asynccontextmanager
async def connected(place: Place) -> AsyncIterator[Client]:
    """The Python client for the block."""
    if place.command:
        program, *arguments = place.command
        async with Client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ))) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {place.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=90) as http,
        Client(streamable_http_client(place.url, http_client=http)) as client,
    ):
        yield client


async def ask(client: Client, name: str, arguments: dict[str, Any]) -> Heard:
    """One call with the Python client."""
    answer = await client.call_tool(name, arguments)
    texts = tuple(part.text for part in answer.content if part.type == "text")
    return Heard(bool(answer.is_error), texts, answer.structured_content)


def typescript_sdk() -> Path:
    """The official TypeScript client, installed once outside the tree. Raises RuntimeError with the reason if not."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise RuntimeError("node and npm are not on this machine")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "netopsbench-tests" / f"mcp-{SDK_VERSION}"
    sdk = cache / "node_modules" / SDK / "dist" / "esm"
    if not sdk.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        install = [npm, "install", "--prefix", str(cache), "--no-audit", "--no-fund", f"{SDK}@{SDK_VERSION}"]
        try:
            done = subprocess.run(install, capture_output=True, text=True, timeout=_INSTALL_S, check=False)
        except subprocess.TimeoutExpired as late:
            raise RuntimeError(f"npm did not install {SDK} in {_INSTALL_S} s") from late
        if done.returncode:
            raise RuntimeError(f"npm can't install {SDK}: {done.stderr.strip()[-300:]}")
    return sdk


def talk_in_typescript(sdk: Path, place: Place, calls: Sequence[ToolCall]) -> Conversation:
    """The same with the TypeScript client."""
    order = {
        "command": list(place.command),
        "url": place.url,
        "token": place.token,
        "calls": [{"name": name, "arguments": arguments} for name, arguments in calls],
    }
    done = subprocess.run(
        ["node", str(_SCRIPT), str(sdk)],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    heard = tuple(Heard(each["is_error"], tuple(each["texts"]), each["structured"]) for each in told["heard"])
    return Conversation(tuple(told["tools"]), heard)
