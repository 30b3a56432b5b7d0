"""Delivering until everything was read back, over a wire that misbehaves."""

from collections.abc import Sequence

import pytest

from netopsbench.core.errors import InfraError
from netopsbench.telemetry.influx_delivery import CHUNK_LINES, InfluxTroubleError, deliver


class Wire:
    """Stores each line once; may lose a write, refuse some, or see points late."""

    def __init__(self, *, loses: int = 0, refuses: int = 0, late: int = 0, blind: int = 0) -> None:
        self.stored: set[str] = set()
        self.writes: list[int] = []
        self._loses, self._refuses, self._late, self._blind = loses, refuses, late, blind

    def write(self, lines: Sequence[str]) -> None:
        if self._refuses:
            self._refuses -= 1
            raise InfluxTroubleError("Telegraf says 429: buffer full")
        self.writes.append(len(lines))
        if self._loses:
            self._loses -= 1
            return
        self.stored.update(lines)

    def count(self) -> int:
        if self._blind:
            self._blind -= 1
            raise InfluxTroubleError("InfluxDB can't be reached: Connection refused")
        if self._late:
            self._late -= 1
            return 0
        return len(self.stored)

    def diagnosis(self) -> str:
        return "Telegraf doesn't pass them on"


def lines(count: int) -> list[str]:
    return [f"m value=1i {number}" for number in range(count)]


def test_a_large_delivery_goes_in_writes_that_telegraf_has_room_for() -> None:
    wire = Wire()
    deliver(wire, lines(2 * CHUNK_LINES + 1), deadline_s=10, resend_s=5)
    assert wire.writes == [CHUNK_LINES, CHUNK_LINES, 1]


def test_a_write_that_was_acknowledged_and_lost_is_sent_again() -> None:
    wire = Wire(loses=1)
    deliver(wire, lines(CHUNK_LINES + 3), deadline_s=10, resend_s=0.1)
    assert len(wire.stored) == CHUNK_LINES + 3


def test_points_that_only_take_their_time_are_not_sent_twice() -> None:
    wire = Wire(late=4)
    deliver(wire, lines(3), deadline_s=10, resend_s=5)
    assert wire.writes == [3]


def test_refusals_and_a_server_that_is_away_are_waited_out() -> None:
    wire = Wire(refuses=1, blind=1)
    deliver(wire, lines(3), deadline_s=10, resend_s=5)
    assert len(wire.stored) == 3


def test_what_never_arrives_ends_with_counts_and_a_reason() -> None:
    with pytest.raises(InfraError, match=r"^0 of 3 points .* Telegraf doesn't pass them on") as failure:
        deliver(Wire(loses=1000), lines(3), deadline_s=0.3, resend_s=0.05)
    assert failure.value.reason == "telemetry_failed"


def test_a_server_that_stays_away_is_the_reason_that_is_given() -> None:
    with pytest.raises(InfraError, match="Connection refused"):
        deliver(Wire(blind=1000), lines(3), deadline_s=0.3, resend_s=0.05)
