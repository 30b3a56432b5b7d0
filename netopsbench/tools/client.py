"""How an agent in Python calls tools; standard library only."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netopsbench.core import sockets
from netopsbench.core.errors import ToolError
from netopsbench.tools.serving import wire

REPLY_TIMEOUT_S = 120.0


class ToolClient:
    """The tools of one case, over the tool server's socket. Threads may share one; calls take turns."""

    def __init__(self, path: Path | str | None = None, *, timeout_s: float = REPLY_TIMEOUT_S) -> None:
        """`path` is taken from the environment when it isn't given. Raises ToolError when nobody listens."""
        named = path or os.environ.get(wire.TOOLS_VARIABLE)
        if not named:
            raise ToolError(f"no tool server: {wire.TOOLS_VARIABLE} is not set", "no_server")
        self._path = Path(named)
        self._timeout_s = timeout_s
        self._number = 0
        self._lock = threading.Lock()
        self._is_closed = False
        self._peer: socket.socket | None = None
        self._lines: Iterator[bytes] = iter(())
        self._connected()

    def list_tools(self) -> list[dict[str, Any]]:
        """Name, description and argument schema of every tool. Costs no call."""
        tools: list[dict[str, Any]] = self._ask({"list": True})["tools"]
        return tools

    def status(self) -> dict[str, Any]:
        """How many calls were made and how many are allowed. Costs no call."""
        return self._ask({"status": True})

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Run a tool. Raises ToolError, whose `kind` says why: `bad_arguments`, `unknown_device`, `timeout`, …"""
        return self._ask({"tool": name, "arguments": arguments})

    def close(self) -> None:
        """Hang up. Safe to call twice."""
        self._is_closed = True
        self._hang_up()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self._number += 1
            line = _line({"id": self._number, **request})
            try:
                self._connected().sendall(line)
                reply = self._reply(self._number)
            except (OSError, ValueError) as failure:
                # What comes after a reply that was late or broken could not be told apart from it.
                self._hang_up()
                raise ToolError(f"the tool server gave no answer: {failure}", "no_server") from failure
        if "error" in reply:
            raise ToolError(str(reply["error"].get("message")), str(reply["error"].get("kind", "failed")))
        result: dict[str, Any] = reply["result"]
        return result

    def _connected(self) -> socket.socket:
        """The connection, made anew after one was lost. Raises ToolError when nobody listens."""
        if self._peer is None:
            if self._is_closed:
                raise ToolError("this client has hung up", "no_server")
            try:
                self._peer = sockets.connect(self._path, self._timeout_s)
            except OSError as failure:
                raise ToolError(f"no tool server answers at {self._path}: {failure}", "no_server") from failure
            self._lines = wire.lines(self._peer, wire.LONGEST_REPLY)
        return self._peer

    def _hang_up(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.close()

    def _reply(self, number: int) -> dict[str, Any]:
        for line in self._lines:
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") == number:
                return reply
        raise ConnectionError("it hung up")


def _line(request: dict[str, Any]) -> bytes:
    try:
        line = wire.line_of(request)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise ToolError(f"the arguments are no JSON: {wrong}", "bad_request") from wrong
    if len(line) > wire.LONGEST_REQUEST:
        limit = f"at most {wire.LONGEST_REQUEST} are taken"
        raise ToolError(f"a call of {len(line)} bytes; {limit}", "bad_request")
    return line
