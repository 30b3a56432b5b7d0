"""The one syslog reader of a fabric: owns every node's /dev/log and keeps the latest lines; standard library only.

The keeper starts it before any daemon runs. syslog(3) blocks while a socket's queue is full, and the queue is ten
datagrams long where an ordinary user can't raise it: a reader that only starts later would hold up routing. If the
reader ends, its sockets close and senders go on without it.
"""

import contextlib
import json
import os
import select
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LINES_SOCKET = "/run/lines"
"""Where the lines can be asked for, in the sandbox; nodes have a /run of their own."""
LONGEST_LINE = 8192
CUT_MARK = b" [cut]"
KEPT_CHARS = 16 << 20
LINES_AT_ONCE = 4000
_PER_TURN = 32
_ROOM_DEADLINE_S = 20.0
_CURSOR = struct.Struct("!Q")
_LENGTH = struct.Struct("!I")


class Line(NamedTuple):
    """One datagram of syslog."""

    number: int
    """Counts the lines of the whole fabric, from 0."""
    t_ns: int
    """When the reader took it."""
    node: str
    """Whose socket it came through; the text can claim anything."""
    text: str


@dataclass(frozen=True)
class Lines:
    """A reader's answer."""

    lines: Sequence[Line]
    lost: int
    """Lines between the asked-for one and the first here, which are no longer kept."""
    following: int
    """Number to ask for next."""


class Book:
    """The latest lines of all nodes, up to `kept_chars` of text."""

    def __init__(self, kept_chars: int = KEPT_CHARS) -> None:
        self._kept_chars = kept_chars
        self._lines: deque[Line] = deque()
        self._chars = 0
        self._following = 0
        self._lock = threading.Lock()

    def add(self, t_ns: int, node: str, raw: bytes) -> None:
        """Keep one line; the oldest make room."""
        if len(raw) > LONGEST_LINE:
            raw = raw[:LONGEST_LINE] + CUT_MARK
        text = raw.decode(errors="replace")
        with self._lock:
            self._lines.append(Line(self._following, t_ns, node, text))
            self._following += 1
            self._chars += len(text)
            while self._chars > self._kept_chars:
                self._chars -= len(self._lines.popleft().text)

    def since(self, number: int) -> Lines:
        """The lines from `number` on, as many as fit into one answer."""
        with self._lock:
            first = self._lines[0].number if self._lines else self._following
            start = max(number, first)
            last = min(len(self._lines), start - first + LINES_AT_ONCE)
            chosen = [self._lines[at] for at in range(start - first, last)]
        return Lines(chosen, start - number, start + len(chosen))


def ask(asked: socket.socket, number: int) -> Lines:
    """Ask a reader for the lines from `number` on. Raises OSError when it is gone, ValueError on nonsense."""
    asked.sendall(_CURSOR.pack(number))
    (length,) = _LENGTH.unpack(_exactly(asked, _LENGTH.size))
    said = json.loads(_exactly(asked, length))
    return Lines([Line(*line) for line in said["lines"]], said["lost"], said["following"])


def connect(path: str, timeout_s: float) -> socket.socket:
    """A socket to the reader that listens at `path`. Raises OSError."""
    asked = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        asked.settimeout(timeout_s)
        asked.connect(path)
    except OSError:
        asked.close()
        raise
    return asked


def start_reader(pids: Mapping[str, int]) -> int:
    """Own /dev/log of each node, whose first process is given, from a child process; returns its PID."""
    logs = {name: bind_log(pid) for name, pid in pids.items()}
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(LINES_SOCKET)
    listener.listen(8)
    child = os.fork()
    if child:
        # A second holder would keep senders waiting for ever once the reader is gone.
        for held in (*logs.values(), listener):
            held.close()
        return child
    try:
        void = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(void, descriptor)
        read(logs, listener, Book())
    finally:
        # Whatever ended it: from here on this process would act as a second keeper.
        os._exit(1)


def bind_log(pid: int) -> socket.socket:
    """A node's /dev/log, made from outside. Raises OSError when the node has no /dev of its own in time."""
    deadline = time.monotonic() + _ROOM_DEADLINE_S
    while True:
        with contextlib.suppress(FileNotFoundError):
            folder = os.open(f"/proc/{pid}/root/dev", os.O_PATH | os.O_DIRECTORY)
            try:
                # Until the sandbox has pivoted its /dev is the machine's, which must not be touched.
                if os.fstat(folder).st_dev != os.stat("/dev").st_dev:  # noqa: PTH116 - beside fstat
                    return _bound(f"/proc/self/fd/{folder}/log")
            finally:
                os.close(folder)
        if time.monotonic() > deadline:
            raise TimeoutError(f"node process {pid} has no /dev of its own after {_ROOM_DEADLINE_S:g} s")
        time.sleep(0.002)


def _bound(path: str) -> socket.socket:
    held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        held.bind(path)
        os.chmod(path, 0o666)  # noqa: PTH101 - a path that only exists through a descriptor
    except OSError:
        held.close()
        raise
    held.setblocking(False)
    return held


def read(logs: Mapping[str, socket.socket], listener: socket.socket, book: Book) -> None:
    """Take lines for ever; questions are answered beside it, so that a slow asker holds up no daemon."""
    threading.Thread(target=_answer_all, args=(listener, book), daemon=True).start()
    poll = select.epoll()
    by_file = {held.fileno(): (name, held) for name, held in logs.items()}
    for file in by_file:
        poll.register(file, select.EPOLLIN)
    while True:
        for file, _ in poll.poll():
            name, held = by_file[file]
            take(held, lambda raw, name=name: book.add(time.time_ns(), name, raw))  # type: ignore[misc]


def take(held: socket.socket, add: Callable[[bytes], None]) -> None:
    """Hand over what waits in a socket, a bounded share of it so that one loud node can't silence the others."""
    for _ in range(_PER_TURN):
        try:
            add(held.recv(LONGEST_LINE + 1))
        except BlockingIOError:
            return


def _answer_all(listener: socket.socket, book: Book) -> None:
    while True:
        asker, _ = listener.accept()
        threading.Thread(target=_answer, args=(asker, book), daemon=True).start()


def _answer(asker: socket.socket, book: Book) -> None:
    with asker, contextlib.suppress(OSError):
        while True:
            (number,) = _CURSOR.unpack(_exactly(asker, _CURSOR.size))
            found = book.since(number)
            text = json.dumps({"lines": found.lines, "lost": found.lost, "following": found.following}).encode()
            asker.sendall(_LENGTH.pack(len(text)) + text)


def _exactly(peer: socket.socket, length: int) -> bytes:
    pieces = []
    while length:
        piece = peer.recv(length)
        if not piece:
            raise ConnectionError("the other side closed")
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)
