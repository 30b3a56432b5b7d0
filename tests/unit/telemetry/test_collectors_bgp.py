"""BGP sessions from daemons that answer, keep silent, or go away."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from netopsbench.telemetry.collectors.bgp import BgpCollector, Session, changes, read_sessions, times_lost

UP = {
    "remoteAs": 65001, "msgRcvd": 10, "msgSent": 11, "peerUptimeMsec": 5000, "pfxRcd": 3, "state": "Established",
    "connectionsDropped": 0,
}  # fmt: skip
DOWN = UP | {"state": "Active", "pfxRcd": 0, "peerUptimeMsec": 1000, "connectionsDropped": 1}
SECOND_NS = 10**9


def session(state: str = "Established", up_down_s: float = 5.0, lost: int = 0) -> Session:
    return Session(state, 65001, 3, 10, 11, up_down_s, lost)


class Daemon:
    """Answers every question with the sessions it is given, in pieces; None keeps silent, b"" hangs up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.says: dict[str, object] | bytes | None = {}
        self.questions: list[bytes] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(peer,), daemon=True).start()

    def _talk(self, peer: socket.socket) -> None:
        with peer:
            while question := peer.recv(1024):
                self.questions.append(question)
                if self.says is None:
                    continue
                if isinstance(self.says, bytes):
                    text = self.says
                    if not text:
                        return
                else:
                    text = json.dumps({"peers": self.says}).encode()
                for piece in (text[:7], text[7:], b"\0\0", b"\0\0"):
                    peer.sendall(piece)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Callable[[str], Daemon]]:
    with ExitStack() as running:

        def start(name: str) -> Daemon:
            started = Daemon(tmp_path / name)
            running.callback(started.close)
            return started

        yield start


def collector(
    *daemons: Daemon, is_reduced: bool = False, snapshot_ns: int = SECOND_NS, deadline_s: float = 20
) -> BgpCollector:
    sockets = {each.path.name: str(each.path) for each in daemons}
    return BgpCollector(sockets, is_reduced=is_reduced, snapshot_ns=snapshot_ns, deadline_s=deadline_s)


def test_every_session_of_every_switch_is_a_row_with_the_published_fields(daemon: Callable[[str], Daemon]) -> None:
    leaf1, leaf2 = daemon("leaf1"), daemon("leaf2")
    leaf1.says, leaf2.says = {"10.0.0.1": UP}, {"10.0.0.5": DOWN}
    found = collector(leaf1, leaf2).poll(7)
    assert sorted(found.rows["bgp_neighbor"]) == [
        (7, "leaf1", "10.0.0.1", "Established", 65001, 3, 10, 11, 5.0, 0),
        (7, "leaf2", "10.0.0.5", "Active", 65001, 0, 10, 11, 1.0, 1),
    ]
    assert (found.rows["bgp_event"], found.gaps) == ([], [])


def test_a_session_that_went_down_is_an_event_and_one_conversation_is_enough(daemon: Callable[[str], Daemon]) -> None:
    leaf1 = daemon("leaf1")
    leaf1.says = {"10.0.0.1": UP}
    polled = collector(leaf1)
    polled.poll(1)
    leaf1.says = {"10.0.0.1": DOWN}
    assert polled.poll(2).rows["bgp_event"] == [(2, "leaf1", "10.0.0.1", "Established", "Active", 1)]
    assert leaf1.questions == [b"show bgp ipv4 unicast summary json\0"] * 2


def test_reduced_polls_write_what_changed_and_what_is_down_and_a_snapshot_writes_all(
    daemon: Callable[[str], Daemon],
) -> None:
    leaf1 = daemon("leaf1")
    leaf1.says = {"10.0.0.1": UP, "10.0.0.2": UP, "10.0.0.3": DOWN}
    polled = collector(leaf1, is_reduced=True)

    def addresses(now_ns: int) -> list[object]:
        return [row[2] for row in polled.poll(now_ns).rows["bgp_neighbor"]]

    assert addresses(SECOND_NS) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
    assert addresses(SECOND_NS + 1) == ["10.0.0.3"]
    leaf1.says = {"10.0.0.1": UP | {"connectionsDropped": 1}, "10.0.0.2": UP, "10.0.0.3": DOWN}
    assert addresses(SECOND_NS + 2) == ["10.0.0.1", "10.0.0.3"]
    assert addresses(2 * SECOND_NS) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


