"""The tools at a URL of the Model Context Protocol, for services that speak it."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from netopsbench.agent.models.chat import StoppedError
from netopsbench.tools.serving.listening import TOKEN_VARIABLE

_END_TIMEOUT_S = 5.0


@contextmanager
def mcp_over_http(host: str, token: str) -> Iterator[str]:
    """The URL for the block; empty where the extra `mcp` isn't installed.

    Raises StoppedError when the server doesn't start.
    """
    if importlib.util.find_spec("mcp") is None:
        yield ""
        return
    server = subprocess.Popen(
        [sys.executable, "-m", "netopsbench.tools.serving.mcp_server", "--http", f"{host}:0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, TOKEN_VARIABLE: token},
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        url = server.stdout.readline().strip()
        if not url:
            raise StoppedError("crashed", f"the tools can't be served over MCP at {host}")
        yield url
    finally:
        server.stdin.close()
        try:
            server.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        server.stdout.close()
