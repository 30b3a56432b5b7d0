"""The owner's life, and what its clients learn when something goes wrong."""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import descendant, is_gone

from netopsbench.core import sockets
from netopsbench.core.clock import now_ns
from netopsbench.core.errors import InfraError
from netopsbench.records.telemetry import CollectorHealth
from netopsbench.telemetry import frames
from netopsbench.telemetry.batch import Batch, text_column
from netopsbench.telemetry.duckdb_store import DuckDbStore
from netopsbench.telemetry.store import MemoryStore
from netopsbench.telemetry.store_client import StoreClient, store_running
from netopsbench.telemetry.store_owner import serve

T0 = now_ns()
OWNER = "netopsbench.telemetry.store_owner"
HOLDER = """
import sys
from pathlib import Path
from netopsbench.telemetry.store_client import store_running
with store_running(Path(sys.argv[1])):
    print("up", flush=True)
    sys.stdin.read()
"""


def health(epoch: int, message: str = "") -> CollectorHealth:
    return CollectorHealth(
        t_ns=T0 + epoch,
        collector="pingmesh",
        epoch=epoch,
        is_complete=True,
        records_written=1,
        overload_drops=0,
        message=message,
    )


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Processes started in the block can't write files beyond `size` bytes: a small disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(store: StoreClient) -> None:
    """Append more than a small disk holds."""
    for epoch in range(200):
        store.append([health(epoch, os.urandom(40_000).hex())])


def test_what_was_written_is_still_there_when_the_file_is_opened_later(tmp_path: Path) -> None:
    with store_running(tmp_path) as store:
        store.append([health(epoch) for epoch in range(1003)])
        assert (store.written, store.acknowledged) == (1003, 1003)
    later = DuckDbStore(tmp_path / "telemetry.duckdb")
    assert later.counts()["collector_health"] == 1003
    later.close()


def test_several_clients_see_the_same_records(tmp_path: Path) -> None:
    with store_running(tmp_path) as store:
        other = StoreClient(store.socket_path)
        other.append([health(1)])
        assert store.query("collector_health") == [health(1)]
        other.close()


def test_a_client_of_the_reading_socket_sees_everything_and_can_add_nothing(tmp_path: Path) -> None:
    with store_running(tmp_path) as store:
        store.append([health(1)])
        reader = StoreClient(store.reading_path)
        assert reader.query("collector_health") == [health(1)]
        assert reader.counts()["collector_health"] == 1
        with pytest.raises(InfraError, match="the store knows query, columns, counts here, not 'append'"):
            reader.append([health(2)])
        reader.close()
        assert store.counts()["collector_health"] == 1
    assert list(tmp_path.glob("*.sock")) == []


def test_a_folder_deeper_than_a_socket_address_is_long_works(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 30) / ("deeper" * 30)
    with store_running(folder) as store:
        store.append([health(1)])
        assert len(str(store.socket_path)) > 300


def test_a_full_disk_is_a_named_error_at_the_writer(tmp_path: Path) -> None:
    with files_limited_to(2_000_000):
        owner = store_running(tmp_path)
        store = owner.__enter__()
    try:
        with pytest.raises(InfraError, match="can't be written") as caught:
            fill(store)
        assert caught.value.reason == "telemetry_failed"
        assert store.acknowledged == store.written - 1
    finally:
        os.kill(descendant(OWNER), signal.SIGKILL)
        with pytest.raises(InfraError):
            owner.__exit__(None, None, None)


def test_an_owner_that_was_killed_is_a_named_error_for_the_next_request(tmp_path: Path) -> None:
    def lose_the_owner() -> None:
        with store_running(tmp_path) as store:
            os.kill(descendant(OWNER), signal.SIGKILL)
            with pytest.raises(InfraError, match=r"no answer|hung up"):
                store.append([health(1)])

    with pytest.raises(InfraError, match="ended before it was closed"):
        lose_the_owner()


