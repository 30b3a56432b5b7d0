"""The tool server's life, for whoever runs a case."""

import json
import logging
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from netopsbench.core.errors import InfraError
from netopsbench.core.files import write_atomic
from netopsbench.tools.client import ToolClient
from netopsbench.tools.serving.server import ServerConfig

_log = logging.getLogger(__name__)

START_TIMEOUT_S = 60.0
END_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class ServerHandle:
    """A tool server that runs."""

    socket: Path
    calls_path: Path
    pid: int

    def status(self) -> dict[str, Any]:
        """`calls`, `budget`, `is_exceeded`, `unrecorded`. Raises ToolError when the server is gone."""
        client = ToolClient(self.socket, timeout_s=5)
        try:
            return client.status()
        finally:
            client.close()

    def calls(self) -> list[dict[str, Any]]:
        """All calls so far, with the fields of a trial's record of calls."""
        return read_calls(self.calls_path)


def read_calls(path: Path) -> list[dict[str, Any]]:
    """The calls in a meter's file; a last line that was cut off by the server's death is left out."""
    if not path.exists():
        return []
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]


@contextmanager
def serving(config: ServerConfig) -> Iterator[ServerHandle]:
    """Run a tool server for the block.

    It dies with this process. Raises InfraError("tools_failed") when it doesn't start.
    """
    config_path = config.socket.with_name(config.socket.name + ".json")
    write_atomic(config_path, config.model_dump_json())
    argv = [sys.executable, "-m", "netopsbench.tools.serving.server", "--config", str(config_path)]
    with tempfile.TemporaryFile() as stderr:
        server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        try:
            _wait_until_ready(server, stderr)
            yield ServerHandle(socket=config.socket, calls_path=config.calls, pid=server.pid)
        finally:
            _stop(server)
            for line in _last_words(stderr).splitlines():
                _log.warning("tool server: %s", line)
            config_path.unlink(missing_ok=True)
            config.socket.unlink(missing_ok=True)


def _wait_until_ready(server: "subprocess.Popen[bytes]", stderr: IO[bytes]) -> None:
    assert server.stdout is not None
    deadline = time.monotonic() + START_TIMEOUT_S
    said = b""
    while not said.endswith(b"\n"):
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise InfraError("tools_failed", f"the tool server is not ready after {START_TIMEOUT_S:g} s")
        block = os.read(server.stdout.fileno(), 4096)
        if not block:
            why = _last_words(stderr) or "without a word"
            raise InfraError("tools_failed", f"the tool server ended at its start: {why}")
        said += block


def _last_words(stderr: IO[bytes]) -> str:
    stderr.seek(0)
    return stderr.read()[-2000:].decode(errors="replace").strip()


def _stop(server: "subprocess.Popen[bytes]") -> None:
    """End the server by closing its lifeline, by force when that takes too long."""
    assert server.stdin is not None
    server.stdin.close()
    try:
        server.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    if server.stdout is not None:
        server.stdout.close()
