"""The tool server, a process of its own: `python -m netopsbench.tools.serving.server --config FILE`.

It is handed the plan, the fabric and the store, never the scenario; agents reach it over a unix socket, many at
once. A request is a line of JSON, `{"id": 1, "tool": "get_topology", "arguments": {}}`, `{"id": 2, "list": true}`
or `{"id": 3, "status": true}`; a reply is `{"id": 1, "result": {…}}` or `{"id": 1, "error": {"kind", "message"}}`.
Beside a result that holds text from devices stands a `warning` that says where.
It ends with its standard input, whose other end its starter holds.
"""

import argparse
import json
import os
import select
import socket
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from netopsbench.core import sockets
from netopsbench.core.errors import NetopsbenchError, ToolError
from netopsbench.core.model import Model
from netopsbench.core.redact import secrets_of_environment
from netopsbench.fabric.native.running import attach
from netopsbench.fabric.plan import FabricPlan
from netopsbench.records.telemetry import Window
from netopsbench.telemetry.store_client import StoreClient
from netopsbench.tools.catalog import COMMAND_LINES, OPT_IN, TOOLS, WRITING
from netopsbench.tools.context import ToolContext
from netopsbench.tools.published.profile import PUBLISHED
from netopsbench.tools.serving import wire
from netopsbench.tools.serving.desk import Desk
from netopsbench.tools.serving.meter import Meter
from netopsbench.tools.telemetry.unmeasured import NEVER, NothingMeasured
from netopsbench.vendors.lines import CommandLineRules, CommandLines

_AT_ONCE = 64
"""Calls of one client that may be under way."""

_WAY_OUT = "this network is not measured; ask its devices themselves, with the other tools"

Profile = Literal["own", "published"]
"""Which names the tools go by: ours, or those of the published ticket benchmark, which write too."""


class ServerConfig(Model):
    """Everything a tool server is told."""

    plan: Path
    """The plan as JSON."""
    fabric: Path
    """The handle file of the running fabric."""
    store: Path | None
    """The store's socket; None for a network that isn't measured."""
    baseline: Window = NEVER
    current: Window = NEVER
    tool_calls: int
    """The budget."""
    socket: Path
    """Where to listen. An agent can see this path: it must say nothing."""
    calls: Path
    """File that gets one JSON line per call."""
    result_chars: int = 128_000
    """Longest result handed to an agent."""
    has_shell: bool = False
    """Whether `run_command` is offered, a shell on devices that can change nothing."""
    may_write: bool = False
    """Whether the tools that change devices are offered."""
    profile: Profile = "own"
    """`published` offers those 22 tools and no others."""
    command_lines: CommandLineRules | None = None
    """Rules of `execute`; it is offered only with them."""
    offers: tuple[str, ...] | None = None
    """Names of the only tools that are offered; None for all."""
    secret_variables: tuple[str, ...] = ()
    """Environment variables whose values are in no record, beside those whose names say so."""


def main() -> int:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="netopsbench.tools.serving.server")
    parser.add_argument("--config", type=Path, required=True, help="a ServerConfig as JSON")
    try:
        config = ServerConfig.model_validate_json(parser.parse_args().config.read_text())
        desk = _desk(config)
        listener = sockets.listen(config.socket)
    except (NetopsbenchError, ValidationError, OSError) as failure:
        print(str(failure), file=sys.stderr)
        return 1
    with listener, closing(desk):
        print("ready", flush=True)
        serve(desk, listener)
    config.socket.unlink(missing_ok=True)
    return 0


def _desk(config: ServerConfig) -> Desk:
    plan, rules = FabricPlan.model_validate_json(config.plan.read_text()), config.command_lines
    context = ToolContext(
        plan=plan,
        fabric=attach(config.fabric),
        store=NothingMeasured(_WAY_OUT) if config.store is None else StoreClient(config.store),
        baseline=config.baseline,
        current=config.current,
        command_lines=None if rules is None else CommandLines(plan, rules),
    )
    offered = (
        *TOOLS,
        *(OPT_IN if config.has_shell else ()),
        *(COMMAND_LINES if rules is not None else ()),
        *(WRITING if config.may_write else ()),
    )
    if config.profile == "published":
        offered = PUBLISHED
    if config.offers is not None:
        offered = tuple(tool for tool in offered if tool.name in config.offers)
    secrets = secrets_of_environment(os.environ, config.secret_variables)
    return Desk(context, offered, Meter(config.calls, config.tool_calls, secrets), config.result_chars)


def serve(desk: Desk, listener: socket.socket, lifeline: Any = sys.stdin) -> None:
    """Answer clients, each in threads of its own, until `lifeline` ends."""
    while True:
        ready, _, _ = select.select([listener, lifeline], [], [])
        if lifeline in ready:
            return
        peer, _ = listener.accept()
        threading.Thread(target=_serve_client, args=(desk, peer), daemon=True).start()


def _serve_client(desk: Desk, peer: socket.socket) -> None:
    """Answer one client until it hangs up; its calls run side by side, so that a slow one blocks no other."""
    places, writing = threading.BoundedSemaphore(_AT_ONCE), threading.Lock()

    def work(line: bytes) -> None:
        try:
            reply = answer(desk, line)
            with writing:
                wire.send(peer, reply)
        except OSError:
            # The client hung up while its call was running; there is nobody left to tell.
            return
        finally:
            places.release()

    with peer:
        try:
            for line in wire.lines(peer, wire.LONGEST_REQUEST):
                places.acquire()
                threading.Thread(target=work, args=(line,), daemon=True).start()
        except (OSError, ValueError):
            # A client that is gone, or one that sends no lines: either way the conversation is over.
            return


def answer(desk: Desk, line: bytes) -> dict[str, Any]:
    """The reply to one request; a mistake in it is a reply too."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return _refusal(None, ToolError("a request is one line of JSON", "bad_request"))
    if not isinstance(request, dict):
        return _refusal(None, ToolError("a request is a JSON object", "bad_request"))
    number = request.get("id")
    if not isinstance(number, int | str):
        number = None
    if request.get("list"):
        return {"id": number, "result": {"tools": desk.schemas()}}
    if request.get("status"):
        return {"id": number, "result": desk.status()}
    name, arguments = request.get("tool"), request.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        wanted = "a request holds `tool` (a name) and `arguments` (an object), or `list`, or `status`"
        return _refusal(number, ToolError(wanted, "bad_request"))
    try:
        reply: dict[str, Any] = {"id": number, "result": desk.call(name, arguments)}
    except ToolError as refused:
        return _refusal(number, refused)
    if warning := desk.warning(name):
        reply["warning"] = warning
    return reply


def _refusal(number: Any, refused: ToolError) -> dict[str, Any]:
    return {"id": number, "error": {"kind": refused.kind, "message": str(refused)}}


if __name__ == "__main__":
    sys.exit(main())
