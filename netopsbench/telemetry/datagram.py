"""A probe's bytes, and when the kernel got them; standard library only.

A process may be kept from running when a datagram arrives. So both ends take the kernel's receive time: the echo tells
how long a probe lay with it, the prober knows how long a reply did, and neither counts as time on the network.
"""

import socket
import struct
import time

HEAD = struct.Struct("!8sQQQQ")
"""Magic, nonce and its complement, time spent at the echo in ns and its complement."""
MAGIC = b"pingmesh"
PAIR = struct.Struct("!QQ")
NONCE_OFFSET = len(MAGIC)
HELD_OFFSET = NONCE_OFFSET + PAIR.size
NOT_HELD = bytes(PAIR.size)
"""What a probe carries on its way to the echo instead of a time and its complement."""
COMPLEMENT = (1 << 64) - 1
SMALL = 64
"""Bytes of an ordinary probe."""
LARGEST = 65536
IP_AND_UDP = 28
"""Bytes of the headers in front of a probe."""

SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("=qq")
ANCILLARY_SPACE = socket.CMSG_SPACE(TIMESPEC.size)

Received = tuple[int, int, tuple[str, int]]
"""Length, nanoseconds since the kernel got it, sender."""


def filling(length: int) -> bytes:
    """What follows the head of a probe of `length` bytes."""
    return (bytes(range(256)) * (length // 256 + 1))[: length - HEAD.size]


def new_probe(length: int) -> bytearray:
    """A probe of `length` bytes whose nonce is still to be set."""
    return bytearray(HEAD.pack(MAGIC, 0, 0, 0, 0) + filling(length))


def set_held(probe: bytearray, held_ns: int) -> None:
    """Note how long the probe lay with the echo, unless that part of it was damaged."""
    if probe.startswith(MAGIC) and probe.startswith(NOT_HELD, HELD_OFFSET):
        PAIR.pack_into(probe, HELD_OFFSET, held_ns, held_ns ^ COMPLEMENT)


def read(reply: bytearray, rest: bytes) -> tuple[int, int] | None:
    """Nonce and time at the echo in ns of a reply that ends in `rest`; None when any of its bytes is damaged."""
    magic, nonce, nonce_check, held_ns, held_check = HEAD.unpack_from(reply)
    is_whole = (
        magic == MAGIC
        and nonce ^ nonce_check == COMPLEMENT
        and held_ns ^ held_check == COMPLEMENT
        and reply.startswith(rest, HEAD.size)
    )
    return (nonce, held_ns) if is_whole else None


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
