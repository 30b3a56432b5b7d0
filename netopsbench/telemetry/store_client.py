"""The store as other processes see it: a client of its owner, and the owner's life."""

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from netopsbench.core import sockets
from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import Record, Window
from netopsbench.telemetry import frames
from netopsbench.telemetry.batch import Batch, decode, encode
from netopsbench.telemetry.influx_address import ADDRESS_VARIABLE
from netopsbench.telemetry.influx_delivery import Patience
from netopsbench.telemetry.services.state import EMBEDDED, influx_of
from netopsbench.telemetry.tables import Where, checked_columns, checked_query, to_batches, to_records

START_TIMEOUT_S = 60.0
CLOSE_TIMEOUT_S = 20.0
REPLY_TIMEOUT_S = 60.0
SOCKET_NAME = "store.sock"
READING_NAME = "reading.sock"
DATABASE_NAME = "telemetry.duckdb"


class StoreClient:
    """A `Store` whose file another process owns. Threads may share one; each request is answered in turn."""

    def __init__(self, socket_path: Path, patience_s: float = 0.0) -> None:
        """Raises InfraError("telemetry_failed") when nobody listens at `socket_path`."""
        self.socket_path = socket_path
        self.patience_s = patience_s
        """How long the store keeps a writer waiting before it gives up; whoever waits for records waits longer."""
        self.written = 0
        """Records handed over by this client."""
        self.acknowledged = 0
        """Records of them that the owner confirmed as stored."""
        self._lock = threading.Lock()
        try:
            self._peer: socket.socket | None = sockets.connect(socket_path, REPLY_TIMEOUT_S)
        except OSError as error:
            raise InfraError("telemetry_failed", f"no store answers at {socket_path}: {error}") from error

    @property
    def reading_path(self) -> Path:
        """The socket for clients that may only read: the owner refuses what they would append."""
        return self.socket_path.with_name(READING_NAME)

    def append(self, records: Sequence[Record]) -> int:
        return self.append_batches(to_batches(records))

    def append_batches(self, batches: Sequence[Batch]) -> int:
        """Store whole batches, all or none. Raises InfraError("telemetry_failed") unless all are acknowledged."""
        rows = sum(batch.rows for batch in batches)
        described, payload = encode(batches)
        self.written += rows
        head, _ = self._ask({"op": "append", "batches": described}, payload)
        self.acknowledged += int(head["rows"])
        if head["rows"] != rows:
            raise InfraError("telemetry_failed", f"the store took {head['rows']} of {rows} records")
        return rows

    def query(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Record]:
        wanted = dict(checked_query(kind, where))
        head, payload = self._ask({"op": "query", "kind": kind, "window": _span(window), "where": wanted})
        batches = decode(head["batches"], payload)
        records = [record for batch in batches for record in to_records(batch)]
        return records if len(batches) == 1 else sorted(records, key=lambda record: record.t_ns)

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]:
        wanted = {"kind": kind, "window": _span(window), "where": dict(checked_query(kind, where))}
        head, payload = self._ask({"op": "columns", "names": list(checked_columns(kind, names)), **wanted})
        return decode(head["batches"], payload)

    def counts(self, window: Window | None = None) -> dict[str, int]:
        head, _ = self._ask({"op": "counts", "window": _span(window)})
        return {str(kind): int(rows) for kind, rows in head["counts"].items()}

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def _ask(self, head: dict[str, Any], payload: Sequence[bytes] = ()) -> tuple[dict[str, Any], memoryview]:
        with self._lock:
            if self._peer is None:
                raise InfraError("telemetry_failed", f"the connection to the store {self.socket_path} is closed")
            try:
                frames.send(self._peer, head, payload)
                reply = frames.receive(self._peer)
            except (OSError, ValueError) as error:
                # After half an exchange the next reply could belong to this request.
                self.close()
                raise InfraError(
                    "telemetry_failed", f"the store at {self.socket_path} gave no answer: {error}"
                ) from error
        if reply is None:
            raise InfraError("telemetry_failed", f"the store at {self.socket_path} hung up")
        if "error" in reply[0]:
            raise InfraError("telemetry_failed", str(reply[0]["error"]))
        return reply


def _span(window: Window | None) -> list[int] | None:
    return [window.since_ns, window.until_ns] if window else None


@contextmanager
def store_running(folder: Path, telemetry: str = EMBEDDED) -> Iterator[StoreClient]:
    """A store for the block: its owner runs, answers, and is gone afterwards.

    `telemetry` is `duckdb`, which keeps a file in `folder`, or an address like `influx://…`.
    Raises SpecError for an address that is none, InfraError("telemetry_failed") when the store can't start, or
    can't close in time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    socket_path = folder / SOCKET_NAME
    argv, environment = _owner_command(folder / DATABASE_NAME, socket_path, telemetry)
    with tempfile.TemporaryFile() as stderr:
        # In a session of its own it doesn't hear a Ctrl-C at the terminal; it ends when the block does.
        owner = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True, env=environment
        )
        try:
            _expect(owner, "ready", START_TIMEOUT_S, stderr)
            client = StoreClient(socket_path, 0.0 if telemetry == EMBEDDED else Patience().deliver_s)
            try:
                yield client
            finally:
                client.close()
            _end_of(owner.stdin)
            _expect(owner, "closed", CLOSE_TIMEOUT_S, stderr)
        finally:
            _stop(owner)


def _owner_command(database: Path, socket_path: Path, telemetry: str) -> tuple[list[str], dict[str, str]]:
    # -P: a file of the user's that is called like a standard module must not be taken for it.
    argv = [sys.executable, "-P", "-m", "netopsbench.telemetry.store_owner", "--socket", str(socket_path)]
    argv += ["--reading", str(socket_path.with_name(READING_NAME))]
    influx = influx_of(telemetry)
    if influx is None:
        return [*argv, "--db", str(database)], dict(os.environ)
    return argv, {**os.environ, ADDRESS_VARIABLE: influx.model_dump_json()}


def _expect(owner: "subprocess.Popen[bytes]", state: str, timeout_s: float, stderr: IO[bytes]) -> None:
    """Wait for the owner's line that says `state`."""
    line = _line(owner, timeout_s)
    if line is None:
        raise InfraError("telemetry_failed", f"the store's owner is not {state} after {timeout_s:g} s")
    said = json.loads(line or "{}")
    if said.get("state") != state:
        stderr.seek(0)
        last = stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
        why = said.get("message") or last or "without a word"
        raise InfraError("telemetry_failed", f"the store's owner ended before it was {state}: {why}")


def _line(owner: "subprocess.Popen[bytes]", timeout_s: float) -> bytes | None:
    """The owner's next line, empty when its output ended; None when neither came in time."""
    assert owner.stdout is not None
    deadline = time.monotonic() + timeout_s
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([owner.stdout], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return None
        got = os.read(owner.stdout.fileno(), 4096)
        if not got:
            return b""
        line += got
    return line


def _end_of(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        pipe.close()


def _stop(owner: "subprocess.Popen[bytes]") -> None:
    """End the owner by closing its lifeline, by force when that takes too long."""
    _end_of(owner.stdin)
    try:
        owner.wait(CLOSE_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        owner.kill()
        owner.wait()
    _end_of(owner.stdout)
