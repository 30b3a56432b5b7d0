"""A tool server's tools over the Model Context Protocol: `python -m netopsbench.tools.serving.mcp_server`.

Without options it speaks on standard input and output; with `--http ADDRESS` it listens there, prints its URL, lets
in who shows the token of the environment, and ends with its standard input. It finds the tool server by its socket
(`--socket`, else the environment), which answers and counts every call, however it came.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netopsbench.core.errors import NetopsbenchError
from netopsbench.tools.client import ToolClient
from netopsbench.tools.serving.listening import TOKEN_VARIABLE, listen_at, url_of
from netopsbench.tools.serving.mcp_front import MCP_PATH, serve_http, serve_stdio


class ServedElsewhere:
    """A tool server on a unix socket. A conversation for each call, so that many run side by side."""

    def __init__(self, path: Path | None) -> None:
        """The path is taken from the environment when it is None."""
        self._path = path

    def schemas(self) -> list[dict[str, Any]]:
        """What the tool server offers. Raises ToolError when there is none."""
        client = ToolClient(self._path)
        try:
            return client.list_tools()
        finally:
            client.close()

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Pass a call on. Raises ToolError as the tool server did, `no_server` when it is gone."""
        client = ToolClient(self._path)
        try:
            return client.call(name, **arguments)
        finally:
            client.close()


def main() -> int:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="netopsbench.tools.serving.mcp_server")
    parser.add_argument("--socket", type=Path, help="the tool server's socket")
    parser.add_argument("--http", help="listen at this host:port")
    asked = parser.parse_args()
    try:
        if asked.http is None:
            serve_stdio(ServedElsewhere(asked.socket))
        else:
            _serve_http(ServedElsewhere(asked.socket), asked.http)
    except NetopsbenchError as failure:
        print(str(failure), file=sys.stderr)
        return 1
    return 0


def _serve_http(tools: ServedElsewhere, address: str) -> None:
    token = os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise NetopsbenchError(f"no token: set {TOKEN_VARIABLE}")
    with listen_at(address) as listener:
        print(url_of(listener, MCP_PATH), flush=True)
        threading.Thread(target=_end_with_input, daemon=True).start()
        serve_http(tools, listener, token)


def _end_with_input() -> None:
    """Whoever started us holds the other end of standard input."""
    while os.read(0, 4096):
        continue
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
