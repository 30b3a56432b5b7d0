"""Runs the sandbox as root and as an ordinary user."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netopsbench.agent.run import Examination

SCRIPT = Path(__file__).parent / "shut_in.py"
ShutIn = Callable[..., Examination]


# Both take more than a minute together; where root runs the tests, an ordinary user is the one who counts.
AS_ROOT = pytest.param("this user", marks=pytest.mark.slow) if os.geteuid() == 0 else "this user"


@pytest.fixture(params=[AS_ROOT, "ordinary user"])
def shut_in(request: pytest.FixtureRequest) -> ShutIn:
    """Examines a program: `shut_in([sys.executable, "-c", "…"], wall_time_s=5)`."""
    is_ordinary = request.param == "ordinary user"
    if is_ordinary and os.geteuid() != 0:
        pytest.skip("this user is an ordinary one already")
    as_ordinary_user = request.getfixturevalue("as_ordinary_user") if is_ordinary else None

    def examine(program: list[str], **asked: Any) -> Examination:
        argv = [sys.executable, str(SCRIPT), json.dumps({"program": program, **asked})]
        if as_ordinary_user is not None:
            done = as_ordinary_user(argv)
        else:
            done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
        if "UnsupportedError" in done.stderr:
            pytest.skip(f"programs can't be shut in here: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
        return Examination.model_validate_json(done.stdout)

    return examine
