"""A file's lock keeps other processes out; where the system has none, nobody is kept out and nothing breaks."""

import subprocess
import sys

from netopsbench.core import locks
from netopsbench.core.locks import try_lock, wait_for_lock

TRY = "import sys; from netopsbench.core.locks import try_lock; print(try_lock(open(sys.argv[1], 'w')))"


def tried_elsewhere(path) -> str:
    done = subprocess.run([sys.executable, "-c", TRY, str(path)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_other_process_gets_the_lock_when_the_file_is_closed(tmp_path):
    path = tmp_path / "lock"
    with path.open("w") as file:
        assert try_lock(file)
        assert tried_elsewhere(path) == "False"
    assert tried_elsewhere(path) == "True"


def test_lock_that_nobody_holds_is_had_without_waiting(tmp_path):
    path = tmp_path / "lock"
    with path.open("w") as file:
        wait_for_lock(file)
        assert tried_elsewhere(path) == "False"


def test_system_without_such_locks_keeps_nobody_out(tmp_path, monkeypatch):
    def none(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(locks, "import_module", none)
    with (tmp_path / "lock").open("w") as first, (tmp_path / "lock").open("w") as second:
        wait_for_lock(first)
        assert try_lock(second)
