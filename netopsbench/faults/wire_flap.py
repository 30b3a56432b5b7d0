"""Takes a cable's carrier away and gives it back, again and again; standard library only.

Run in the sandbox as a command: `start ONE OTHER DOWN_S UP_S` leaves a process that flaps both wire ends, beginning
with down; `end ONE OTHER` ends it and leaves the cable up; `show ONE OTHER` says which of the two it is.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from netopsbench.faults import wire_keep

_FAULT_GROUP, _ORDINARY_GROUP = "99", "0"
"""The fabric's link watcher leaves wire ends of the first one alone."""
_TIMEOUT_S = 10.0


def commands(ends: Sequence[str], *, is_up: bool) -> str:
    """Lines for `ip -batch`: both ends change group before either changes state."""
    group = _ORDINARY_GROUP if is_up else _FAULT_GROUP
    words = [f"group {group}", "up" if is_up else "down"]
    return "".join(f"link set dev {end} {word}\n" for word in words for end in ends)


def flap(ends: Sequence[str], down_s: float, up_s: float) -> None:
    """Flap until the process is ended."""
    due = time.monotonic()
    is_up = is_said = False
    while True:
        _set(ends, is_up=is_up)
        if not is_said:
            is_said = bool(os.write(1, wire_keep.READY))
        due += up_s if is_up else down_s
        time.sleep(max(0.0, due - time.monotonic()))
        is_up = not is_up


def _set(ends: Sequence[str], *, is_up: bool) -> None:
    lines = commands(ends, is_up=is_up)
    subprocess.run(["ip", "-batch", "-"], input=lines, text=True, check=True, timeout=_TIMEOUT_S)


def main(words: Sequence[str]) -> None:
    """Start, end or show the flapping of a cable."""
    verb, one, other, *times = words
    name = f"f{one}"
    if verb == "flap":
        flap((one, other), *map(float, times))
    elif verb == "start":
        itself = [sys.executable, "-P", "-m", "netopsbench.faults.wire_flap"]
        wire_keep.start(name, [*itself, "flap", one, other, *times])
    elif verb == "end":
        wire_keep.end(name, _TIMEOUT_S / 2)
        _set((one, other), is_up=True)
    else:
        print("flapping" if wire_keep.is_running(name) else "up")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (wire_keep.KeepError, subprocess.SubprocessError) as failure:
        sys.exit(str(failure))
