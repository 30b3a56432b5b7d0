"""Being told to end: by Ctrl-C, by another program, or because the terminal was closed."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C; another signal's is 128 and its number, as shells count."""
_HANG_UP: int | None = getattr(signal, "SIGHUP", None)
"""Windows has none."""
_HEEDED: tuple[int, ...] = (signal.SIGTERM, *([] if _HANG_UP is None else [_HANG_UP]))
_STANDARD_STREAMS = (0, 1, 2)


class Ending:
    """How a command is told to end, if it is."""

    def __init__(self) -> None:
        self.exit_code = INTERRUPTED
        self._terminals = [stream for stream in _STANDARD_STREAMS if os.isatty(stream)]
        self._is_told = False

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Have SIGTERM and SIGHUP end the block as Ctrl-C does; what is ignored already stays so (`nohup`)."""
        # Python lets only the main thread set handlers.
        numbers = _HEEDED if threading.current_thread() is threading.main_thread() else ()
        earlier = {number: signal.getsignal(number) for number in numbers}
        for number, handler in earlier.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)

    def _interrupt(self, number: int, _: FrameType | None) -> None:
        if self._is_told:
            # Of a closed terminal the kernel tells, and the shell too: the second word must not cut the end short.
            return
        self._is_told = True
        self.exit_code = 128 + number
        if number == _HANG_UP:
            self._let_go_of_terminals()
        raise KeyboardInterrupt

    def _let_go_of_terminals(self) -> None:
        # A word to a terminal that is gone would be an error in the middle of cleaning up.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in self._terminals:
            os.dup2(nowhere, stream)
        os.close(nowhere)
