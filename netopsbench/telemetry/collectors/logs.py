"""Lines of syslog, fetched from the fabric's reader and taken apart; standard library only."""

import re
import socket
from typing import NamedTuple

from netopsbench.fabric import syslog
from netopsbench.telemetry.collectors.rows import Gap, Gathered, Row

COLLECTOR = "syslog"
SEVERITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
FACILITIES = (
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp", "ntp",
    "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7",
)  # fmt: skip
UNMARKED = 13
"""Priority of a line without one: user.notice (RFC 3164, 4.3.3)."""
_PRIORITY = re.compile(r"<(\d{1,3})>")
_TIMESTAMP = re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ")
_TAG = re.compile(r"([A-Za-z0-9_./@-]{1,48})(?:\[(\d{1,10})\])?: ?")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TIMEOUT_S = 5.0


class Parsed(NamedTuple):
    """A line of syslog, taken apart."""

    severity: str
    facility: str
    program: str
    pid: int | None
    message: str


def parse(text: str) -> Parsed:
    """Take a line apart as far as it follows RFC 3164; what doesn't is message.

    Its time is ignored: it has no year and no fraction, and is the sender's to choose. A host name is not expected:
    the system's own syslog(3) writes none.
    """
    priority, text = _cut(_PRIORITY, text)
    number = int(priority[1]) if priority and int(priority[1]) < 8 * len(FACILITIES) else UNMARKED
    _, text = _cut(_TIMESTAMP, text)
    tag, text = _cut(_TAG, text)
    message = _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]):02x}", text.rstrip("\n\0"))
    program, pid = (tag[1], int(tag[2]) if tag[2] else None) if tag else ("", None)
    return Parsed(SEVERITIES[number % 8], FACILITIES[number // 8], program, pid, message)


def _cut(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str] | None, str]:
    found = pattern.match(text)
    return found, text[found.end() :] if found else text


class LogCollector:
    """Follows the reader's lines from the first on."""

    def __init__(self, path: str) -> None:
        """`path` is where the reader answers."""
        self._path = path
        self._reader: socket.socket | None = None
        self._following = 0
        self._fetched_ns = 0

    def poll(self, now_ns: int) -> Gathered:
        """All lines that came since the last poll; lines that the reader had to throw away are a gap."""
        lines: list[Row] = []
        gaps: list[Gap] = []
        try:
            self._reader = self._reader or syslog.connect(self._path, _TIMEOUT_S)
            while True:
                found = syslog.ask(self._reader, self._following)
                if found.lost:
                    why = f"{found.lost} lines came faster than they were fetched and are lost"
                    gaps.append(self._gap(found.lines[0].t_ns if found.lines else now_ns, found.lost, why))
                lines += [(line.t_ns, line.node, *parse(line.text)) for line in found.lines]
                is_end = found.following == self._following
                self._following = found.following
                if is_end or len(found.lines) < syslog.LINES_AT_ONCE:
                    break
            self._fetched_ns = now_ns
        except (OSError, ValueError) as error:
            self._hang_up()
            gaps.append(self._gap(now_ns, 1, f"the syslog reader does not answer: {error}"))
        return Gathered({"log_line": lines}, gaps)

    def _gap(self, until_ns: int, missing: int, why: str) -> Gap:
        return Gap(until_ns, min(self._fetched_ns or until_ns, until_ns), COLLECTOR, None, missing, why)

    def _hang_up(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