def test_a_daemon_that_keeps_silent_is_a_gap_since_its_last_answer_and_others_are_read(
    daemon: Callable[[str], Daemon],
) -> None:
    leaf1, leaf2 = daemon("leaf1"), daemon("leaf2")
    leaf1.says = leaf2.says = {"10.0.0.1": UP}
    polled = collector(leaf1, leaf2, deadline_s=0.3)
    polled.poll(1)
    leaf1.says = None
    found = polled.poll(5)
    assert [row[1] for row in found.rows["bgp_neighbor"]] == ["leaf2"]
    (gap,) = found.gaps
    assert (gap.source, gap.since_ns, gap.t_ns, gap.collector) == ("leaf1", 1, 5, "bgp")
    assert gap.what == "the BGP daemon did not answer in 0.3 s"


def test_what_changed_while_a_daemon_was_silent_is_told_when_it_answers_again(daemon: Callable[[str], Daemon]) -> None:
    leaf1 = daemon("leaf1")
    leaf1.says = {"10.0.0.1": UP}
    polled = collector(leaf1, deadline_s=0.3)
    polled.poll(1)
    leaf1.says = None
    assert polled.poll(2).rows["bgp_event"] == []
    leaf1.says = {"10.0.0.1": DOWN}
    assert polled.poll(3).rows["bgp_event"] == [(3, "leaf1", "10.0.0.1", "Established", "Active", 1)]


@pytest.mark.parametrize("says", [b"", b"% Unknown command", b"[1]{", b'{"peers": {"10.0.0.1": {"state": 3}}}'])
def test_a_daemon_that_hangs_up_or_talks_nonsense_is_a_gap(daemon: Callable[[str], Daemon], says: bytes) -> None:
    leaf1 = daemon("leaf1")
    leaf1.says = says
    found = collector(leaf1).poll(1)
    assert (found.rows["bgp_neighbor"], [gap.source for gap in found.gaps]) == ([], ["leaf1"])


def test_a_daemon_that_does_not_run_is_a_gap(tmp_path: Path) -> None:
    polled = BgpCollector({"leaf1": str(tmp_path / "none")}, is_reduced=False, snapshot_ns=1, deadline_s=1)
    assert [gap.what for gap in polled.poll(1).gaps] == ["the BGP daemon does not run: No such file or directory"]


def test_a_daemon_that_was_started_anew_is_asked_anew(daemon: Callable[[str], Daemon]) -> None:
    leaf1 = daemon("leaf1")
    leaf1.says = b""
    polled = collector(leaf1)
    polled.poll(1)
    leaf1.says = {"10.0.0.1": UP}
    assert len(polled.poll(2).rows["bgp_neighbor"]) == 1


def test_a_switch_without_sessions_has_none() -> None:
    assert read_sessions("{}") == {}


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (session(), session(), 0),
        (session(), session(state="Idle", lost=1), 1),
        (session(lost=1), session(lost=4), 3),
        (session(up_down_s=50), session(up_down_s=1), 1),
        (session(lost=6), session(lost=0, up_down_s=1), 1),
        (session(state="Idle", lost=2), session(lost=0), 0),
        (session(), None, 1),
        (session(state="Active"), None, 0),
        (None, session(), 0),
    ],
    ids=[
        "nothing happened", "went down", "flapped", "flapped uncounted", "daemon restarted", "restarted while down",
        "unconfigured while up", "unconfigured while down", "new",
    ],
)  # fmt: skip
def test_how_often_a_session_was_lost(old: Session | None, new: Session | None, lost: int) -> None:
    assert times_lost(old, new) == lost


def test_sessions_that_appear_and_vanish_are_changes() -> None:
    assert changes({"a": session()}, {"b": session(state="Idle")}) == {
        "a": ("Established", None, 1),
        "b": (None, "Idle", 0),
    }


def test_a_session_that_keeps_trying_is_no_event_until_it_is_up() -> None:
    assert changes({"a": session(state="Idle")}, {"a": session(state="Active")}) == {}
    assert changes({"a": session(state="Active")}, {"a": session()}) == {"a": ("Active", "Established", 0)}
