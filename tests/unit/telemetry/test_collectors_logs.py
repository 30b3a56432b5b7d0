"""Lines of syslog: the reader, the way to the collector, and the parts of a line."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netopsbench.fabric import syslog
from netopsbench.fabric.syslog import Book
from netopsbench.telemetry.collectors.logs import LogCollector, Parsed, parse


def fill(book: Book, first: int, count: int, node: str = "leaf1") -> None:
    for number in range(first, first + count):
        book.add(number, node, b"<30>Nov 29 23:00:45 bgpd[9]: line %d" % number)


class Reader:
    """The reader of two nodes, whose /dev/log lie in a folder."""

    def __init__(self, folder: Path, book: Book) -> None:
        self.path = str(folder / "lines")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path)
        listener.listen()
        logs = {}
        for name in ("leaf1", "leaf2"):
            logs[name] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            logs[name].bind(str(folder / name))
            logs[name].setblocking(False)
        self._folder = folder
        threading.Thread(target=syslog.read, args=(logs, listener, book), daemon=True).start()

    def send(self, node: str, raw: bytes) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(20)
            sender.connect(str(self._folder / node))
            sender.send(raw)


@pytest.fixture
def reader(tmp_path: Path) -> Callable[[Book], Reader]:
    return lambda book: Reader(tmp_path, book)


def lines_until(collector: LogCollector, count: int) -> list[tuple[object, ...]]:
    """Poll until so many lines came; the test's own time limit ends a wait in vain."""
    found: list[tuple[object, ...]] = []
    while len(found) < count:
        found += [tuple(row)[1:] for row in collector.poll(1).rows["log_line"]]
    return found


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        (
            "<30>Nov 29 23:00:45 bgpd[9]: [N9HHH-F8H1M] %ADJCHANGE: neighbor 10.1.1.1(spine1) in vrf default Up",
            Parsed(
                "info", "daemon", "bgpd", 9, "[N9HHH-F8H1M] %ADJCHANGE: neighbor 10.1.1.1(spine1) in vrf default Up"
            ),
        ),
        ("<11>Nov  9 23:00:45 test: hello", Parsed("err", "user", "test", None, "hello")),
        ("<0>panic: oops", Parsed("emerg", "kern", "panic", None, "oops")),
        ("<191>x[1]:y", Parsed("debug", "local7", "x", 1, "y")),
        ("no priority at all", Parsed("notice", "user", "", None, "no priority at all")),
        ("<999>Nov 29 23:00:45 a: b", Parsed("notice", "user", "a", None, "b")),
        ("<13>Nov 29 23:00:45 two words: b", Parsed("notice", "user", "", None, "two words: b")),
        ("", Parsed("notice", "user", "", None, "")),
        ("<13>a: line one\nline two\n", Parsed("notice", "user", "a", None, r"line one\x0aline two")),
        ("<13>a: \x1b[31mred\x00", Parsed("notice", "user", "a", None, r"\x1b[31mred")),
    ],
)
def test_a_line_is_taken_apart_as_far_as_it_is_one(text: str, parsed: Parsed) -> None:
    assert parse(text) == parsed


@given(st.text())
def test_any_text_is_a_line_and_stays_on_one(text: str) -> None:
    parsed = parse(text)
    assert len(parsed.message.splitlines()) <= 1
    assert "\x00" not in parsed.message


def test_lines_come_with_the_node_whose_socket_took_them(reader: Callable[[Book], Reader]) -> None:
    running = reader(Book())
    running.send("leaf2", b"<13>Nov 29 23:00:45 leaf1: I am leaf1")
    (line,) = lines_until(LogCollector(running.path), 1)
    assert line == ("leaf2", "notice", "user", "leaf1", None, "I am leaf1")


def test_lines_from_before_the_collector_started_are_not_lost_and_none_comes_twice(
    reader: Callable[[Book], Reader],
) -> None:
    book = Book()
    fill(book, 0, 2 * syslog.LINES_AT_ONCE + 7)
    running = reader(book)
    collector = LogCollector(running.path)
    lines_until(collector, 2 * syslog.LINES_AT_ONCE + 7)
    running.send("leaf1", b"<13>last: one")
    assert lines_until(collector, 1) == [("leaf1", "notice", "user", "last", None, "one")]


def test_a_burst_beyond_the_queue_of_a_socket_is_taken_whole(reader: Callable[[Book], Reader]) -> None:
    running = reader(Book())
    for number in range(300):
        running.send("leaf1", b"<13>burst: %d" % number)
    found = lines_until(LogCollector(running.path), 300)
    assert [line[-1] for line in found] == [str(number) for number in range(300)]


def test_lines_that_no_longer_had_room_are_a_gap(reader: Callable[[Book], Reader]) -> None:
    book = Book(kept_chars=400)
    fill(book, 0, 100)
    found = LogCollector(reader(book).path).poll(200)
    (gap,) = found.gaps
    assert gap.missing == 100 - len(found.rows["log_line"])
    assert gap.what == f"{gap.missing} lines came faster than they were fetched and are lost"


def test_a_reader_that_is_gone_is_a_gap_and_one_that_returns_is_asked_again(tmp_path: Path) -> None:
    collector = LogCollector(str(tmp_path / "lines"))
    (gap,) = collector.poll(5).gaps
    assert "the syslog reader does not answer" in gap.what
    book = Book()
    fill(book, 0, 1)
    Reader(tmp_path, book)
    assert len(lines_until(collector, 1)) == 1


def test_a_line_of_any_length_is_kept_up_to_a_limit_and_the_cut_shows() -> None:
    book = Book()
    book.add(1, "leaf1", b"x" * 20_000)
    (line,) = book.since(0).lines
    assert line.text == "x" * syslog.LONGEST_LINE + " [cut]"


def test_bytes_that_are_no_text_are_kept_as_marks() -> None:
    book = Book()
    book.add(1, "leaf1", b"\xff\xfe ok")
    assert book.since(0).lines[0].text == "\ufffd\ufffd ok"


def test_a_process_without_a_dev_of_its_own_never_gets_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syslog, "_ROOM_DEADLINE_S", 0.05)
    existed = Path("/dev/log").exists()
    with pytest.raises(TimeoutError, match="no /dev of its own"):
        syslog.bind_log(os.getpid())
    assert Path("/dev/log").exists() == existed
