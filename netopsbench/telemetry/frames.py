"""Messages on a unix socket: a JSON head and raw bytes, each with its length in front; standard library only."""

import json
import socket
import struct
from collections.abc import Sequence
from typing import Any

LENGTHS = struct.Struct("!IQ")
LONGEST_HEAD = 1 << 28
LONGEST_PAYLOAD = 1 << 32


def send(peer: socket.socket, head: dict[str, Any], payload: Sequence[bytes] = ()) -> None:
    """Send one message. Raises OSError when the other side is gone."""
    text = json.dumps(head, separators=(",", ":")).encode()
    peer.sendall(LENGTHS.pack(len(text), sum(len(part) for part in payload)) + text)
    for part in payload:
        peer.sendall(part)


def receive(peer: socket.socket) -> tuple[dict[str, Any], memoryview] | None:
    """The next message; None when the other side closed between two messages.

    Raises ConnectionError when it closed inside one, ValueError on nonsense.
    """
    lengths = _exactly(peer, LENGTHS.size, may_end=True)
    if lengths is None:
        return None
    head_length, payload_length = LENGTHS.unpack(lengths)
    if head_length > LONGEST_HEAD or payload_length > LONGEST_PAYLOAD:
        raise ValueError(f"a message of {head_length} + {payload_length} bytes is no message of ours")
    head = json.loads(bytes(_exactly(peer, head_length) or b""))
    if not isinstance(head, dict):
        raise ValueError("a message head is a JSON object")
    return head, _exactly(peer, payload_length) or memoryview(b"")


def _exactly(peer: socket.socket, length: int, *, may_end: bool = False) -> memoryview | None:
    """The next `length` bytes; None when the stream ended before the first of them and it may."""
    block = memoryview(bytearray(length))
    filled = 0
    while filled < length:
        got = peer.recv_into(block[filled:])
        if not got:
            if may_end and not filled:
                return None
            raise ConnectionError(f"the connection ended {length - filled} bytes early")
        filled += got
    return block
