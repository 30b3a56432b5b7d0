"""Whoever calls more often than allowed is found out, also when the tool server was slow to tell once."""

import json
import threading
from pathlib import Path

import pytest

from netopsbench.agent.programs.watch import CallBudget
from netopsbench.core import sockets


def test_one_status_that_comes_too_late_leaves_the_limit_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netopsbench.agent.programs.watch._STATUS_S", 0.1)
    answered: list[bool] = []

    def serve() -> None:
        silent, _ = listener.accept()
        for line in silent.makefile():
            # Heard, and not answered in time.
            answered.append(bool(line))
            break
        again, _ = listener.accept()
        for line in again.makefile():
            reply = {"id": json.loads(line)["id"], "result": {"is_exceeded": True}}
            again.sendall(json.dumps(reply).encode() + b"\n")

    with sockets.listen(tmp_path / "s") as listener:
        threading.Thread(target=serve, daemon=True).start()
        budget = CallBudget(tmp_path / "s")
        assert answered == [True]
        assert budget.is_exceeded()
        assert budget.was_exceeded()
        budget.close()


def test_a_server_that_is_gone_says_nothing(tmp_path: Path) -> None:
    budget = CallBudget(tmp_path / "nobody")
    assert not budget.is_exceeded()
    assert not budget.was_exceeded()
    budget.close()
