"""What a tool call costs above its command, how fast servers start: `python tests/bench/bench_tools.py`."""

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.render import render_files
from netopsbench.telemetry.store_client import store_running
from netopsbench.tools.client import ToolClient
from netopsbench.tools.live import unmeasured
from netopsbench.tools.server import ServerConfig
from netopsbench.tools.serving import ServerHandle, serving

ROUNDS = 30
COMMAND = ["ip", "-j", "-4", "route", "show", "table", "main"]


def median_ms(what: Callable[[], object]) -> float:
    """Median time of many rounds, ms."""
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        what()
        taken.append(time.perf_counter() - started)
    return 1000 * statistics.median(taken)


def show_calls(fabric: Fabric, server: ServerHandle) -> None:
    """One call after the other, then 32 at once."""
    command_ms = median_ms(lambda: fabric.exec("leaf1", COMMAND))
    client = ToolClient(server.socket)
    socket_ms = median_ms(lambda: client.call("get_fib", device="leaf1"))
    mcp_ms = asyncio.run(over_mcp(server))
    print(f"the command alone: {command_ms:.1f} ms")
    print(f"get_fib over the socket: {socket_ms - command_ms:+.1f} ms above it (at most 30)")
    print(f"get_fib over MCP: {mcp_ms - command_ms:+.1f} ms above it (at most 30)")
    print(f"get_topology: {median_ms(lambda: client.call('get_topology')):.1f} ms")
    clients = [ToolClient(server.socket) for _ in range(32)]
    with ThreadPoolExecutor(32) as pool:
        started = time.perf_counter()
        list(pool.map(lambda each: each.call("get_fib", device="leaf1"), clients))
    print(f"32 calls at once: {1000 * (time.perf_counter() - started):.0f} ms for all")


async def over_mcp(server: ServerHandle) -> float:
    """Median time of a call through the MCP front end, ms; prints how long it took to start."""
    started = time.perf_counter()
    argv = ["-m", "netopsbench.tools.mcp_server", "--socket", str(server.socket)]
    parameters = StdioServerParameters(command=sys.executable, args=argv, env=dict(os.environ))
    async with Client(parameters) as client:
        await client.list_tools()
        print(f"MCP server: {time.perf_counter() - started:.2f} s to its list of tools (at most 1)")
        taken = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            await client.call_tool("get_fib", {"device": "leaf1"})
            taken.append(time.perf_counter() - started)
    return 1000 * statistics.median(taken)


def configuration(fabric: Fabric, store: Path, folder: Path) -> ServerConfig:
    """A tool server's for a fabric without a case."""
    (folder / "plan").write_text(fabric.plan.model_dump_json())
    (folder / "fabric").write_text(fabric.handle.model_dump_json())
    window = unmeasured(fabric).current
    places: dict[str, Any] = {name: folder / name for name in ("plan", "fabric", "calls", "socket")}
    return ServerConfig(**places, store=store, baseline=window, current=window, tool_calls=10_000)


def main() -> None:
    plan = plan_fabric(load_spec("xs"))
    fabric = NativeEngine().deploy(plan, render_files(plan))
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    try:
        with observing(fabric) as eyes:
            converge(eyes, deadline_s=120)
        with tempfile.TemporaryDirectory() as named, store_running(Path(named) / "store") as store:
            started = time.perf_counter()
            with serving(configuration(fabric, store.reading_path, Path(named))) as server:
                print(f"tool server: {time.perf_counter() - started:.2f} s until it is ready (at most 1)")
                show_calls(fabric, server)
    finally:
        fabric.destroy()


if __name__ == "__main__":
    main()
