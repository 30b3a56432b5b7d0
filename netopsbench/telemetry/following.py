"""A process beside the nodes that works on its own and says what it did, followed from its start to its end."""

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model
from netopsbench.fabric.engine import Fabric

STOP_TIMEOUT_S = 5.0

Report = TypeVar("Report", bound=Model)


class Following(Generic[Report]):
    """Reads the process' reports: `ready` once, then one per piece of work that is stored, or `failed` with a message.

    All waiting has a deadline, and all failure is InfraError("telemetry_failed").
    """

    def __init__(self, process: "subprocess.Popen[bytes]", who: str, sort: type[Report]) -> None:
        """`who` names the process in messages; `sort` is what it says of a piece of work."""
        self._process = process
        self._who = who
        self._sort = sort
        self._changed = threading.Condition()
        self._is_ready = False
        self._reports: list[Report] = []
        self._failure = ""
        self._reader = threading.Thread(target=self._read, name=f"reports of {who}", daemon=True)
        self._reader.start()

    @property
    def failure(self) -> str:
        """Why nothing more will come; empty while more may."""
        with self._changed:
            return self._failure

    def reports(self) -> tuple[Report, ...]:
        """Everything stored so far."""
        with self._changed:
            return tuple(self._reports)

    def tell(self, line: bytes) -> None:
        """Send a line. One that has ended hears nothing; its reports say why it ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def wait_ready(self, timeout_s: float) -> None:
        """Return once it has all it needs and begins to work."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_ready or self._failure, timeout_s)
            if not self._is_ready:
                why = self._failure or f"not ready after {timeout_s:g} s"
                raise InfraError("telemetry_failed", f"{self._who} did not start: {why}")

    def wait(self, is_enough: Callable[[tuple[Report, ...]], bool], timeout_s: float) -> tuple[Report, ...]:
        """Everything stored once that is enough, or at the deadline, or at the process' end."""
        with self._changed:
            self._changed.wait_for(lambda: is_enough(tuple(self._reports)) or self._failure, timeout_s)
            return tuple(self._reports)

    def stop(self) -> None:
        """End it; what is being stored is finished first."""
        assert self._process.stdin is not None
        # It may have died with a line unread; the reader has the reason.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(STOP_TIMEOUT_S)

    def _read(self) -> None:
        output = self._process.stdout
        assert output is not None
        with output:
            for line in output:
                self._take(json.loads(line))
        with self._changed:
            self._failure = self._failure or "the process ended"
            self._changed.notify_all()

    def _take(self, said: dict[str, Any]) -> None:
        event = said.pop("event")
        with self._changed:
            if event == "ready":
                self._is_ready = True
            elif event == "failed":
                self._failure = self._failure or str(said["message"])
            else:
                self._reports.append(self._sort.model_validate(said))
            self._changed.notify_all()


@contextmanager
def following(
    fabric: Fabric, module: str, said: Mapping[str, Any], *, who: str, sort: type[Report]
) -> Iterator[Following[Report]]:
    """Keep the Python module running beside the nodes for the block; `said` is the configuration it reads first."""
    process = Following(fabric.spawn([sys.executable, "-P", "-m", module]), who, sort)
    try:
        process.tell(json.dumps(said).encode())
        yield process
    finally:
        process.stop()
