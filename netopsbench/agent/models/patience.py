"""Asks a busy provider again, later and later, and tells how long that took."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from netopsbench.agent.models.chat import BusyError, StoppedError
from netopsbench.agent.models.journal import Event, Journal
from netopsbench.core.clock import now_ns

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
MOST_TRIES = 8
MOST_WAIT_S = 300.0
"""Of one question, all waits together."""

Answered = TypeVar("Answered")


class Patience:
    """Waits of one question, which don't count as the agent's time."""

    def __init__(self, journal: Journal, sleep: Callable[[float], None] = time.sleep) -> None:
        self._journal = journal
        self._sleep = sleep
        self._chance = random.Random()
        self._left_s = MOST_WAIT_S

    def until_answered(self, ask: Callable[[], Answered]) -> Answered:
        """What `ask` returns, asked again while it raises BusyError.

        Raises StoppedError `provider_failed` when the provider stays busy.
        """
        for number in range(MOST_TRIES):
            try:
                return ask()
            except BusyError as busy:
                wait_s = self._wait_s(number, busy.retry_after_s)
                if number + 1 == MOST_TRIES or wait_s > self._left_s:
                    waited_s = MOST_WAIT_S - self._left_s
                    why = f"{busy}; given up after {number + 1} tries and {waited_s:.0f} s of waiting"
                    raise StoppedError("provider_failed", why) from busy
                self._left_s -= wait_s
                # Told before it begins: the examiner's clock stands still for as long.
                self._journal.note(Event(t_ns=now_ns(), kind="wait", content=str(busy), wait_s=wait_s))
                self._sleep(wait_s)
        raise AssertionError("the last try returns or raises")

    def _wait_s(self, number: int, asked_for_s: float | None) -> float:
        """Doubled each time, spread so that many agents don't come back at once; at least what was asked for."""
        own = FIRST_WAIT_S * float(2**number) * self._chance.uniform(0.75, 1.25)
        return round(min(LONGEST_WAIT_S, max(own, asked_for_s or 0.0)), 3)
