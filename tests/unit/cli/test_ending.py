"""Commands that are told to end clean up first, whoever tells them."""

import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = """
import sys, time
from pathlib import Path
import typer
from netopsbench.cli.speak import note, plainly

@plainly
def command(told: Path) -> None:
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        note("cleaning up")
        time.sleep(0.3)
        told.write_text("cleaned up")

typer.run(command)
"""


def started(told: Path, *before: str) -> "subprocess.Popen[bytes]":
    """The command, once it is at work, as a program beside a pipe."""
    argv = [*before, sys.executable, "-c", COMMAND, str(told)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    return process


@pytest.mark.parametrize(
    ("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=lambda each: each
)
def test_a_signal_ends_a_command_after_it_has_cleaned_up(tmp_path: Path, number: int, exit_code: int) -> None:
    process = started(tmp_path / "told")
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == exit_code
    assert (tmp_path / "told").read_text() == "cleaned up"
    assert errors.decode().splitlines()[-1] == "netopsbench: interrupted; everything that was started has been ended"


def test_a_second_word_to_end_does_not_cut_cleaning_up_short(tmp_path: Path) -> None:
    process = started(tmp_path / "told")
    process.send_signal(signal.SIGHUP)
    assert process.stderr is not None
    assert process.stderr.readline() == b"cleaning up\n"
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 129
    assert (tmp_path / "told").read_text() == "cleaned up"


def test_a_closed_terminal_ends_a_command_whose_words_go_nowhere_then(tmp_path: Path) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", COMMAND, str(tmp_path / "told")])
    said = b""
    while b"begun" not in said:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready
        said += os.read(terminal, 4096)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    assert (tmp_path / "told").read_text() == "cleaned up"


def test_under_nohup_a_closed_terminal_ends_nothing(tmp_path: Path) -> None:
    process = started(tmp_path / "told", "nohup")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 143
