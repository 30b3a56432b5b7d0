"""What the collectors' process says of itself on standard output; standard library only."""

import json
import os
from types import TracebackType


def say(event: str, **values: int | str) -> None:
    """One line of JSON."""
    os.write(1, (json.dumps({"event": event, **values}) + "\n").encode())


def report_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The last word of a process that failed: its traceback has nowhere to go."""
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}" if trace else "unknown"
    say("failed", message=f"{kind.__name__} at {place}: {error}")
    os._exit(1)