def test_the_owner_is_gone_after_the_block_also_after_an_error_in_it(tmp_path: Path) -> None:
    pids: list[int] = []

    def fail_inside() -> None:
        with store_running(tmp_path):
            pids.append(descendant(OWNER))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert is_gone(pids[0], 0.1)


def test_the_owner_does_not_outlive_a_parent_that_was_killed(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"up\n"
        owner = descendant(OWNER, of=holder.pid)
        holder.kill()
    assert is_gone(owner, 20)


def test_a_folder_that_takes_no_file_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "telemetry.duckdb").mkdir()
    with pytest.raises(InfraError, match="can't be opened"), store_running(tmp_path):
        pass


def test_nobody_at_the_socket_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="no store answers at"):
        StoreClient(tmp_path / "store.sock")


def test_a_batch_with_other_columns_than_declared_is_refused_whole(tmp_path: Path) -> None:
    wrong = Batch("collector_health", 1, {"collector": text_column(["pingmesh"])})
    with store_running(tmp_path) as store:
        with pytest.raises(InfraError, match="other columns"):
            store.append_batches([wrong])
        assert store.counts()["collector_health"] == 0


@pytest.mark.parametrize("head", [{}, {"op": "drop"}, {"op": "query"}, {"op": "append", "batches": [["probe"]]}])
def test_a_request_that_makes_no_sense_is_answered_and_the_owner_stays(tmp_path: Path, head: dict[str, object]) -> None:
    with store_running(tmp_path) as store:
        peer = sockets.connect(store.socket_path, 5)
        frames.send(peer, head)
        reply = frames.receive(peer)
        peer.close()
        assert reply is not None
        assert "error" in reply[0]
        assert store.append([health(1)]) == 1


def test_half_a_message_stores_nothing_and_disturbs_nobody(tmp_path: Path) -> None:
    with store_running(tmp_path) as store:
        peer = sockets.connect(store.socket_path, 5)
        peer.sendall(frames.LENGTHS.pack(100, 100) + b'{"op":"app')
        peer.close()
        assert store.append([health(1)]) == 1
        assert store.counts()["collector_health"] == 1


def test_numbers_cut_short_are_refused(tmp_path: Path) -> None:
    with store_running(tmp_path) as store:
        peer = sockets.connect(store.socket_path, 5)
        frames.send(peer, {"op": "append", "batches": [["probe", 2, [["t_ns", "whole", 1, []]]]]}, [bytes(8)])
        reply = frames.receive(peer)
        peer.close()
    assert reply is not None
    assert "cut short" in reply[0]["error"]


def test_a_text_column_keeps_each_text_once_and_none_apart() -> None:
    column = text_column(["a", None, "b", "a"])
    assert (column.values.tolist(), column.texts) == ([0, -1, 1, 0], ("a", "b"))


class Slow(MemoryStore):
    """A store in which appending takes as long as a test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.is_working, self.may_finish = threading.Event(), threading.Event()

    def append_batches(self, batches: Sequence[Batch]) -> int:
        self.is_working.set()
        assert self.may_finish.wait(20)
        return sum(batch.rows for batch in batches)


def test_what_is_being_stored_when_the_owner_is_to_end_is_acknowledged_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, acknowledged = Slow(), []
    reading_end, lifeline = os.pipe()
    with (
        open(reading_end) as stdin,  # noqa: PTH123 - it is a descriptor
        sockets.listen(tmp_path / "all") as listener,
        sockets.listen(tmp_path / "reading") as reading,
    ):
        monkeypatch.setattr("sys.stdin", stdin)
        owner = threading.Thread(target=serve, args=(store, listener, reading))
        owner.start()
        client = StoreClient(tmp_path / "all")
        writer = threading.Thread(target=lambda: acknowledged.append(client.append([health(1)])))
        writer.start()
        assert store.is_working.wait(20)
        os.close(lifeline)
        owner.join(0.2)
        assert owner.is_alive()
        store.may_finish.set()
        owner.join(20)
        writer.join(20)
        client.close()
    assert (owner.is_alive(), acknowledged) == (False, [1])
