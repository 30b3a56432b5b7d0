"""The one clock of all records: nanoseconds since the epoch, UTC."""

import time


def now_ns() -> int:
    """Wall-clock time in nanoseconds since the epoch."""
    return time.time_ns()


def as_seconds(t_ns: int) -> float:
    """A record's time in seconds since the epoch."""
    return t_ns / 1e9
