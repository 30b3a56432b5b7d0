"""A probe's bytes, and when the kernel got them; standard library only.

A process may be kept from running when a datagram arrives. So both ends take the kernel's receive time: the echo tells
how long a probe lay with it, the prober knows how long a reply did, and neither counts as time on the network.
"""

import socket
import struct
import time

PROBE = struct.Struct("!8sQQ40s")
"""Magic, nonce, time spent at the echo in ns, filling."""
MAGIC = b"pingmesh"
FILLING = bytes(range(40))
NONCE = struct.Struct("!Q")
NONCE_OFFSET = len(MAGIC)
HELD = struct.Struct("!Q")
HELD_OFFSET = NONCE_OFFSET + NONCE.size
LARGEST = 65536

SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("=qq")
ANCILLARY_SPACE = socket.CMSG_SPACE(TIMESPEC.size)

Received = tuple[int, int, tuple[str, int]]
"""Length, nanoseconds since the kernel got it, sender."""


def new_probe() -> bytearray:
    """A probe whose nonce is still to be set."""
    return bytearray(PROBE.pack(MAGIC, 0, 0, FILLING))


def ask_for_times(opened: socket.socket) -> None:
    """Let the kernel note when it received each datagram of a socket."""
    opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)


def receive(opened: socket.socket, buffers: list[bytearray]) -> Received:
    """Read one datagram into the only buffer. Raises OSError."""
    length, ancillary, _, sender = opened.recvmsg_into(buffers, ANCILLARY_SPACE)
    # Both clock readings are of this moment, so a clock that is being set can't spoil their difference.
    waited_ns = 0
    if ancillary:
        seconds, nanoseconds = TIMESPEC.unpack(ancillary[0][2])
        waited_ns = max(time.time_ns() - seconds * 1_000_000_000 - nanoseconds, 0)
    return length, waited_ns, sender
