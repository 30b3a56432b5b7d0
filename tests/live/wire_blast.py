"""Sends many packets over one link and says what became of each; standard library only.

Run beside the nodes: PIDs and addresses of both ends, packets, packets a second, and the bytes of payload are
arguments. The receiver reads whole frames with the kernel's time of arrival, so that no socket buffer loses any.
"""

import json
import multiprocessing
import socket
import statistics
import struct
import sys
import time
from collections import deque

from netopsbench.fabric import netlink
from netopsbench.faults.wire_relay import Ring

_STAMP = struct.Struct("!8sQQ")
_MARK = b"blast\0\0\0"
_UDP_AT = 14 + 20
_SILENCE_S = 1.0
_CATCH_UP_S = 0.02


def send(pid: int, source: str, destination: str, count: int, rate: int, size: int) -> None:
    """Send at an even pace, each packet with its number and time."""
    with netlink.inside(pid):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.bind((source, 0))
    rest = bytes(size - _STAMP.size)
    started = time.monotonic()
    for number in range(count):
        ahead_s = started + number / rate - time.monotonic()
        if ahead_s > 0.0005:
            time.sleep(ahead_s)
        elif ahead_s < -_CATCH_UP_S:
            # Whoever wasn't given the processor for so long would send more at once than the kernel queues (1,000).
            started -= ahead_s
        # Unconnected, so that the far node's word about a port it doesn't have stops nothing.
        out.sendto(_STAMP.pack(_MARK, number, time.time_ns()) + rest, (destination, 34999))


def main() -> None:
    """Blast and report one line of JSON."""
    pid, source, far_pid, far_interface, destination, count, rate, size = sys.argv[1:]
    with netlink.inside(int(far_pid)):
        ring = Ring(far_interface)
    words = (int(pid), source, destination, int(count), int(rate), int(size))
    sender = multiprocessing.Process(target=send, args=words)
    started = time.monotonic()
    sender.start()
    numbers, delays_ns = set[int](), list[int]()
    heard = time.monotonic()
    elapsed_s = 0.0
    frames: deque[tuple[int, bytes]] = deque()
    while sender.is_alive() or time.monotonic() - heard < _SILENCE_S:
        if sender.is_alive():
            elapsed_s = time.monotonic() - started
            heard = time.monotonic()
        time.sleep(0.005)
        ring.drain(frames)
        while frames:
            arrived_ns, frame = frames.popleft()
            heard = time.monotonic()
            payload = frame[_UDP_AT + 8 :]
            if len(payload) < int(size) or payload[:8] != _MARK:
                continue
            _, number, sent_ns = _STAMP.unpack_from(payload)
            numbers.add(number)
            delays_ns.append(arrived_ns - sent_ns)
    delays_ms = sorted(delay / 1e6 for delay in delays_ns) or [0.0]
    told = {
        "sent": int(count),
        "rate": round(int(count) / elapsed_s),
        "arrived": len(numbers),
        "frames": len(delays_ns),
        "ring_overrun": ring.overrun(),
        "min_ms": delays_ms[0],
        "median_ms": statistics.median(delays_ms),
        "p99_ms": delays_ms[-1 - len(delays_ms) // 100],
        "max_ms": delays_ms[-1],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
