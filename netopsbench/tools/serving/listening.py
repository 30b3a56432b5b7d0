"""Where a server of tools listens for HTTP."""

import socket

from netopsbench.core.errors import Problem, SpecError

LOOPBACK = "127.0.0.1"
TOKEN_VARIABLE = "NETOPSBENCH_MCP_TOKEN"
"""Environment variable with the token that HTTP clients show: on the command line everybody could read it."""


def listen_at(address: str) -> socket.socket:
    """A TCP socket that listens at `host:port`, `:port` or `port`; loopback unless a host is named.

    Raises SpecError when that is no address, or it can't be had.
    """
    host, _, port = address.rpartition(":")
    wanted = "`port` or `host:port`, port 0 for any free one"
    if not (port.isascii() and port.isdigit() and len(port) < 6) or int(port) > 65535:
        raise SpecError([Problem("--http", "", address, wanted)])
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host or LOOPBACK, int(port)))
        listener.listen(128)
    except OSError as failure:
        listener.close()
        raise SpecError([Problem("--http", "", address, f"{failure.strerror or failure}; {wanted}")]) from failure
    return listener


def url_of(listener: socket.socket, path: str) -> str:
    """What a client on this machine is told."""
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}{path}"
