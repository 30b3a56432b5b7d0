"""Delivering points until they have been read back: an answer of the listener's proves nothing yet."""

import time
from collections.abc import Sequence
from typing import Protocol

from netopsbench.core.errors import InfraError
from netopsbench.core.model import Model

CHUNK_LINES = 5_000
"""Lines per write; Telegraf refuses a write that is larger than the room it has left."""
FIRST_PAUSE_S, LONGEST_PAUSE_S, PAUSE_IN_TROUBLE_S = 0.03, 0.5, 0.5


class Patience(Model):
    """How long a store waits for what."""

    open_s: float = 15.0
    """For the first point to come back through the whole chain."""
    deliver_s: float = 45.0
    """For a delivery to be read back, restarts of Telegraf and InfluxDB included."""
    resend_s: float = 4.0
    """Without a further point arriving before a delivery is sent again."""
    furthest_s: float = 3600.0
    """From the clock's time that a record's time may lie: further off, it was told in the wrong unit."""


class InfluxTroubleError(Exception):
    """A call that failed in a way that may pass: no connection, overload, a full disk."""


class Wire(Protocol):
    """Where the lines of one delivery go."""

    def write(self, lines: Sequence[str]) -> None:
        """Hand lines over. Raises InfluxTroubleError when it may work later, InfraError when it never will."""
        ...

    def count(self) -> int:
        """How many points of the delivery are stored; raises like `write`."""
        ...

    def diagnosis(self) -> str:
        """Why what was handed over without an error doesn't arrive."""
        ...


def deliver(wire: Wire, lines: Sequence[str], deadline_s: float, resend_s: float) -> None:
    """Write the lines, and again, until all are stored; writing a point twice leaves one point.

    Raises InfraError("telemetry_failed") with the counts when that takes too long.
    """
    started = last_gain = time.monotonic()
    unsent, seen, trouble, pause_s = _chunks(lines), 0, "", FIRST_PAUSE_S
    while (now := time.monotonic()) < started + deadline_s:
        try:
            while unsent:
                wire.write(unsent[0])
                unsent.pop(0)
                last_gain = time.monotonic()
            counting = time.monotonic()
            stored, trouble = wire.count(), ""
            # Counting a large mesh costs InfluxDB work; never let it count more than half of the time.
            pause_s = max(pause_s, time.monotonic() - counting)
        except InfluxTroubleError as passing:
            trouble = str(passing)
            time.sleep(PAUSE_IN_TROUBLE_S)
            continue
        if stored >= len(lines):
            return
        if stored > seen:
            seen, last_gain = stored, now
        elif now > last_gain + resend_s:
            unsent = _chunks(lines)
            continue
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, LONGEST_PAUSE_S)
    raise InfraError(
        "telemetry_failed",
        f"{seen} of {len(lines)} points were read back within {deadline_s:g} s: {trouble or wire.diagnosis()}",
    )


def _chunks(lines: Sequence[str]) -> list[Sequence[str]]:
    return [lines[start : start + CHUNK_LINES] for start in range(0, len(lines), CHUNK_LINES)]
