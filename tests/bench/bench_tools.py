"""What a tool call costs above its command, how fast servers start: `python tests/bench/bench_tools.py`."""

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from netopsbench.core.clock import now_ns
from netopsbench.fabric.build import plan_fabric
from netopsbench.fabric.engine import Fabric
from netopsbench.fabric.load import load_spec
from netopsbench.fabric.native.engine import NativeEngine
from netopsbench.fabric.observe import converge, observing
from netopsbench.fabric.plan import FabricPlan
from netopsbench.fabric.render import render_files
from netopsbench.fabric.spec import FabricSpec, FatTree
from netopsbench.records.telemetry import BgpEvent, InterfaceCounters, LogLine, Record, Window
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.tools.client import ToolClient
from netopsbench.tools.context import ToolContext
from netopsbench.tools.devices.get_topology import get_topology
from netopsbench.tools.live import unmeasured
from netopsbench.tools.serving.process import ServerHandle, serving
from netopsbench.tools.serving.server import ServerConfig
from netopsbench.tools.telemetry.get_device_logs import get_device_logs
from netopsbench.tools.telemetry.get_interface_metrics import get_interface_metrics
from netopsbench.tools.telemetry.query_bgp_events import query_bgp_events

ROUNDS = 30
SECONDS = 20
SECOND_NS = 1_000_000_000
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
    argv = ["-m", "netopsbench.tools.serving.mcp_server", "--socket", str(server.socket)]
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


def stored_records(plan: FabricPlan, until_ns: int) -> Iterator[Record]:
    """What collectors leave of `SECONDS` on a large fabric: counters each second, events, and chatty logs."""
    zeros = dict.fromkeys(InterfaceCounters.model_fields.keys() - {"kind", "t_ns", "source", "interface"}, 0)
    ports = [(node.name, port.name) for node in plan.nodes for port in node.interfaces]
    for second in range(SECONDS):
        t_ns = until_ns - second * SECOND_NS
        for source, interface in ports:
            yield InterfaceCounters(t_ns=t_ns, source=source, interface=interface, **zeros)
    switches = [node for node in plan.nodes if node.is_switch]
    for number in range(SECONDS):
        for node in switches:
            t_ns, peer = until_ns - number * SECOND_NS, str(node.interfaces[0].address.ip)
            yield LogLine(
                t_ns=t_ns, source=node.name, severity="info", facility="daemon", program="bgpd", pid=1, message="a line"
            )
            yield BgpEvent(
                t_ns=t_ns,
                source=node.name,
                neighbor_address=peer,
                from_state="Established",
                to_state="Idle",
                times_lost=1,
            )


def show_gets(fabric: Fabric, store: StoreClient) -> None:
    """Tools that read the records of a K=12 fabric; nothing of it runs."""
    plan, until_ns = plan_fabric(FabricSpec(name="k12", topology=FatTree(k=12))), now_ns()
    records = list(stored_records(plan, until_ns))
    for start in range(0, len(records), 20_000):
        store.append(records[start : start + 20_000])
    half_ns = until_ns - SECONDS * SECOND_NS // 2
    baseline = Window(since_ns=half_ns - SECONDS * SECOND_NS // 2, until_ns=half_ns)
    seen = ToolContext(
        plan=plan,
        fabric=fabric,
        store=store,
        baseline=baseline,
        current=Window(since_ns=half_ns, until_ns=until_ns + 1),
    )
    device = next(node.name for node in plan.nodes if node.role == "agg")
    asked = {
        "get_topology": lambda: get_topology(seen),
        "get_interface_metrics": lambda: get_interface_metrics(seen, device),
        "get_device_logs": lambda: get_device_logs(seen, device),
        "query_bgp_events": lambda: query_bgp_events(seen),
    }
    for name, ask in asked.items():
        print(f"K=12, {len(records)} records, {name}: {median_ms(ask):.1f} ms (at most 50)")


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
            show_gets(fabric, store)
    finally:
        fabric.destroy()


if __name__ == "__main__":
    main()
