"""`agents check` on a real small fabric: what fits passes, and what doesn't is told what to mend."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from case_runs import COMMAND

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
pytestmark = pytest.mark.live


def checked(spec: str, folder: Path, *options: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    argv = [*COMMAND, "agents", "check", spec, "--json", *options]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=240, cwd=folder)
    found = json.loads(done.stdout) if done.stdout else []
    return done.returncode, {each["name"]: each for each in found}, done.stderr


@pytest.mark.usefixtures("engine")
def test_a_published_example_passes(tmp_path: Path) -> None:
    code, found, words = checked(f"command:python3 {EXAMPLES / 'agent.py'}", tmp_path)
    assert code == 0, words
    assert len(found) == 4
    assert all(each["is_passed"] for each in found.values())


@pytest.mark.usefixtures("engine")
def test_an_agent_that_talks_and_overdraws_is_told_what_to_mend(tmp_path: Path) -> None:
    script = tmp_path / "chatty.sh"
    script.write_text(
        "#!/bin/sh\nfor n in 1 2 3 4 5; do $NETOPSBENCH_ASK get_topology >/dev/null || exit 3; done\n"
        'echo "All is well."\n'
    )
    script.chmod(0o755)
    code, found, words = checked(f"command:{script}", tmp_path)
    assert code == 1
    assert "JSON object alone" in found["answers in shape"]["told"]
    assert "stop at budget.tool_calls" in found["keeps to a small budget of calls"]["told"]
    assert "Catch errors of tools" in found["survives tools that fail"]["told"]
    assert "MEND" in words


def test_a_mistake_in_a_spec_is_told_before_anything_starts(tmp_path: Path) -> None:
    code, found, words = checked("claude:", tmp_path)
    assert (code, found) == (2, {})
    assert "claude:model=MODEL" in words
