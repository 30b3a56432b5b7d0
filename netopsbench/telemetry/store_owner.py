"""The one process that owns a trial's store: `python -m netopsbench.telemetry.store_owner`.

A DuckDB file open for writing refuses every second process, even one that only reads, so all others send their
batches and queries here, over a unix socket. With InfluxDB, it is the one process that knows the token.
It ends when asked to, or when its standard input ends: whoever started it holds the other end of that pipe.
"""

import argparse
import contextlib
import json
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from netopsbench.core import sockets
from netopsbench.core.errors import InfraError, NetopsbenchError
from netopsbench.records.telemetry import Window
from netopsbench.telemetry import frames
from netopsbench.telemetry.batch import Batch, decode, encode
from netopsbench.telemetry.duckdb_store import DuckDbStore
from netopsbench.telemetry.influx_address import ADDRESS_VARIABLE, InfluxAddress
from netopsbench.telemetry.tables import Where

LAST_ANSWER_S = 10.0
"""How long requests that are under way may take when everything ends."""

Reply = tuple[dict[str, Any], list[bytes]]
Request = tuple[dict[str, Any], memoryview]


class OwnedStore(Protocol):
    """What the owner needs of a store, in columns."""

    def append_batches(self, batches: Sequence[Batch]) -> int: ...

    def query_batches(self, kind: str, window: Window | None = None, where: Where | None = None) -> list[Batch]: ...

    def query_columns(
        self, kind: str, names: Sequence[str], window: Window | None = None, where: Where | None = None
    ) -> list[Batch]: ...

    def counts(self, window: Window | None = None) -> dict[str, int]: ...

    def close(self) -> None: ...


def append(store: OwnedStore, request: Request) -> Reply:
    """`batches` as `batch.encode` describes them: store all or none, say how many rows."""
    head, payload = request
    return {"rows": store.append_batches(decode(head["batches"], payload))}, []


def query(store: OwnedStore, request: Request) -> Reply:
    """`kind`, `window` (two times or null), `where`: the matching rows as batches."""
    head, _ = request
    described, payload = encode(store.query_batches(head["kind"], _window(head), head["where"]))
    return {"batches": described}, payload


def columns(store: OwnedStore, request: Request) -> Reply:
    """The same, but only the columns called `names`."""
    head, _ = request
    described, payload = encode(store.query_columns(head["kind"], head["names"], _window(head), head["where"]))
    return {"batches": described}, payload


def counts(store: OwnedStore, request: Request) -> Reply:
    """Stored rows per kind, in all or inside `window`."""
    return {"counts": store.counts(_window(request[0]))}, []


def _window(head: dict[str, Any]) -> Window | None:
    span = head["window"]
    return Window(since_ns=span[0], until_ns=span[1]) if span else None


OPERATIONS: Mapping[str, Callable[[OwnedStore, Request], Reply]] = {
    "append": append,
    "query": query,
    "columns": columns,
    "counts": counts,
}


READING: Mapping[str, Callable[[OwnedStore, Request], Reply]] = {
    name: operation for name, operation in OPERATIONS.items() if name != "append"
}
"""What the read-only socket takes."""


def answer(store: OwnedStore, request: Request, operations: Mapping[str, Callable[..., Reply]] = OPERATIONS) -> Reply:
    """The reply to one request; what went wrong is a reply too, so that the asker learns of it."""
    operation = operations.get(str(request[0].get("op")))
    if operation is None:
        return {"error": f"the store knows {', '.join(operations)} here, not {request[0].get('op')!r}"}, []
    try:
        return operation(store, request)
    except NetopsbenchError as error:
        return {"error": str(error)}, []
    except (KeyError, TypeError, ValueError) as error:
        return {"error": f"the store can't read this request: {error!r}"}, []


def serve_client(store: OwnedStore, peer: socket.socket, operations: Mapping[str, Callable[..., Reply]]) -> None:
    """Answer one client's requests, one after the other, until it hangs up."""
    with peer:
        try:
            while request := frames.receive(peer):
                frames.send(peer, *answer(store, request, operations))
        except (OSError, ValueError):
            # Half a message: its sender is gone or is none of ours. What it didn't finish isn't stored,
            # and it never got an acknowledgement for it.
            return


def serve(store: OwnedStore, listener: socket.socket, reading: socket.socket) -> None:
    """Serve clients, each in a thread of its own, until standard input ends; those of `reading` can't append.

    Requests that have been heard by then are answered: a store can't be closed while it works.
    """
    guests: list[tuple[socket.socket, threading.Thread]] = []
    while True:
        ready, _, _ = select.select([listener, reading, sys.stdin.buffer], [], [])
        if sys.stdin.buffer in ready:
            break
        for opened, operations in ((listener, OPERATIONS), (reading, READING)):
            if opened in ready:
                peer, _ = opened.accept()
                thread = threading.Thread(target=serve_client, args=(store, peer, operations), daemon=True)
                thread.start()
                guests = [*(guest for guest in guests if guest[1].is_alive()), (peer, thread)]
    for peer, _ in guests:
        with contextlib.suppress(OSError):
            peer.shutdown(socket.SHUT_RD)
    deadline = time.monotonic() + LAST_ANSWER_S
    for _, thread in guests:
        thread.join(max(0.0, deadline - time.monotonic()))


def say(line: dict[str, str | dict[str, int]]) -> None:
    """One line of JSON for whoever started this process."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def opened(database: Path | None) -> OwnedStore:
    """The store at `database`, or without one in the InfluxDB that the environment names."""
    if database is not None:
        return DuckDbStore(database)
    try:
        # influxdb-client is an extra, and importing it takes a third of a second.
        from netopsbench.telemetry.influx_store import InfluxStore
    except ModuleNotFoundError as missing:
        raise InfraError(
            "telemetry_failed", f"{missing.name} is missing; install it: pip install 'netopsbench[influx]'"
        ) from missing
    return InfluxStore(InfluxAddress.model_validate_json(os.environ[ADDRESS_VARIABLE]))


def main() -> int:
    """Open the store, say that it is ready, serve, close it, say what it holds."""
    parser = argparse.ArgumentParser(prog="netopsbench.telemetry.store_owner")
    parser.add_argument("--db", type=Path, help=f"the DuckDB file, made when missing; else {ADDRESS_VARIABLE} counts")
    parser.add_argument("--socket", type=Path, required=True, help="where to listen")
    parser.add_argument("--reading", type=Path, required=True, help="where to listen to those who may only read")
    options = parser.parse_args()
    try:
        store = opened(options.db)
        with sockets.listen(options.socket) as listener, sockets.listen(options.reading) as reading:
            say({"state": "ready"})
            serve(store, listener, reading)
        stored = store.counts()
        store.close()
    except (InfraError, OSError) as error:
        say({"state": "failed", "message": str(error)})
        return 1
    finally:
        options.socket.unlink(missing_ok=True)
        options.reading.unlink(missing_ok=True)
    say({"state": "closed", "counts": stored})
    return 0


if __name__ == "__main__":
    sys.exit(main())
