"""Threads that take jobs from one queue, and end when the user wants to."""

import contextlib
import ctypes
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

Job = TypeVar("Job")

_LOOK_EVERY_S = 0.2


class Workers(Generic[Job]):
    """Works a list of jobs off with several threads.

    Python hands Ctrl-C to the main thread alone, so this passes it on: code under `interruptible` meets a
    KeyboardInterrupt just as it would in the main thread, and everything outside it is left to finish.
    """

    def __init__(self, jobs: Sequence[Job], work: Callable[[Job], None]) -> None:
        self.stop = threading.Event()
        """Set when no further job is to be begun."""
        self._jobs = deque(jobs)
        self._work = work
        self._ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._interruptible: set[int] = set()

    def run(self, count: int) -> None:
        """Do all jobs; an error in one ends the others early and is raised here, as is the caller's Ctrl-C."""
        # Daemons, so that a second Ctrl-C leaves at once.
        threads = [threading.Thread(target=self._take_jobs, daemon=True) for _ in range(count)]
        failures: list[BaseException] = []
        try:
            for thread in threads:
                thread.start()
            for _ in threads:
                ended = self._next_end()
                if ended is not None:
                    failures.append(ended)
                    self._interrupt()
        except KeyboardInterrupt:
            self._interrupt()
            for thread in threads:
                # One that Ctrl-C caught while it was being started finds the stop before any job.
                if thread.is_alive():
                    thread.join()
            raise
        if failures:
            raise failures[0]

    def _next_end(self) -> BaseException | None:
        # The kernel may hand Ctrl-C to another thread, which doesn't wake this one: so it looks up now and then.
        while True:
            with contextlib.suppress(queue.Empty):
                return self._ended.get(timeout=_LOOK_EVERY_S)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """A block that may be cut short by KeyboardInterrupt."""
        me = threading.get_ident()
        with self._guard:
            if self.stop.is_set():
                raise KeyboardInterrupt
            self._interruptible.add(me)
        try:
            yield
        finally:
            with self._guard:
                self._interruptible.discard(me)

    def _interrupt(self) -> None:
        with self._guard:
            self.stop.set()
            for ident in self._interruptible:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(KeyboardInterrupt))
            self._interruptible.clear()

    def _take_jobs(self) -> None:
        try:
            while not self.stop.is_set():
                try:
                    job = self._jobs.popleft()
                except IndexError:
                    break
                self._work(job)
        except BaseException as failure:  # noqa: BLE001 - handed to the thread that waits
            self._ended.put(failure)
        else:
            self._ended.put(None)
