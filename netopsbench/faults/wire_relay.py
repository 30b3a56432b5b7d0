"""Hands on every frame of one interface to another one later; standard library only.

Run in the sandbox, started by `netopsbench.faults.wire_end`: arguments are the interface to read, the one to send by,
the delay in milliseconds and a file for counts. Frames are read from a ring in shared memory with the kernel's own
time of arrival, so that a late wake-up delays no frame as long as it is shorter than the delay. A signal to end lets
it hand on what it holds first.
"""

import contextlib
import json
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from netopsbench.faults.wire_keep import READY

_SOL_PACKET = 263
_PACKET_RX_RING, _PACKET_STATISTICS, _PACKET_VERSION = 5, 6, 10
_PACKET_QDISC_BYPASS, _PACKET_IGNORE_OUTGOING = 20, 23
_TPACKET_V2 = 1
_ETH_P_ALL = 3
_FRAME_BYTES = 9_472
"""Room for the ring's own header and the largest frame of a cable, a multiple of 16."""
_BLOCK_BYTES = 1 << 17
_BLOCKS = 320
"""40 MiB, 4,160 frames: for so many the relay may be kept from running, a fifth of a second at 20,000 a second."""
_MOST_BYTES = 256 << 20
"""Held at once; beyond that frames are lost, and counted."""
_HEADER = struct.Struct("=IIIHHII")
"""Status, length, captured length, offsets of the frame and of its payload, seconds, nanoseconds."""
_FREE = struct.pack("=I", 0)
_STEP_S, _LONGEST_S = 0.0003, 0.02
"""Between two looks while frames are held: work in batches, but well before the ring is full."""
_IDLE_S = 0.05
"""Until the next look for a signal to end, when nothing is held."""
_COUNTS_EVERY_S = 0.1
_NS = 1_000_000_000


class Ring:
    """Frames that arrived at an interface, in memory shared with the kernel."""

    def __init__(self, interface: str) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        self.socket.setsockopt(_SOL_PACKET, _PACKET_VERSION, _TPACKET_V2)
        # Frames that were sent by the interface are none of ours.
        self.socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        per_block = _BLOCK_BYTES // _FRAME_BYTES
        request = struct.pack("=IIII", _BLOCK_BYTES, _BLOCKS, _FRAME_BYTES, per_block * _BLOCKS)
        self.socket.setsockopt(_SOL_PACKET, _PACKET_RX_RING, request)
        self._memory = mmap.mmap(self.socket.fileno(), _BLOCK_BYTES * _BLOCKS)
        self._slots = [
            block * _BLOCK_BYTES + slot * _FRAME_BYTES for block in range(_BLOCKS) for slot in range(per_block)
        ]
        self._next = 0
        self.socket.bind((interface, _ETH_P_ALL))

    def drain(self, into: "deque[tuple[int, bytes]]") -> int:
        """Append all frames that wait, each with its time of arrival; returns their bytes."""
        memory, slots, taken = self._memory, self._slots, 0
        while True:
            at = slots[self._next]
            status, _length, captured, start, _payload, seconds, rest_ns = _HEADER.unpack_from(memory, at)
            if not status & 1:
                return taken
            into.append((seconds * _NS + rest_ns, memory[at + start : at + start + captured]))
            memory[at : at + 4] = _FREE
            taken += captured
            self._next = (self._next + 1) % len(slots)

    def overrun(self) -> int:
        """Frames that found the ring full since the last call."""
        raw = self.socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8)
        return int(struct.unpack("=II", raw)[1])


class Relay:
    """Holds frames until each is due."""

    def __init__(self, entrance: str, far: str, delay_ms: float, counts: Path) -> None:
        self._ring = Ring(entrance)
        self._out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        self._out.setsockopt(_SOL_PACKET, _PACKET_QDISC_BYPASS, 1)
        self._out.bind((far, 0))
        self._delay_ns = round(delay_ms * 1e6)
        self._counts = counts
        self._held: deque[tuple[int, bytes]] = deque()
        self._held_bytes = 0
        self._sent = self._overrun = 0
        self._written_at = 0.0
        self.is_ending = False

    def run(self) -> None:
        """Hand on frames until told to end and nothing is held any more."""
        is_last = False
        while not (is_last and not self._held):
            is_last = self.is_ending
            self._held_bytes += self._ring.drain(self._held)
            self._send_due()
            self._count()
            self._wait()

    def _send_due(self) -> None:
        held, send, now = self._held, self._out.send, time.time_ns()
        # A frame from the future means that the clock was set back: better early than never.
        due, future = now - self._delay_ns, now + _NS
        while held and (held[0][0] <= due or held[0][0] > future):
            frame = held.popleft()[1]
            self._held_bytes -= len(frame)
            # With the far end down a cable without delay loses the frame too.
            with contextlib.suppress(OSError):
                send(frame)
                self._sent += 1
        while self._held_bytes > _MOST_BYTES:
            self._held_bytes -= len(held.popleft()[1])
            self._overrun += 1

    def _wait(self) -> None:
        if self._held:
            left_s = (self._held[0][0] + self._delay_ns - time.time_ns()) / _NS
            time.sleep(min(max(left_s, _STEP_S), _LONGEST_S))
        elif not self.is_ending:
            select.select([self._ring.socket], [], [], _IDLE_S)

    def _count(self) -> None:
        """Write down what was counted, now and then."""
        now = time.monotonic()
        if now - self._written_at < _COUNTS_EVERY_S:
            return
        self._written_at = now
        self._overrun += self._ring.overrun()
        fresh = self._counts.with_suffix(".new")
        fresh.write_text(json.dumps({"delayed": self._sent, "overrun": self._overrun}))
        fresh.replace(self._counts)


def main(words: Sequence[str]) -> None:
    """Relay until a signal to end."""
    entrance, far, delay_ms, counts = words
    # Ahead of everything ordinary, so that a busy machine delays no frame further. Only root may.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    relay = Relay(entrance, far, float(delay_ms), Path(counts))

    def end(*_: object) -> None:
        relay.is_ending = True

    signal.signal(signal.SIGTERM, end)
    os.write(1, READY)
    relay.run()


if __name__ == "__main__":
    main(sys.argv[1:])
