"""How fast the machine is at the moment, to read a benchmark's seconds by: a virtual machine's speed may halve."""

import time

ADDITIONS = 5_000_000


def told_speed() -> str:
    """CPU seconds of a loop that is always the same."""
    start = time.process_time()
    total = 0
    for number in range(ADDITIONS):
        total += number
    return f"this machine, now: {ADDITIONS // 1_000_000} million additions in {time.process_time() - start:.2f} CPU s"
