"""Talking with a process beside the nodes: one JSON line there, one JSON line back."""

import contextlib
import json
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from netopsbench.core.errors import InfraError
from netopsbench.fabric.engine import Fabric

_END_DEADLINE_S = 5.0


class Conversation:
    """A process that answers every line."""

    def __init__(self, process: "subprocess.Popen[bytes]", who: str, reply_s: float) -> None:
        """`who` names it in messages; a reply may take `reply_s` seconds to begin."""
        self._process = process
        self._who = who
        self._reply_s = reply_s

    def tell(self, words: Any) -> None:
        """Say something that has no answer."""
        self._write(words)

    def ask(self, words: Any) -> Any:
        """Say something and wait for the answer.

        Raises InfraError("internal_error") when the process is gone or silent.
        """
        line = b""
        if self._write(words):
            output = self._process.stdout
            assert output is not None
            ready, _, _ = select.select([output], [], [], self._reply_s)
            line = output.readline() if ready else b""
        if not line:
            raise InfraError("internal_error", f"{self._who} beside the fabric gave no answer in {self._reply_s:g} s")
        return json.loads(line)

    def _write(self, words: Any) -> bool:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(words).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return False
        return True


@contextmanager
def talking(fabric: Fabric, module: str, *, who: str, reply_s: float) -> Iterator[Conversation]:
    """Keep the Python module running beside the nodes for the block."""
    process = fabric.spawn([sys.executable, "-P", "-m", module])
    try:
        yield Conversation(process, who, reply_s)
    finally:
        end_beside(process)


def end_beside(process: "subprocess.Popen[bytes]") -> None:
    """Close the pipes of a process beside the nodes, which ends it; by force when that takes too long."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.stdout.close()
    try:
        process.wait(_END_DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
