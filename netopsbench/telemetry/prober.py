"""Pingmesh inside the sandbox: `python -m netopsbench.telemetry.prober`; standard library only.

It reads its configuration as one line of JSON on standard input and ends when standard input ends; a line before that
gives up the epoch under way and begins another. It reports on standard output, a line of JSON each: `ready`; `epoch`
when an epoch is in the store; `failed` with a message.
Three processes share the work: this one sends and receives, one echoes, one records.
"""

import gc
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from math import ceil
from types import TracebackType

from netopsbench.telemetry.echo import answer_probes
from netopsbench.telemetry.flight import Paths
from netopsbench.telemetry.netns import die_with_parent
from netopsbench.telemetry.probe_loop import ProbeLoop
from netopsbench.telemetry.probe_sockets import DropCounter, open_sockets, raise_file_limit
from netopsbench.telemetry.prober_config import Configuration, read_configuration
from netopsbench.telemetry.recorder import RowMaker, Slot, record_epochs, say
from netopsbench.telemetry.schedule import PORTS

WORD = 8
SPARE_SLOTS = 3
"""Epochs that may wait for the store while later ones are on their way."""
FAREWELL_S = 2.0
"""How long the recorder may take to finish the epoch it has in hand."""


def shared_words(count: int) -> memoryview:
    """`count` 64-bit numbers that this process and those it forks see alike."""
    return memoryview(mmap.mmap(-1, max(count, 1) * WORD)).cast("q")[:count]


def shared_slots(asked: Configuration) -> list[Slot]:
    """Buffers for all epochs that can be on their way or wait for the store at one time."""
    cells = 2 * len(asked.clients) * (len(asked.clients) - 1) * PORTS
    on_their_way = 1 + ceil(asked.timeout_ns / asked.epoch_ns)
    return [Slot(shared_words(cells), shared_words(cells)) for _ in range(on_their_way + SPARE_SLOTS)]


def forked(task: Callable[[], None]) -> int:
    """Start `task` as a child process that dies with this one; returns its PID."""
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    die_with_parent(parent, signal.SIGKILL)
    task()
    # Leaving like the parent would flush and close what belongs to the parent.
    os._exit(0)


def report_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The last word of a prober, or of a part of it, that failed."""
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "unknown"  # noqa: PTH119 - standard library at its lightest
    say("failed", message=f"{kind.__name__} at {place}: {error}")
    os._exit(1)


def start_recorder(asked: Configuration, slots: Sequence[Slot]) -> tuple[socket.socket, int]:
    """The socket that leads to the recorder's process, and its PID."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def record() -> None:
        ours.close()
        record_epochs(RowMaker(asked.clients, asked.port_batches), slots, theirs, asked.store)

    child = forked(record)
    theirs.close()
    return ours, child


def end(child: int, within_s: float) -> None:
    """Wait for a child, then end it by force."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main() -> int:
    """Open the sockets, start the other two processes, probe until standard input ends."""
    sys.excepthook = report_uncaught
    raise_file_limit()
    asked = read_configuration(sys.stdin.readline())
    opened = [open_sockets(client, obey_path_mtu=asked.obey_path_mtu) for client in asked.clients]
    slots = shared_slots(asked)
    echo_stalls = shared_words(1)
    echo = forked(lambda: answer_probes([held.echo for held in opened], echo_stalls, asked.stall_ns))
    recorder_socket, recorder = start_recorder(asked, slots)
    paths = Paths(asked.clients, opened)
    loop = ProbeLoop(asked, paths, slots, recorder_socket, (DropCounter(opened), echo_stalls))
    # What lives now lives to the end; collecting it over and over would only hold up probes.
    gc.freeze()
    gc.disable()
    say("ready")
    trouble = loop.run({os.pidfd_open(echo): "echo", os.pidfd_open(recorder): "recorder"})
    if trouble:
        say("failed", message=trouble)
    recorder_socket.close()
    end(recorder, FAREWELL_S)
    end(echo, 0)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
