"""The answering side of the mesh: sends every datagram back; standard library only."""

import select
import socket
import time
from collections.abc import Sequence

from netopsbench.telemetry.datagram import LARGEST, SMALL, receive, set_held
from netopsbench.telemetry.schedule import ECHO_PORT

BEAT_S = 0.05


def answer_probes(sockets: Sequence[socket.socket], stalls: memoryview, stall_ns: int) -> None:
    """Echo for ever; `stalls[0]` counts the times at which it was kept from running for `stall_ns` or longer."""
    poll = select.epoll()
    by_file = {opened.fileno(): opened for opened in sockets}
    for file in by_file:
        poll.register(file, select.EPOLLIN)
    buffer = bytearray(LARGEST)
    before = time.monotonic_ns()
    while True:
        for file, _ in poll.poll(BEAT_S, len(by_file)):
            answer(by_file[file], buffer)
        now = time.monotonic_ns()
        if now - before > stall_ns:
            stalls[0] += 1
        before = now


def answer(opened: socket.socket, buffer: bytearray) -> None:
    """Send one datagram back; what can't be received or sent is a lost probe, which the prober sees."""
    try:
        length, waited_ns, sender = receive(opened, [buffer])
        if length >= SMALL:
            set_held(buffer, waited_ns)
        # Two echo ports would throw a forged datagram to and fro for ever.
        if sender[1] != ECHO_PORT:
            opened.sendto(memoryview(buffer)[:length], sender)
    except OSError:
        return
