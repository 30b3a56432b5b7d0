"""Processes that outlive the command that started them, and end when told."""

import json
import os
import sys
from pathlib import Path

import pytest

from netopsbench.faults import wire_keep
from netopsbench.faults.wire_keep import KeepError, end, is_running, note, start

PATIENT = "import os, time; os.write(1, b'ready\\n'); time.sleep(60)"
STUBBORN = "import os, signal, time; signal.signal(15, signal.SIG_IGN); os.write(1, b'ready\\n'); time.sleep(60)"
LONG_S = 10.0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wire_keep, "FOLDER", tmp_path / "w")
    return tmp_path / "w"


def program(text: str) -> list[str]:
    return [sys.executable, "-S", "-c", text]


def pid(name: str) -> int:
    number: int = json.loads(note(name).read_text())[0]
    return number


def test_a_process_runs_until_it_is_told_to_end():
    start("one", program(PATIENT))
    assert is_running("one")
    end("one", LONG_S)
    assert not is_running("one")


def test_starting_twice_leaves_one_process():
    start("one", program(PATIENT))
    first = pid("one")
    start("one", program(PATIENT))
    assert pid("one") == first
    end("one", LONG_S)


def test_ending_what_never_ran_is_no_mistake():
    end("nothing", LONG_S)
    assert not is_running("nothing")


def test_a_process_that_ends_at_its_start_says_why():
    with pytest.raises(KeepError, match="no such interface"):
        start("one", program("import sys; sys.exit('no such interface')"))
    assert not is_running("one")


def test_a_process_that_will_not_end_is_killed_and_told():
    start("one", program(STUBBORN))
    with pytest.raises(KeepError, match="did not end"):
        end("one", 0.1)
    end("one", LONG_S)
    assert not is_running("one")


def test_another_process_with_the_same_number_is_left_alone(folder: Path):
    folder.mkdir()
    note("one").write_text(json.dumps([os.getpid(), 1]))
    assert not is_running("one")
    end("one", LONG_S)
    assert not note("one").exists()


def test_a_note_that_was_cut_short_counts_as_none(folder: Path):
    folder.mkdir()
    note("one").write_text("[12")
    assert not is_running("one")
