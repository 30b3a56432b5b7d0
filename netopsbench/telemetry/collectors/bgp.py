"""BGP sessions, read from the routing daemons' own sockets; standard library only."""

import json
import select
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from netopsbench.telemetry.collectors.rows import Gap, Gathered, Row

COLLECTOR = "bgp"
COMMAND = "show bgp ipv4 unicast summary json"
ESTABLISHED = "Established"
_END = b"\0\0\0"


class Session(NamedTuple):
    """One session at one poll."""

    state: str
    asn: int
    prefixes: int
    received: int
    sent: int
    up_down_s: float
    times_lost: int


class Vty:
    """A conversation with one daemon that stays open: opening one anew would cost as much as the answer."""

    def __init__(self, path: str) -> None:
        """Raises OSError when the daemon doesn't listen."""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self._answer = b""
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise

    def ask(self, command: str) -> None:
        self.socket.sendall(command.encode() + b"\0")

    def take(self) -> str | None:
        """The answer once it is whole. Raises OSError when the daemon hung up."""
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise ConnectionError("it closed the connection")
        self._answer += piece
        # An answer ends with three zero bytes and a status byte.
        if self._answer[-4:-1] != _END:
            return None
        whole, self._answer = self._answer[:-4], b""
        return whole.decode(errors="replace")


class BgpCollector:
    """Asks all daemons at once, and tells what changed since the poll before."""

    def __init__(self, sockets: Mapping[str, str], *, is_reduced: bool, snapshot_ns: int, deadline_s: float) -> None:
        """`sockets` maps a switch to its daemon's socket; `is_reduced` writes healthy sessions every `snapshot_ns`."""
        self._sockets = sockets
        self._is_reduced = is_reduced
        self._snapshot_ns = snapshot_ns
        self._deadline_s = deadline_s
        self._lines: dict[str, Vty] = {}
        self._known: dict[str, dict[str, Session]] = {}
        self._answered_ns: dict[str, int] = {}
        self._whole_ns = 0

    def poll(self, now_ns: int) -> Gathered:
        """One look at every switch; a switch that doesn't answer is a gap, and so is what can't be read."""
        is_whole = not self._is_reduced or now_ns - self._whole_ns >= self._snapshot_ns
        if is_whole:
            self._whole_ns = now_ns
        answers, silent = self._ask_all()
        sessions: list[Row] = []
        events: list[Row] = []
        for source, answer in answers.items():
            try:
                found = read_sessions(answer)
            except ValueError:
                silent[source] = "the BGP daemon's answer can't be read"
                continue
            changed = {} if source not in self._known else changes(self._known[source], found)
            events += [(now_ns, source, address, *change) for address, change in changed.items()]
            sessions += [
                _row(now_ns, source, address, session)
                for address, session in found.items()
                if is_whole or session.state != ESTABLISHED or address in changed
            ]
            self._known[source], self._answered_ns[source] = found, now_ns
        gaps = [
            Gap(now_ns, self._answered_ns.get(source, now_ns), COLLECTOR, source, 1, why)
            for source, why in silent.items()
        ]
        return Gathered({"bgp_neighbor": sessions, "bgp_event": events}, gaps)

    def _ask_all(self) -> tuple[dict[str, str], dict[str, str]]:
        """Answers by switch, and why there is none by switch."""
        answers: dict[str, str] = {}
        silent: dict[str, str] = {}
        poll = select.poll()
        waiting: dict[int, str] = {}
        for source, path in self._sockets.items():
            try:
                line = self._lines.get(source) or Vty(path)
                self._lines[source] = line
                line.ask(COMMAND)
            except OSError as error:
                self._hang_up(source)
                silent[source] = f"the BGP daemon does not run: {error.strerror or error}"
                continue
            waiting[line.socket.fileno()] = source
            poll.register(line.socket, select.POLLIN)
        end = time.monotonic() + self._deadline_s
        while waiting and (left_s := end - time.monotonic()) > 0:
            for file, _ in poll.poll(left_s * 1000):
                self._hear(file, waiting, poll, answers, silent)
        for source in waiting.values():
            # What it says later would be taken for the answer to the next question.
            self._hang_up(source)
            silent[source] = f"the BGP daemon did not answer in {self._deadline_s:g} s"
        return answers, silent

    def _hear(
        self, file: int, waiting: dict[int, str], poll: select.poll, answers: dict[str, str], silent: dict[str, str]
    ) -> None:
        source = waiting[file]
        try:
            answer = self._lines[source].take()
        except OSError as error:
            silent[source] = f"the BGP daemon ended: {error.strerror or error}"
        else:
            if answer is None:
                return
            answers[source] = answer
        poll.unregister(file)
        del waiting[file]
        if source in silent:
            self._hang_up(source)

    def _hang_up(self, source: str) -> None:
        line = self._lines.pop(source, None)
        if line is not None:
            line.socket.close()


def read_sessions(answer: str) -> dict[str, Session]:
    """The sessions in a daemon's answer, by neighbor address. Raises ValueError when it is no such answer."""
    said = json.loads(answer)
    peers: dict[str, Any] = said.get("peers", {}) if isinstance(said, dict) else {}
    try:
        return {address: _session(peer) for address, peer in peers.items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"not a summary of BGP sessions: {error!r}") from error


def _session(peer: dict[str, Any]) -> Session:
    return Session(
        state=str(peer["state"]),
        asn=int(peer["remoteAs"]),
        prefixes=int(peer.get("pfxRcd", 0)),
        received=int(peer["msgRcvd"]),
        sent=int(peer["msgSent"]),
        up_down_s=int(peer.get("peerUptimeMsec", 0)) / 1000,
        times_lost=int(peer.get("connectionsDropped", 0)),
    )


def changes(before: Mapping[str, Session], now: Mapping[str, Session]) -> dict[str, tuple[str | None, str | None, int]]:
    """Sessions that came, went, came up or were lost: old state, new state and times lost, by neighbor address."""
    found: dict[str, tuple[str | None, str | None, int]] = {}
    for address in (*before, *(address for address in now if address not in before)):
        old, new = before.get(address), now.get(address)
        lost = times_lost(old, new)
        # While a session is down its state goes round and round; the rows of each poll have it.
        if lost or old is None or new is None or (old.state == ESTABLISHED) != (new.state == ESTABLISHED):
            found[address] = (old.state if old else None, new.state if new else None, lost)
    return found


def times_lost(old: Session | None, new: Session | None) -> int:
    """How often a session was lost between two polls, at least."""
    if old is None or new is None:
        return int(old is not None and old.state == ESTABLISHED)
    counted = new.times_lost - old.times_lost
    if counted < 0:
        # The daemon was started anew; what it had held before is lost as well.
        return new.times_lost + int(old.state == ESTABLISHED)
    both_up = old.state == new.state == ESTABLISHED
    return max(counted, int(both_up and new.up_down_s < old.up_down_s))


def _row(now_ns: int, source: str, address: str, session: Session) -> Sequence[str | int | float | None]:
    state, asn, prefixes, received, sent, up_down_s, lost = session
    return now_ns, source, address, state, asn, prefixes, received, sent, up_down_s, lost
