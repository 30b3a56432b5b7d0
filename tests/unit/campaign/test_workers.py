import os
import signal
import threading
import time

import pytest

from netopsbench.campaign.workers import Workers


def test_every_job_is_done_once_by_any_number_of_threads():
    done = []
    Workers(range(50), done.append).run(4)
    assert sorted(done) == list(range(50))


def test_an_error_in_one_job_ends_the_others_and_is_raised():
    ended = []

    def work(job):
        if job == 0:
            raise OSError("full")
        with workers.interruptible():
            try:
                while True:
                    time.sleep(0.01)
            except KeyboardInterrupt:
                ended.append(job)
                raise

    workers = Workers([1, 0, 2, 3], work)
    with pytest.raises(OSError, match="full"):
        workers.run(2)
    assert ended in ([1], [])
    assert workers.stop.is_set()


def test_ctrl_c_reaches_what_may_be_interrupted_and_lets_the_rest_finish():
    # Lists and not events: an interruption inside an event would leave its lock taken.
    begun, said = [], []

    def work(job):
        if job == "trial":
            with workers.interruptible():
                try:
                    begun.append(job)
                    while True:
                        time.sleep(0.01)
                except KeyboardInterrupt:
                    said.append("cut short")
        else:
            begun.append(job)
            while not workers.stop.is_set():
                time.sleep(0.01)
            said.append("saved")

    def press() -> None:
        while len(begun) < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    workers = Workers(["trial", "save", "never"], work)
    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        workers.run(2)
    assert sorted(said) == ["cut short", "saved"]


def test_nothing_interruptible_begins_after_the_stop():
    workers = Workers([1], lambda job: None)
    workers.stop.set()
    with pytest.raises(KeyboardInterrupt), workers.interruptible():
        pass


def test_ctrl_c_that_the_kernel_hands_to_another_thread_ends_the_jobs_too():
    finished = []

    def work(job):
        with workers.interruptible():
            # Until the main thread has nothing to do but wait.
            time.sleep(0.3)
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            end = time.monotonic() + 5
            while time.monotonic() < end:
                time.sleep(0.01)
            finished.append(job)

    workers = Workers(["trial"], work)
    with pytest.raises(KeyboardInterrupt):
        workers.run(1)
    assert finished == []
